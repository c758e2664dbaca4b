import { DateTime } from "effect"
import { doneBy, sentenceOf } from "./DoneBy.ts"
import type { Crashed, Interrupted, ModelFailed } from "./FaultStep.ts"
import { completed, line, type LogLine, modelAnswer, spent } from "./ModelLog.ts"
import { type NotificationContent, notificationsOf } from "./Notification.ts"
import type { Answered, Cancelled } from "./PersonStep.ts"
import type { Compacted, JournalledStep, Prepared, Progressed, Resulted, Woken } from "./Step.ts"
import type { TaskLogEntry, TaskType } from "./Task.ts"
import { firstLineOf as firstLine, plural } from "./Text.ts"

const isoOf = (millis: number): string => DateTime.formatIso(DateTime.unsafeMake(Math.round(millis)))

/** The journal stores no prose: every text is derived here. */
const linesOf = ({ step }: JournalledStep): ReadonlyArray<LogLine> => {
  switch (step.kind) {
    case "woken":
      return [started(step)]
    case "prepared":
      return preparation(step)
    case "model":
      return modelAnswer(step)
    case "started":
      return [line("debug", "tool_call", `Started ${plural(step.calls.length, "call")} with external effects`, {
        ids: step.calls
      })]
    case "dispatched":
      return step.subtasks.map(({ agent, call, name, task }) =>
        line(
          "info",
          "subagent",
          name === undefined ? `Dispatched a ${agent} subagent` : `Dispatched the agent ${name} as a subagent`,
          { id: call, task_id: task, agent_type: agent }
        )
      )
    case "results":
      return toolResults(step)
    case "compacted":
      return [compaction(step)]
    case "forced":
      return [line("warning", "budget", step.reason), completed(step)]
    case "steered":
      return step.messages.map(({ text, ...message }) => {
        const sentBy = doneBy(message)
        return line("info", "status", `${sentenceOf(sentBy, "sent a message")}: ${firstLine(text)}`, {
          by: message.by,
          sent_by: sentBy,
          text
        })
      })
    case "answered":
      return [answer(step)]
    case "cancelled":
      return [cancellation(step)]
    case "retried":
      return [line("info", "status", "Retry requested; the task will start again", { status: "pending" })]
    case "crashed":
      return [crash(step)]
    case "model_failed":
      return [line("warning", "model", modelRetryText(step), {
        attempt: step.attempt,
        attempts: step.attempts,
        pause_ms: step.pause,
        ...(step.next === undefined ? {} : { model: step.model ?? null, next_model: step.next })
      })]
    case "interrupted":
      return [interruption(step)]
    case "progressed":
      return [progress(step)]
    case "failed":
      return [line("error", "error", step.error), line("error", "status", "The task failed", { status: "failed" })]
  }
}

const started = ({ deaths, epoch, reason, runner }: typeof Woken.Type): LogLine => {
  const texts = {
    first: `The task started on ${runner}`,
    resume: `The task resumed on ${runner}`,
    recovery: `The task resumed on ${runner} after its previous run was interrupted`,
    retry: `The task started again on ${runner}`
  }
  const text = deaths === undefined
    ? texts[reason]
    : `The process that ran the task ended during this step; the task resumed on ${runner}`
  const data = { status: "running", reason, epoch, runner }
  return line(
    reason === "recovery" ? "warning" : "info",
    "status",
    text,
    deaths === undefined ? data : { ...data, process_deaths: deaths }
  )
}

const decisions = { approved: "approved the call", denied: "denied the call" }

const answer = (step: Answered): LogLine => {
  const answeredBy = doneBy(step)
  const did = step.decision === undefined ? "answered" : decisions[step.decision]
  return line("info", "status", sentenceOf(answeredBy, did), {
    status: "running",
    by: step.by,
    answered_by: answeredBy,
    ...(step.decision === undefined ? {} : { decision: step.decision })
  })
}

const cancellation = (step: Cancelled): LogLine => {
  const cancelledBy = doneBy(step)
  const reason = step.error.replace(/^Cancelled[.:]\s*/, "")
  const text = cancelledBy.name === null
    ? step.error
    : `${sentenceOf(cancelledBy, "cancelled the task")}${reason === "" ? "" : `: ${reason}`}`
  return line("warning", "status", text, { status: "failed", cancelled_by: cancelledBy })
}

const crash = ({ deaths, reason, retryAt }: typeof Crashed.Type): LogLine => {
  const data = { retry_at_ms: retryAt }
  return deaths === undefined
    ? line("error", "error", `The task crashed: ${reason}; next attempt at ${isoOf(retryAt)}`, data)
    : line("warning", "error", `${reason}; attempt ${deaths + 1} starts at ${isoOf(retryAt)}`, {
      ...data,
      process_deaths: deaths
    })
}

const interruption = ({ cost, tokens }: Interrupted): LogLine =>
  line("warning", "model", `A model call was cut off after about ${plural(tokens[1], "token")} of its answer`, {
    ...spent(tokens, cost),
    estimated: true
  })

export const modelRetryText = (
  { attempt, attempts, call, model, next, pause, reason }: Omit<ModelFailed, "kind">
): string =>
  next === undefined
    ? `${call === "model" ? "Model" : "Embedding"} call failed: ${reason}; attempt ${attempt} of ${attempts} in ${
      Math.ceil(pause / 1000)
    } s`
    : `The model ${model ?? ""} failed: ${reason}; the fallback ${next} makes the call`

const progress = ({ call, message, progress: done, tool, total }: Progressed): LogLine => {
  const text = `${tool}: ${total === undefined ? done : `${done} of ${total}`}${
    message === undefined ? "" : `: ${message}`
  }`
  const data = { id: call, name: tool, progress: done, total: total ?? null, text: message ?? null }
  return line("info", "tool_call", text, data)
}

const toolResults = (
  { approved = [], asked, awaiting, deferred = [], results }: Resulted
): ReadonlyArray<LogLine> => [
  ...approved.map((id) => line("info", "status", "The call was approved and runs now", { id })),
  ...results.map(({ message: { content, name, tool_call_id }, millis }) =>
    line(
      content.startsWith("Error:") ? "warning" : "info",
      "tool_result",
      `${name}: ${firstLine(content)}`,
      { id: tool_call_id, name, duration_ms: millis, characters: content.length }
    )
  ),
  ...deferred.map(({ id, message, until }) =>
    line("info", "status", `${message.name}: waiting until ${isoOf(until)}`, { id, until_ms: until })
  ),
  ...(awaiting === undefined ? [] : [line("info", "status", `Waiting for ${plural(awaiting.length, "subagent")}`, {
    status: "waiting_subagents",
    ids: awaiting
  })]),
  ...(asked === undefined ? [] : [line("info", "status", `Waiting for an answer: ${firstLine(asked.question)}`, {
    status: "waiting_input",
    id: asked.id,
    question: asked.question,
    choices: asked.choices ?? []
  })])
]

const compaction = ({ because, cost, failure, millis, model, summary, tokens, upto }: Compacted): LogLine => {
  const messages = `the first ${plural(upto, "message")}`
  if (summary === null) {
    const reason = failure ?? "A recent attempt to summarise failed."
    return line("warning", "compaction", `Left out ${messages} without a new summary: ${reason}`, { because, upto })
  }
  return line("info", "compaction", `Replaced ${messages} with a summary`, {
    because,
    upto,
    ...spent(tokens, cost),
    ...(model === undefined ? {} : { model }),
    duration_ms: millis,
    summary
  })
}

const preparation = (
  { cost, lacking = [], memoriesLeftOut, skills, steps, tokens, tools }: Prepared
): ReadonlyArray<LogLine> => [
  ...(skills.length === 0
    ? []
    : [line("info", "skill", `Matched skills: ${skills.map(({ name }) => name).join(", ")}`, { skills })]),
  ...lacking.map(({ missing, name }) => {
    const text = `Skill ${name} matches but is left out, because this machine lacks ${missing.join(", ")}`
    return line("warning", "skill", text, { name, missing })
  }),
  ...(memoriesLeftOut === undefined
    ? []
    : [line("warning", "skill", `The task began without the user's memories: ${memoriesLeftOut}`, {})]),
  ...(steps !== undefined || tools === undefined ? [] : [line(
    "info",
    "skill",
    `Selected ${plural(tools.length, "tool")} of the tool servers, which have too many to offer all`,
    { tools }
  )]),
  ...(tokens === undefined ? [] : [line(
    "info",
    "skill",
    steps === undefined ? "Found no work steps" : `Found ${plural(steps.length, "work step")}`,
    { steps: steps ?? [], tools: tools ?? null, ...spent(tokens, cost) }
  )])
]

const notification = ({ asked, body, kind }: NotificationContent): LogLine => {
  const text = kind === "completion"
    ? "Notified the user of the result"
    : kind === "failure"
    ? "Notified the user of the failure"
    : asked === undefined
    ? `Notified the user: ${firstLine(body)}`
    : "Notified the user of the question"
  return line(
    "info",
    "notification",
    text,
    kind === "question" && asked === undefined ? { kind, text: body } : { kind }
  )
}

/** Subtasks report to their parent and notify nobody, so their logs list no notifications. */
export const logsOf = (entry: JournalledStep, type: TaskType = "task"): ReadonlyArray<TaskLogEntry> =>
  [...linesOf(entry), ...(type === "task" ? notificationsOf(entry.step).map(notification) : [])].map((
    [level, event, message, data],
    index
  ) => ({
    id: `${entry.seq}.${index}`,
    timestamp: entry.at,
    level,
    event,
    message,
    data
  }))
