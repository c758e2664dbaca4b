import { Context, Effect, Layer, Schema } from "effect"
import { v7 } from "uuid"
import { dueAgain } from "../Queue/QueueTable.ts"
import * as GroupCommit from "../Runtime/Database/GroupCommit.ts"
import { asService } from "../Runtime/Database/Isolation.ts"
import { prepared, PreparedStatements } from "../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../Runtime/Database/Query.ts"
import { Signals } from "../Runtime/Database/Signals.ts"
import { isRefusal } from "../Runtime/Database/Sql.ts"
import { storable, storableOrNull } from "../Runtime/Database/StorableText.ts"
import { counter, open } from "../Runtime/Telemetry/Metrics.ts"
import { InboundId, inboundTable, type NewInboundMessage } from "./InboundMessage.ts"

const groupBytes = 1024 * 1024

/** Accepts messages from outside. It needs only the database. */
export class InboundQueue extends Context.Tag("troupe/Intake/InboundQueue")<InboundQueue, {
  /**
   * Succeeds with the message's id after the commit. A repeated delivery has the id of the first and changes nothing,
   * unless that has failed: then it is queued again with the new content. An unreachable database is a defect.
   */
  readonly accept: (arrival: NewInboundMessage) => Effect.Effect<InboundId>
}>() {
  static readonly layer: Layer.Layer<InboundQueue, never, PreparedStatements | Signals> = Layer.scoped(
    this,
    Effect.gen(function*() {
      const { execute } = yield* PreparedStatements
      const signals = yield* Signals

      const write = Effect.fnUntraced(function*(entries: ReadonlyArray<Entry>) {
        const rows = yield* execute(insert({
          ...valuesOf((value) => entries.map(({ arrival }) => value(arrival))),
          ids: entries.map(({ id }) => id),
          origin: signals.origin
        }))
        const inserted = new Set(rows.map((row) => row["id"]))
        return entries.map(({ id }) => inserted.has(id))
      })
      const { commit } = yield* GroupCommit.make({
        write: (entries: ReadonlyArray<Entry>) => asService(write(entries)),
        maxGroup: 100,
        maxWeight: groupBytes,
        weigh: ({ arrival }) => arrival.body.length,
        writers: 2,
        isRefusal
      })

      const again = (arrival: NewInboundMessage) =>
        foundOf(asService(execute(repeat({ ...valuesOf((value) => value(arrival)), origin: signals.origin }))))

      return InboundQueue.of({
        accept: (arrival) =>
          Effect.gen(function*() {
            const id = InboundId.make(v7())
            const isNew = yield* commit({ id, arrival })
            inboundAccepted(1, { source: arrival.source, delivery: isNew ? "new" : "repeated" })
            if (isNew) {
              signals.send("troupe_inbound")
              return id
            }
            const [known] = yield* again(arrival)
            if (known?.waitsAgain === true) signals.send("troupe_inbound")
            // The first was deleted after its retention, between the two statements.
            return known?.id ?? id
          }).pipe(Effect.orDie)
      })
    })
  )
}

interface Entry {
  readonly id: InboundId
  readonly arrival: NewInboundMessage
}

/** What is stored of an arrival; the first three tell one delivery from another. */
const columns: ReadonlyArray<readonly [name: string, type: string, value: (arrival: NewInboundMessage) => unknown]> = [
  ["source", "text", ({ source }) => source],
  ["type", "text", ({ type }) => storable(type)],
  ["delivery_id", "text", ({ deliveryId }) => storableOrNull(deliveryId)],
  ["ordering_key", "text", ({ orderingKey }) => storableOrNull(orderingKey)],
  ["headers", "text", ({ headers }) => storable(JSON.stringify(headers))],
  ["content_type", "text", ({ contentType }) => storableOrNull(contentType)],
  ["url", "text", ({ url }) => storable(url)],
  ["source_ip", "text", ({ sourceIp }) => storableOrNull(sourceIp)],
  ["sender", "text", ({ sender }) => storableOrNull(sender)],
  ["creator", "text", ({ creator }) => creator],
  ["is_verified", "boolean", ({ isVerified }) => isVerified],
  ["body", "bytea", ({ body }) => Buffer.from(body)]
]

const names = columns.map(([name]) => name)

/** Each column's value, by its name. */
const valuesOf = (
  from: (value: (arrival: NewInboundMessage) => unknown) => unknown
): Readonly<Record<string, unknown>> => Object.fromEntries(columns.map(([name, , value]) => [name, from(value)]))

const foundOf = rowsOf(Schema.Struct({ id: InboundId, waitsAgain: Schema.Boolean }))

const inboundAccepted = counter(
  "troupe_inbound_accepted",
  "Messages from outside that were committed to the queue, and repeated deliveries, which change nothing.",
  { source: open, delivery: ["new", "repeated"] }
)

const notifyIf = (condition: string): string =>
  `case when ${condition} and $origin::text is not null then pg_notify('troupe_inbound', $origin::text) end`

const insert = prepared(
  "inbound_accept",
  ["origin", "ids", ...names],
  `with inserted as (
  insert into inbound_messages (id, ${names.join(", ")})
  select * from unnest($ids::uuid[], ${columns.map(([name, type]) => `$${name}::${type}[]`).join(", ")})
  on conflict (source, type, delivery_id) where delivery_id is not null do nothing
  returning id
)
select id::text, ${notifyIf("row_number() over () = 1")}
from inserted`
)

const delivery =
  "source = $source::text and type = $type::text and delivery_id = $delivery_id::text and delivery_id is not null"

const repeat = prepared(
  "inbound_repeat",
  ["origin", ...names],
  `with again as (
  update inbound_messages set ${dueAgain(inboundTable)}, last_error = null, received_at = now(),
    ${columns.map(([name, type]) => `${name} = $${name}::${type}`).slice(3).join(", ")}
  where ${delivery} and state = 'failed'
  returning id
)
select m.id::text, a.id is not null as "waitsAgain", ${notifyIf("a.id is not null")}
from inbound_messages m left join again a on a.id = m.id
where ${delivery}`
)
