import type { Run } from "@troupe/domain/Run"
import type { Failed, Modelled } from "@troupe/domain/Step"
import { firstLineOf } from "@troupe/domain/Text"
import { Effect } from "effect"
import type { Sandbox } from "../File/Sandbox.ts"
import { type AgentTask, type StepOutcome, withEvent } from "./LoopPorts.ts"

interface Context {
  readonly sandbox: Sandbox["Type"]
  readonly task: AgentTask
}

export const completed = (context: Context, run: Run, step: Modelled): Effect.Effect<StepOutcome> =>
  run.attachments.length === 0
    ? Effect.succeed(withEvent(step, { _tag: "Completed" }))
    : Effect.map(filesOf(context, run), (files) => withEvent({ ...step, files }, { _tag: "Completed" }))

export const forced = (context: Context, run: Run, said: string, reason: string): Effect.Effect<StepOutcome> =>
  Effect.map(
    filesOf(context, run),
    (files) => withEvent({ kind: "forced", reason, ...outputOf(run, said, reason), files }, { _tag: "Completed" })
  )

export const outputOf = (
  run: Run,
  said: string,
  reason: string
): { readonly output: string; readonly reported?: true } =>
  said.trim() === "" ? { output: reportOf(run, reason), reported: true } : { output: said }

export const failed = (error: string, tokens?: Failed["tokens"]): StepOutcome =>
  withEvent({ kind: "failed", error, ...(tokens === undefined ? {} : { tokens }) }, { _tag: "Failed", error })

const maxReported = 50

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

const filesOf = ({ sandbox, task }: Context, run: Run) =>
  Effect.forEach(run.attachments, (filename) =>
    sandbox.stat(task.userId, filename).pipe(
      Effect.map(({ size }) => ({ filename, size })),
      Effect.orElseSucceed(() => ({ filename, size: null }))
    ))
