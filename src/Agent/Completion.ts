import type { Run } from "@troupe/domain/Run"
import type { Failed, Modelled } from "@troupe/domain/Step"
import { firstLineOf } from "@troupe/domain/ToolResult"
import { Effect } from "effect"
import type { Sandbox } from "../File/Sandbox.ts"
import type { AgentTask, StepOutcome } from "./AgentLoop.ts"

interface Context {
  readonly sandbox: Sandbox["Type"]
  readonly task: AgentTask
}

/** The outcome of a model step that ends the task. */
export const completed = (context: Context, run: Run, step: Modelled): Effect.Effect<StepOutcome> =>
  run.attachments.length === 0
    ? Effect.succeed({ step, event: { _tag: "Completed" }, sleepUntil: null })
    : Effect.map(filesOf(context, run), (files) => ({
      step: { ...step, files },
      event: { _tag: "Completed" },
      sleepUntil: null
    }))

/** Ends the task before another model call, with what the agent said so far or, if that is nothing, with a report. */
export const forced = (context: Context, run: Run, said: string, reason: string): Effect.Effect<StepOutcome> =>
  Effect.map(filesOf(context, run), (files) => ({
    step: { kind: "forced", reason, ...outputOf(run, said, reason), files },
    event: { _tag: "Completed" },
    sleepUntil: null
  }))

/** What a forced completion answers with: the agent's own words or, where it wrote none, a report. */
export const outputOf = (
  run: Run,
  said: string,
  reason: string
): { readonly output: string; readonly reported?: true } =>
  said.trim() === "" ? { output: reportOf(run, reason), reported: true } : { output: said }

export const failed = (error: string, tokens?: Failed["tokens"]): StepOutcome => ({
  step: { kind: "failed", error, ...(tokens === undefined ? {} : { tokens }) },
  event: { _tag: "Failed", error },
  sleepUntil: null
})

/** More calls than this are only counted. */
const maxReported = 50

/** Which limit was reached, and what each tool call came to (contract.md 15). */
const reportOf = ({ messages }: Run, reason: string): string => {
  const results = messages.flatMap((message) => message.role === "tool" ? [message] : [])
  const omitted = results.length - maxReported
  return [
    `The task ended at a limit before the agent wrote an answer. ${reason}`,
    "",
    results.length === 0 ? "No tool was called." : "Tool calls and the first line of each result:",
    ...(omitted > 0 ? [`- (${omitted} earlier calls are not listed)`] : []),
    ...results.slice(-maxReported).map(({ content, name }) => `- ${name}: ${firstLineOf(content) || "(no text)"}`)
  ].join("\n")
}

/** The attached files with their sizes; one that is gone by now is named all the same. */
const filesOf = ({ sandbox, task }: Context, run: Run) =>
  Effect.forEach(run.attachments, (filename) =>
    sandbox.stat(task.userId, filename).pipe(
      Effect.map(({ size }) => ({ filename, size })),
      Effect.orElseSucceed(() => ({ filename, size: null }))
    ))
