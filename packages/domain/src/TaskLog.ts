import { DateTime } from "effect"
import type { JournalledStep, Modelled, Prepared, Step } from "./Step.ts"
import type { LogEvent, LogLevel, TaskLogEntry, TaskOutput, TaskStatus } from "./Task.ts"
import { firstLineOf as firstLine } from "./ToolResult.ts"

type Line = readonly [level: LogLevel, event: LogEvent, message: string, data?: unknown]

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

const isoOf = (millis: number): string => DateTime.formatIso(DateTime.unsafeMake(Math.round(millis)))

const woken = {
  first: "The task started",
  resume: "The task went on",
  recovery: "The task went on after its runner had stopped",
  retry: "The task was started again"
}

/** What a step says, line by line. The journal keeps no prose: everything shown is derived from it here. */
const lines = ({ step }: JournalledStep): ReadonlyArray<Line> => {
  switch (step.kind) {
    case "woken":
      return [[
        step.reason === "recovery" ? "warning" : "info",
        "status",
        step.deaths === undefined
          ? `${woken[step.reason]} on ${step.runner}`
          : `The process that ran the task ended during this step; ${step.runner} took the task over`,
        {
          status: "running",
          reason: step.reason,
          epoch: step.epoch,
          runner: step.runner,
          ...(step.deaths === undefined ? {} : { process_deaths: step.deaths })
        }
      ]]
    case "prepared":
      return preparation(step)
    case "model": {
      const calls = step.message.tool_calls
      const usage = { input_tokens: step.tokens[0], output_tokens: step.tokens[1], duration_ms: step.millis }
      const said: Array<Line> = [...step.warning === undefined ? [] : [budgetWarning(step.warning)], [
        "info",
        "model",
        calls.length > 0
          ? `The model asked for ${plural(calls.length, "tool call")}`
          : step.cut === true
          ? "The token budget cut off the model's answer; the next call continues it"
          : "The model answered",
        { ...usage, text: step.message.content }
      ]]
      for (const call of calls) {
        said.push(["info", "tool_call", `${call.name}`, { id: call.id, name: call.name, arguments: call.arguments }])
      }
      if (step.note !== undefined) said.push(["warning", "budget", step.note])
      if (step.end !== undefined) said.push(completed(step.end))
      return said
    }
    case "started":
      return [["debug", "tool_call", `${plural(step.calls.length, "call")} to the outside began`, {
        ids: step.calls
      }]]
    case "dispatched":
      return step.subtasks.map(({ agent, call, task }): Line => [
        "info",
        "subagent",
        `A ${agent} subagent was sent out`,
        { id: call, task_id: task, agent_type: agent }
      ])
    case "results":
      return [
        ...step.results.map(({ message, millis }): Line => [
          message.content.startsWith("Error:") ? "warning" : "info",
          "tool_result",
          `${message.name}: ${firstLine(message.content)}`,
          { id: message.tool_call_id, name: message.name, duration_ms: millis, characters: message.content.length }
        ]),
        ...(step.notices ?? []).map((notice): Line => [
          "info",
          "notification",
          `Told the user: ${firstLine(notice)}`,
          { text: notice }
        ]),
        ...(step.deferred ?? []).map((deferral): Line => [
          "info",
          "status",
          `${deferral.message.name} sleeps`,
          { id: deferral.id, until_ms: deferral.until }
        ]),
        ...(step.awaiting === undefined ? [] : [
          ["info", "status", `Waits for ${plural(step.awaiting.length, "subagent")}`, {
            status: "waiting_subagents",
            ids: step.awaiting
          }] satisfies Line
        ]),
        ...(step.asked === undefined ? [] : [
          ["info", "status", `Waits for an answer: ${firstLine(step.asked.question)}`, {
            status: "waiting_input",
            id: step.asked.id,
            question: step.asked.question
          }] satisfies Line
        ])
      ]
    case "compacted": {
      const facts = { because: step.because, upto: step.upto }
      const usage = { input_tokens: step.tokens[0], output_tokens: step.tokens[1], duration_ms: step.millis }
      if (step.summary !== null) {
        return [["info", "compaction", `The first ${plural(step.upto, "message")} are told by a summary now`, {
          ...facts,
          ...usage,
          summary: step.summary
        }]]
      }
      const reason = step.failure ?? "An attempt failed a short while ago."
      const what = `The first ${plural(step.upto, "message")} are left out without a new summary`
      return [["warning", "compaction", `${what}: ${reason}`, facts]]
    }
    case "forced":
      return [["warning", "budget", step.reason], completed("forced")]
    case "answered":
      return [["info", "status", "A human answered", { status: "running", by: step.by }]]
    case "cancelled":
      return [["warning", "status", step.error, { status: "failed" }]]
    case "retried":
      return [["info", "status", "The task waits to be started again", { status: "pending" }]]
    case "crashed":
      return step.deaths === undefined
        ? [["error", "error", `The actor crashed: ${step.reason}`, { retry_at_ms: step.retryAt }]]
        : [["warning", "error", `${step.reason}; try ${step.deaths + 1} waits until ${isoOf(step.retryAt)}`, {
          retry_at_ms: step.retryAt,
          process_deaths: step.deaths
        }]]
    case "failed":
      return [["error", "error", step.error], ["error", "status", "The task failed", { status: "failed" }]]
  }
}

const budgetWarning = (warning: NonNullable<Modelled["warning"]>): Line => {
  const { budget, kind, left } = warning
  return [
    "warning",
    "budget",
    kind === "low"
      ? `${left} of the token budget of ${budget} tokens are left; the agent is asked to finish`
      : `${left} of the token budget of ${budget} tokens are left, enough for one call: it is made without tools, and `
        + "the agent is asked for its answer",
    warning
  ]
}

const completed = (end: "answered" | "forced"): Line => [
  "info",
  "status",
  end === "answered" ? "The task completed" : "The task was completed with what it had",
  { status: "completed", forced: end === "forced" }
]

const preparation = ({ lacking = [], skills, steps, tokens, tools }: Prepared): ReadonlyArray<Line> => [
  ...(skills.length === 0
    ? []
    : [["info", "skill", `Skills that fit: ${skills.map(({ name }) => name).join(", ")}`, { skills }] satisfies Line]),
  ...lacking.map(({ missing, name }): Line => [
    "warning",
    "skill",
    `The skill ${name} fits, but this machine lacks ${missing.join(", ")}`,
    { name, missing }
  ]),
  ...(steps !== undefined || tools === undefined ? [] : [
    ["info", "skill", `Too many tools of tool servers: these ${tools.length} are offered`, { tools }] satisfies Line
  ]),
  ...(tokens === undefined ? [] : [
    ["info", "skill", steps === undefined ? "No work steps were found" : `Work steps: ${steps.length}`, {
      steps: steps ?? [],
      tools: tools ?? null,
      input_tokens: tokens[0],
      output_tokens: tokens[1]
    }] satisfies Line
  ])
]

/** The log lines of a step. Ids are `<seq>.<index>`. */
export const logsOf = (entry: JournalledStep): ReadonlyArray<TaskLogEntry> =>
  lines(entry).map(([level, event, message, data], index) => ({
    id: `${entry.seq}.${index}`,
    timestamp: entry.at,
    level,
    event,
    message,
    data: data ?? null
  }))

/** The status that a step left the task in, or null when it did not change it. */
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

/** What a step says the task came to, or null for one that does not end it with a result. */
export const resultOf = (step: Step): string | null => {
  if (step.kind === "forced") return step.output
  if (step.kind === "model" && step.end !== undefined) return step.output ?? step.message.content
  return null
}

/** Why a limit cut the task short; null for a step that does not end it, or ends it with the agent's full answer. */
export const cutShortBy = (step: Step): string | null => {
  if (step.kind === "forced") return step.reason
  return step.kind === "model" && step.end === "forced" ? step.note ?? "A limit was reached." : null
}

/** The result for notifications and parent tasks: it begins with the reason where a limit cut the task short. */
export const announcedResultOf = (step: Step): string | null => {
  const result = resultOf(step)
  const reason = cutShortBy(step)
  return result === null || reason === null ? result : `Cut short: ${reason}\n\n${result}`
}

/** The outcome that is remembered of a task with this last step; null where there is only the service's own report. */
export const outcomeOf = (step: Step): string | null =>
  (step.kind === "model" || step.kind === "forced") && step.reported === true ? null : resultOf(step) ?? ""

/** What the task produced: one text, and a row for each attached file. */
export const outputsOf = ({ at, seq, step }: JournalledStep): ReadonlyArray<TaskOutput> => {
  const result = resultOf(step)
  if (result === null || (step.kind !== "model" && step.kind !== "forced")) return []
  return [
    { id: `${seq}.0`, type: "text", content: result, filename: null, size: null, created_at: at },
    ...(step.files ?? []).map((file, index): TaskOutput => ({
      id: `${seq}.${index + 1}`,
      type: "file",
      content: null,
      filename: file.filename,
      size: file.size,
      created_at: at
    }))
  ]
}
