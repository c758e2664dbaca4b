import type { TaskId, UserId } from "@troupe/domain/Ids"
import { type DeliveryChannel, OutboxId } from "@troupe/domain/Outbox"
import { Context, Effect, Layer } from "effect"
import { v7 } from "uuid"
import { type Prepared, PreparedStatements } from "../Runtime/PreparedStatements.ts"
import { storable } from "../Runtime/StorableText.ts"

/** A message that no notification explains. */
export interface OutboxEntry {
  readonly id: OutboxId
  readonly channel: DeliveryChannel
  /** An address on the channel, or what a task's `reply_to` says. */
  readonly recipient: string
  readonly kind: string
  readonly userId: UserId | null
  readonly taskId: TaskId | null
  /** What to send, as the channel's own JSON. */
  readonly payload: string
  /** Digests of the copies that the payload refers to. */
  readonly files?: ReadonlyArray<string>
}

/** Later ids of this process are greater, also within a millisecond: messages to one recipient leave in their order. */
export const newOutboxId: Effect.Effect<OutboxId> = Effect.sync(() => OutboxId.make(v7()))

/** Messages to send. A trigger adds those of notifications (migration 0032). */
export class Outbox extends Context.Tag("troupe/Delivery/Outbox")<Outbox, {
  /** Joins the transaction of the caller, if there is one. A second entry of the same id changes nothing. */
  readonly enqueue: (entries: ReadonlyArray<OutboxEntry>) => Effect.Effect<void>
}>() {
  static readonly layer: Layer.Layer<Outbox, never, PreparedStatements> = Layer.effect(
    this,
    Effect.map(PreparedStatements, ({ execute }) =>
      Outbox.of({
        enqueue: (entries) =>
          entries.length === 0
            ? Effect.void
            : Effect.asVoid(Effect.orDie(execute(enqueue, [JSON.stringify(entries.map(outboxRowOf))])))
      }))
  )
}

/** As `insertEntries` reads it. */
export const outboxRowOf = ({ channel, files = [], id, kind, payload, recipient, taskId, userId }: OutboxEntry) => ({
  id,
  channel,
  recipient: storable(recipient),
  kind,
  user_id: userId,
  task_id: taskId,
  payload: storable(payload),
  ...(files.length === 0 ? {} : { files })
})

/** Inserts the entries that a function of `rows`, a JSON array, returns. */
export const insertEntries = (rows: string): string =>
  `insert into outbox (id, channel, recipient, kind, user_id, task_id, payload, files)
  select e.* from ${rows} as e(
    id uuid, channel text, recipient text, kind text, user_id text, task_id uuid, payload text, files text[])
  on conflict (id) do nothing returning 1`

const enqueue: Prepared = {
  name: "outbox_enqueue",
  text: `with added as (
  ${insertEntries("json_to_recordset($1::json)")}
)
select pg_notify('troupe_outbox', '') from (select from added limit 1) any_row`
}
