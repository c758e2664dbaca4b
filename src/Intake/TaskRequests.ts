import { Option } from "effect"
import type { TaskRequest, TaskSource } from "../Task/Tasks.ts"

type Given = Pick<TaskRequest, "message" | "userId"> & Partial<Omit<TaskRequest, "source">> & {
  readonly source: Pick<TaskSource, "kind" | "toolAccess"> & Partial<TaskSource>
}

/** The request for a task that something from outside causes; what is not given is none. */
export const taskRequestOf = ({ source, ...given }: Given): TaskRequest => ({
  assignee: Option.none(),
  title: Option.none(),
  projectId: Option.none(),
  attachments: [],
  continueTaskId: Option.none(),
  maxTokensTotal: Option.none(),
  idempotency: Option.none(),
  ...given,
  source: Option.some({ context: Option.none(), reply: Option.none(), threads: [], webhook: Option.none(), ...source })
})
