import type { Forced, Modelled } from "./Step.ts"
import type { LogEvent, LogLevel } from "./Task.ts"
import { cutShortBy } from "./TaskOutcome.ts"
import { plural } from "./Text.ts"

export type LogLine = readonly [level: LogLevel, event: LogEvent, message: string, data: unknown]

export const line = (level: LogLevel, event: LogEvent, message: string, data: unknown = null): LogLine => [
  level,
  event,
  message,
  data
]

const askedAgain = {
  call: "The model wrote a tool call as text, which is not run; it is asked once more",
  empty: "The model answered with nothing; it is asked once more"
}

export const modelAnswer = (step: Modelled): ReadonlyArray<LogLine> => {
  const { again, cost, cut, end, message, millis, model, note, tokens, warning } = step
  const calls = message.tool_calls
  const text = again !== undefined
    ? askedAgain[again]
    : calls.length > 0
    ? `The model requested ${plural(calls.length, "tool call")}`
    : cut === true
    ? "The token budget cut off the model's answer; the next call continues it"
    : "The model answered"
  return [
    ...(warning === undefined ? [] : [budgetWarning(warning)]),
    line(again === undefined ? "info" : "warning", "model", text, {
      ...spent(tokens, cost),
      ...(model === undefined ? {} : { model }),
      duration_ms: millis,
      text: message.content
    }),
    ...calls.map((call) =>
      line("info", "tool_call", call.name, { id: call.id, name: call.name, arguments: call.arguments })
    ),
    ...(step.unlimited === true ? [line("warning", "budget", noPrice)] : []),
    ...(note === undefined ? [] : [line("warning", "budget", note)]),
    ...(end === undefined ? [] : [completed(step)])
  ]
}

export const spent = ([input, output]: readonly [number, number], cost: number | undefined) => ({
  input_tokens: input,
  output_tokens: output,
  cost: cost ?? null
})

const noPrice = "The model has no price, so the cost limit of the task has no effect. Set MODEL_PRICES."

const budgetWarning = (warning: NonNullable<Modelled["warning"]>): LogLine => {
  const left = warning.of === "cost"
    ? `${warning.left} of the cost limit of ${warning.budget} left`
    : `${warning.left} of ${warning.budget} budgeted tokens left`
  const text = warning.kind === "low"
    ? `${left}; the agent is asked to finish`
    : `${left}, enough for one call; it is made without tools and asks for the final answer`
  return line("warning", "budget", text, warning)
}

const completions = {
  answer: "The task completed",
  limit: "The task completed at its limit, with its results so far",
  budget: "The task completed at its token budget, with its results so far"
}

/** The last line of a step that completes its task. */
export const completed = (step: Modelled | Forced): LogLine => {
  const endedBy = cutShortBy(step)?.by ?? "answer"
  return line("info", "status", completions[endedBy], {
    status: "completed",
    forced: step.kind === "forced" || step.end === "forced",
    ended_by: endedBy
  })
}
