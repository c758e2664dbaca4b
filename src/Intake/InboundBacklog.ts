import type { SearchUnfinished } from "@troupe/domain/Search"
import { Context, Effect, Layer, Schema } from "effect"
import type { Prepared } from "../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../Runtime/Database/Query.ts"
import { SearchStatements } from "../Runtime/Database/SearchStatements.ts"
import { InboundSource } from "./InboundMessage.ts"

/** Of one source: how many due messages no worker has claimed, the age of the oldest, and how many have failed. */
export const InboundCounts = Schema.Struct({
  source: InboundSource,
  overdue: Schema.Int,
  oldestSeconds: Schema.Number,
  failed: Schema.Int
})
export type InboundCounts = typeof InboundCounts.Type

/** Messages of the queue that need an operator. */
export class InboundBacklog extends Context.Tag("troupe/Intake/InboundBacklog")<InboundBacklog, {
  /** Only the sources that have some. */
  readonly counts: Effect.Effect<ReadonlyArray<InboundCounts>, SearchUnfinished>
}>() {
  static readonly layer: Layer.Layer<InboundBacklog, never, SearchStatements> = Layer.effect(
    this,
    Effect.map(SearchStatements, ({ execute }) =>
      InboundBacklog.of({
        counts: countsOf(execute(counted, []))
      }))
  )
}

const countsOf = rowsOf(InboundCounts)

/** Apart, so that each part reads its own small index. */
const counted: Prepared = {
  name: "inbound_counts",
  text:
    `select source, sum(overdue)::integer as overdue, max(age)::float8 as "oldestSeconds", sum(failed)::integer as failed
from (
  select source, count(*) as overdue, extract(epoch from now() - min(due_at)) as age, 0 as failed
  from inbound_messages where due_at < now() - interval '1 minute' group by source
  union all
  select source, 0, 0, count(*) from inbound_messages where state = 'failed' group by source
) parts group by source order by source`
}
