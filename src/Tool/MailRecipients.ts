import type { TaskId } from "@troupe/domain/Ids"
import { Context, type Effect } from "effect"

export interface RecipientCheck {
  /** The addresses to which nothing may be sent unasked, as they were given. */
  readonly unexpected: ReadonlyArray<string>
  /** Whether the task has a person to ask. */
  readonly mayAsk: boolean
  /** It goes to people outside of the team, and no trusted text names all of these and each file. */
  readonly leaves: boolean
}

/**
 * To whom the agent of a task may send mail unasked. Its layer is in `Task`, which has the texts of the task. A tool that
 * writes to another conversation than the task's needs the same.
 */
export class MailRecipients extends Context.Tag("troupe/Tool/MailRecipients")<MailRecipients, {
  readonly check: (
    taskId: TaskId,
    addresses: ReadonlyArray<string>,
    files: ReadonlyArray<string>
  ) => Effect.Effect<RecipientCheck>
  /** The same of a file that is posted with the result, where the task has its conversation. */
  readonly checkPost: (taskId: TaskId, file: string) => Effect.Effect<Omit<RecipientCheck, "unexpected">>
}>() {}
