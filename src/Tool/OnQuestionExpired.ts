import type { TaskId, ToolCallId } from "@troupe/domain/Ids"
import { Context, Effect } from "effect"

/** What happens when nobody has answered in time what a tool server asked while its call went on. */
export class OnQuestionExpired extends Context.Reference<OnQuestionExpired>()("troupe/Tool/OnQuestionExpired", {
  defaultValue: (): (task: TaskId, question: ToolCallId) => Effect.Effect<void> => () => Effect.void
}) {}
