import { Schema } from "effect"
import { Timestamp } from "./Timestamp.ts"

export const BulkId = Schema.UUID.pipe(Schema.brand("BulkId"))
export type BulkId = typeof BulkId.Type

export const BulkAction = Schema.Literal("cancel", "retry", "archive", "restore", "delete")
export type BulkAction = typeof BulkAction.Type

/** A change of all tasks that matched a filter at the time of the request, with its progress. */
export const BulkOperation = Schema.Struct({
  id: BulkId.annotations({ description: "Id of the operation" }),
  action: BulkAction.annotations({ description: "What is done to each task" }),
  matched: Schema.Int.annotations({ description: "Tasks that matched the filter, of those looked at so far" }),
  done: Schema.Int.annotations({ description: "Tasks that have been changed" }),
  failed: Schema.Int.annotations({
    description: "Tasks that could not be changed: their status did not allow it, or the caller may not change them"
  }),
  error: Schema.NullOr(Schema.String).annotations({
    description: "Why the operation ended before its time; null: it did not"
  }),
  created_at: Timestamp.annotations({ description: "When it was asked for" }),
  finished_at: Schema.NullOr(Timestamp).annotations({ description: "When all tasks had been looked at; null: not yet" })
}).annotations({ identifier: "BulkOperation" })
export type BulkOperation = typeof BulkOperation.Type

export class BulkOperationNotFound
  extends Schema.TaggedError<BulkOperationNotFound>()("BulkOperationNotFound", { id: Schema.String })
{
  override get message() {
    return `There is no bulk operation ${this.id}.`
  }
}
