import type { SearchUnfinished } from "@troupe/domain/Search"
import { Context, Effect, Layer, Schema } from "effect"
import { rowsOf } from "../Runtime/Database/Query.ts"
import { SearchStatements } from "../Runtime/Database/SearchStatements.ts"
import { statementsOf } from "./QueueStatements.ts"
import { type QueueTable } from "./QueueTable.ts"

/** Of one queue: how many rows have not ended, and the age of the oldest; how many are due for a minute; how many failed. */
export const QueueCounts = Schema.Struct({
  queue: Schema.String,
  unfinished: Schema.Int,
  oldestSeconds: Schema.Number,
  overdue: Schema.Int,
  overdueSeconds: Schema.Number,
  failed: Schema.Int
})
export type QueueCounts = typeof QueueCounts.Type

export const countsOf = (queue: string, counts: ReadonlyArray<QueueCounts>): QueueCounts =>
  counts.find((one) => one.queue === queue)
    ?? { queue, unfinished: 0, oldestSeconds: 0, overdue: 0, overdueSeconds: 0, failed: 0 }

/** What waits in the queues, for reports. */
export class QueueBacklog extends Context.Tag("troupe/Queue/QueueBacklog")<QueueBacklog, {
  /** Only the queues of the table that have unfinished or failed rows. */
  readonly counts: (table: QueueTable) => Effect.Effect<ReadonlyArray<QueueCounts>, SearchUnfinished>
}>() {
  static readonly layer: Layer.Layer<QueueBacklog, never, SearchStatements> = Layer.effect(
    this,
    Effect.map(SearchStatements, ({ execute }) =>
      QueueBacklog.of({
        counts: (table) => rowsOf(QueueCounts)(execute(statementsOf(table).counts({})))
      }))
  )
}
