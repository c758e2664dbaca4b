import type { Run } from "@troupe/domain/Run"
import { Effect } from "effect"
import type { Sandbox } from "../File/Sandbox.ts"
import type { AgentTask } from "./AgentDependencies.ts"

interface Context {
  readonly sandbox: Sandbox["Type"]
  readonly task: Pick<AgentTask, "creator">
}

/** The files that a task's result has attached, with their sizes in bytes; null: the file can't be found any more. */
export const filesOf = ({ sandbox, task }: Context, { attachments }: Pick<Run, "attachments">) =>
  Effect.forEach(attachments, (filename) =>
    sandbox.stat(task.creator, filename).pipe(
      Effect.map(({ size }) => ({ filename, size })),
      Effect.orElseSucceed(() => ({ filename, size: null }))
    ))
