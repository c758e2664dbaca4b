import { DateTime } from "effect"
import type { Compacted, JournalledStep, Modelled, Prepared, Resulted, Woken } from "./Step.ts"
import type { LogEvent, LogLevel, TaskLogEntry, TaskStatus } from "./Task.ts"
import { firstLineOf as firstLine, plural } from "./Text.ts"

type LogLine = readonly [level: LogLevel, event: LogEvent, message: string, data?: unknown]

const line = (...parts: LogLine): ReadonlyArray<LogLine> => [parts]

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
      return [["debug", "tool_call", `Started ${plural(step.calls.length, "call")} with external effects`, {
        ids: step.calls
      }]]
    case "dispatched":
      return step.subtasks.map(({ agent, call, task }): LogLine => [
        "info",
        "subagent",
        `Dispatched a ${agent} subagent`,
        { id: call, task_id: task, agent_type: agent }
      ])
    case "results":
      return toolResults(step)
    case "compacted":
      return [compaction(step)]
    case "forced":
      return [["warning", "budget", step.reason], completed("forced")]
    case "steered":
      return step.messages.map(({ by, text }): LogLine => [
        "info",
        "status",
        `A user sent a message: ${firstLine(text)}`,
        { by, text }
      ])
    case "answered":
      return [["info", "status", "A user answered", { status: "running", by: step.by }]]
    case "cancelled":
      return [["warning", "status", step.error, { status: "failed" }]]
    case "retried":
      return [["info", "status", "Retry requested; the task will start again", { status: "pending" }]]
    case "crashed":
      return step.deaths === undefined
        ? [["error", "error", `The task crashed: ${step.reason}; next attempt at ${isoOf(step.retryAt)}`, {
          retry_at_ms: step.retryAt
        }]]
        : [["warning", "error", `${step.reason}; attempt ${step.deaths + 1} starts at ${isoOf(step.retryAt)}`, {
          retry_at_ms: step.retryAt,
          process_deaths: step.deaths
        }]]
    case "failed":
      return [["error", "error", step.error], ["error", "status", "The task failed", { status: "failed" }]]
  }
}

const started = ({ deaths, epoch, reason, runner }: typeof Woken.Type): LogLine => {
  const texts = {
    first: `The task started on ${runner}`,
    resume: `The task resumed on ${runner}`,
    recovery: `The task resumed on ${runner} after its previous run was interrupted`,
    retry: `The task started again on ${runner}`
  }
  return [
    reason === "recovery" ? "warning" : "info",
    "status",
    deaths === undefined
      ? texts[reason]
      : `The process that ran the task ended during this step; the task resumed on ${runner}`,
    { status: "running", reason, epoch, runner, ...(deaths === undefined ? {} : { process_deaths: deaths }) }
  ]
}

const modelAnswer = ({ cost, cut, end, message, millis, note, tokens, warning }: Modelled): ReadonlyArray<LogLine> => {
  const calls = message.tool_calls
  const text = calls.length > 0
    ? `The model requested ${plural(calls.length, "tool call")}`
    : cut === true
    ? "The token budget cut off the model's answer; the next call continues it"
    : "The model answered"
  return [
    ...(warning === undefined ? [] : [budgetWarning(warning)]),
    ["info", "model", text, {
      input_tokens: tokens[0],
      output_tokens: tokens[1],
      cost: cost ?? null,
      duration_ms: millis,
      text: message.content
    }],
    ...calls.map((call): LogLine => ["info", "tool_call", call.name, {
      id: call.id,
      name: call.name,
      arguments: call.arguments
    }]),
    ...(note === undefined ? [] : line("warning", "budget", note)),
    ...(end === undefined ? [] : [completed(end)])
  ]
}

const toolResults = ({ asked, awaiting, deferred = [], notices = [], results }: Resulted): ReadonlyArray<LogLine> => [
  ...results.map(({ message, millis }): LogLine => [
    message.content.startsWith("Error:") ? "warning" : "info",
    "tool_result",
    `${message.name}: ${firstLine(message.content)}`,
    { id: message.tool_call_id, name: message.name, duration_ms: millis, characters: message.content.length }
  ]),
  ...notices.map((notice): LogLine => [
    "info",
    "notification",
    `Notified the user: ${firstLine(notice)}`,
    { text: notice }
  ]),
  ...deferred.map(({ id, message, until }): LogLine => [
    "info",
    "status",
    `${message.name}: waiting until ${isoOf(until)}`,
    { id, until_ms: until }
  ]),
  ...(awaiting === undefined ? [] : line("info", "status", `Waiting for ${plural(awaiting.length, "subagent")}`, {
    status: "waiting_subagents",
    ids: awaiting
  })),
  ...(asked === undefined ? [] : line("info", "status", `Waiting for an answer: ${firstLine(asked.question)}`, {
    status: "waiting_input",
    id: asked.id,
    question: asked.question
  }))
]

const compaction = ({ because, cost, failure, millis, summary, tokens, upto }: Compacted): LogLine => {
  const messages = `the first ${plural(upto, "message")}`
  if (summary === null) {
    const reason = failure ?? "A recent attempt to summarise failed."
    return ["warning", "compaction", `Left out ${messages} without a new summary: ${reason}`, { because, upto }]
  }
  return ["info", "compaction", `Replaced ${messages} with a summary`, {
    because,
    upto,
    input_tokens: tokens[0],
    output_tokens: tokens[1],
    cost: cost ?? null,
    duration_ms: millis,
    summary
  }]
}

const budgetWarning = (warning: NonNullable<Modelled["warning"]>): LogLine => {
  const left = `${warning.left} of ${warning.budget} budgeted tokens left`
  return [
    "warning",
    "budget",
    warning.kind === "low"
      ? `${left}; the agent is asked to finish`
      : `${left}, enough for one call; it is made without tools and asks for the final answer`,
    warning
  ]
}

const completed = (end: "answered" | "forced"): LogLine => [
  "info",
  "status",
  end === "answered" ? "The task completed" : "The task completed early with its results so far",
  { status: "completed", forced: end === "forced" }
]

const preparation = ({ cost, lacking = [], skills, steps, tokens, tools }: Prepared): ReadonlyArray<LogLine> => [
  ...(skills.length === 0
    ? []
    : line("info", "skill", `Matched skills: ${skills.map(({ name }) => name).join(", ")}`, { skills })),
  ...lacking.map(({ missing, name }): LogLine => [
    "warning",
    "skill",
    `Skill ${name} matches but is left out, because this machine lacks ${missing.join(", ")}`,
    { name, missing }
  ]),
  ...(steps !== undefined || tools === undefined ? [] : line(
    "info",
    "skill",
    `Selected ${plural(tools.length, "tool")} of the tool servers, which have too many to offer all`,
    { tools }
  )),
  ...(tokens === undefined ? [] : line(
    "info",
    "skill",
    steps === undefined ? "Found no work steps" : `Found ${plural(steps.length, "work step")}`,
    {
      steps: steps ?? [],
      tools: tools ?? null,
      input_tokens: tokens[0],
      output_tokens: tokens[1],
      cost: cost ?? null
    }
  ))
]

export const logsOf = (entry: JournalledStep): ReadonlyArray<TaskLogEntry> =>
  linesOf(entry).map(([level, event, message, data], index) => ({
    id: `${entry.seq}.${index}`,
    timestamp: entry.at,
    level,
    event,
    message,
    data: data ?? null
  }))

export const statusOf = ({ step }: JournalledStep): TaskStatus | null => {
  switch (step.kind) {
    case "woken":
    case "answered":
      return "running"
    case "model":
      return step.end === undefined ? null : "completed"
    case "results":
      return step.asked !== undefined ? "waiting_input" : step.awaiting !== undefined ? "waiting_subagents" : null
    case "forced":
      return "completed"
    case "cancelled":
    case "failed":
      return "failed"
    case "retried":
      return "pending"
    default:
      return null
  }
}
