import { Context, Effect, Layer, Schema } from "effect"
import { v7 } from "uuid"
import { dueAgain } from "../Queue/QueueTable.ts"
import * as GroupCommit from "../Runtime/Database/GroupCommit.ts"
import { asService } from "../Runtime/Database/Isolation.ts"
import { type Prepared, PreparedStatements } from "../Runtime/Database/PreparedStatements.ts"
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
        const columns = [
          entries.map(({ id }) => id),
          ...textColumns.map((column) => entries.map(({ arrival }) => column(arrival))),
          entries.map(({ arrival }) => arrival.isVerified),
          entries.map(({ arrival }) => Buffer.from(arrival.body))
        ]
        const rows = yield* execute(insert, [...columns, signals.origin])
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
        foundOf(asService(
          execute(repeat, [
            ...textColumns.map((column) => column(arrival)),
            arrival.isVerified,
            Buffer.from(arrival.body),
            signals.origin
          ])
        ))

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

const textColumns: ReadonlyArray<(arrival: NewInboundMessage) => string | null> = [
  ({ source }) => source,
  ({ type }) => storable(type),
  ({ deliveryId }) => storableOrNull(deliveryId),
  ({ orderingKey }) => storableOrNull(orderingKey),
  ({ headers }) => storable(JSON.stringify(headers)),
  ({ contentType }) => storableOrNull(contentType),
  ({ url }) => storable(url),
  ({ sourceIp }) => storableOrNull(sourceIp),
  ({ sender }) => storableOrNull(sender),
  ({ creator }) => creator
]

const foundOf = rowsOf(Schema.Struct({ id: InboundId, waitsAgain: Schema.Boolean }))

const inboundAccepted = counter(
  "troupe_inbound_accepted",
  "Messages from outside that were committed to the queue, and repeated deliveries, which change nothing.",
  { source: open, delivery: ["new", "repeated"] }
)

const insert: Prepared = {
  name: "inbound_accept",
  text: `with inserted as (
  insert into inbound_messages (id, source, type, delivery_id, ordering_key, headers, content_type, url, source_ip,
    sender, creator, is_verified, body)
  select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::text[], $11::text[], $12::boolean[], $13::bytea[])
  on conflict (source, type, delivery_id) where delivery_id is not null do nothing
  returning id
)
select id::text, case when row_number() over () = 1 and $14::text is not null then
  pg_notify('troupe_inbound', $14::text) end
from inserted`
}

const repeat: Prepared = {
  name: "inbound_repeat",
  text: `with again as (
  update inbound_messages set ${dueAgain(inboundTable)}, last_error = null,
    received_at = now(), ordering_key = $4::text, headers = $5::text, content_type = $6::text, url = $7::text,
    source_ip = $8::text, sender = $9::text, creator = $10::text, is_verified = $11::boolean, body = $12::bytea
  where source = $1::text and type = $2::text and delivery_id = $3::text and delivery_id is not null and state = 'failed'
  returning id
)
select m.id::text, a.id is not null as "waitsAgain", case when a.id is not null and $13::text is not null then
  pg_notify('troupe_inbound', $13::text) end
from inbound_messages m left join again a on a.id = m.id
where m.source = $1::text and m.type = $2::text and m.delivery_id = $3::text and m.delivery_id is not null`
}
