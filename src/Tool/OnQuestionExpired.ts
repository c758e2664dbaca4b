import type { TaskId, ToolCallId } from "@troupe/domain/Ids"
import { Context, Effect } from "effect"

interface QuestionEnds {
  /** Runs when nobody has answered in time what a tool server asked while its call went on. */
  readonly expired: (task: TaskId, question: ToolCallId) => Effect.Effect<void>
  /** Waits until the task is cancelled or removed. */
  readonly cancelled: (task: TaskId) => Effect.Effect<void>
}

/** How questions end that a tool server asks while its call goes on, without an answer. */
export class OnQuestionExpired extends Context.Reference<OnQuestionExpired>()("troupe/Tool/OnQuestionExpired", {
  defaultValue: (): QuestionEnds => ({ expired: () => Effect.void, cancelled: () => Effect.never })
}) {}
