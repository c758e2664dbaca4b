import { OutboxId, OutboxMessage } from "@troupe/domain/Outbox"
import { Context, Effect, Layer, Schema, Struct } from "effect"
import { v7 } from "uuid"
import type { QueueTable } from "../Queue/QueueTable.ts"
import { type Prepared, PreparedStatements } from "../Runtime/Database/PreparedStatements.ts"
import { storable } from "../Runtime/Database/StorableText.ts"

/** A row of the outbox, as its channel claims it. */
export const OutboxRow = Schema.Struct({
  ...Struct.pick(OutboxMessage.fields, "id", "channel", "recipient", "kind", "user_id", "task_id", "notification_id"),
  /** What to send, as the channel's own JSON; null: a notification. */
  payload: Schema.NullOr(Schema.String),
  /** What an earlier attempt has kept for this one. */
  progress: Schema.NullOr(Schema.String)
}).annotations({ identifier: "OutboxRow" })
export type OutboxRow = typeof OutboxRow.Type

export const outboxTable: QueueTable = {
  name: "outbox",
  queue: "channel",
  claimed: "sending",
  done: "sent",
  since: "created_at",
  // Recipients that share 200 characters count as one.
  lane: "left(recipient, 200)",
  key: "ordered_by",
  position: "id",
  handsOver: true,
  columns: "m.channel, m.recipient, m.kind, m.user_id, m.task_id::text, m.notification_id::text, m.payload, m.progress"
}

/** When a message was sent, of the row `name`. */
export const sentAt = (name: string): string => `case when ${name}.state = 'sent' then ${name}.ended_at end`

/** A message with content of its own. The recipient is an address on the channel, or the `reply_to` of a task. */
export interface OutboxEntry extends Omit<OutboxRow, "notification_id" | "progress"> {
  readonly payload: string
  /** Digests of the copies that the payload refers to. */
  readonly files?: ReadonlyArray<string>
}

/** The types of its columns. */
const entryTypes: Readonly<Record<keyof OutboxEntry, string>> = {
  id: "uuid",
  channel: "text",
  recipient: "text",
  kind: "text",
  user_id: "text",
  task_id: "uuid",
  payload: "text",
  files: "text[]"
}

/** Later ids of this process are greater, also within a millisecond: messages to one recipient leave in their order. */
export const newOutboxId: Effect.Effect<OutboxId> = Effect.sync(() => OutboxId.make(v7()))

/** Messages to send. Those of notifications are added by the statements that insert these (`sendNotifications`). */
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
            : Effect.asVoid(Effect.orDie(execute(enqueue, [JSON.stringify(entries.map(storableEntry))])))
      }))
  )
}

/** As `insertEntries` reads it. */
export const storableEntry = ({ files = [], payload, recipient, ...entry }: OutboxEntry): OutboxEntry => ({
  ...entry,
  recipient: storable(recipient),
  payload: storable(payload),
  ...(files.length === 0 ? {} : { files })
})

/** Inserts the entries that a function of `rows`, a JSON array, returns. */
export const insertEntries = (rows: string): string =>
  `insert into outbox (${Object.keys(entryTypes).join(", ")})
  select e.* from ${rows} as e(${Object.entries(entryTypes).map((column) => column.join(" ")).join(", ")})
  on conflict (id) do nothing returning 1`

/** Queues the messages of the notifications that a statement has inserted: `rows` has their id, user_id and task_id. */
export const sendNotifications = (rows: string): string =>
  `select send_notifications(array_agg(n.id), array_agg(n.user_id), array_agg(n.task_id)) from ${rows} n having count(*) > 0`

interface EventFacts {
  readonly task: string
  readonly at: string
  readonly seq: string
  readonly status: string
  readonly question: string
  readonly error: string
}

/** The SQL of an event's facts in columns of these names. */
export const eventFacts = (row: string): EventFacts => ({
  task: `${row}.task_id`,
  at: `${row}.at`,
  seq: `${row}.seq`,
  status: `${row}.status`,
  question: `${row}.question`,
  error: `${row}.error`
})

/** An expression that queues the event for its subscriptions. Without any, it costs one look at an empty table. */
export const publishEvent = (event: string, { at, error, question, seq, status, task }: EventFacts): string =>
  `case when (select has_subscriptions()) then (
    select publish_event(${event}, t.id, array[t.creator, t.assignee], ${at}, ${seq}, ${status}, ${question}, ${error})
    from tasks t where t.id = ${task} and t.task_type = 'task'
  ) end`

/** Whether this message of the outbox has the question of a task's step. */
export const asksInChat = (message: string, task: string, seq: string): string =>
  `${message}.task_id = ${task} and ${message}.channel = 'chat' and ${message}.kind = 'notification'
    and ${message}.notification_id is not null
    and substr(${message}.notification_id::text, 16, 3) = lpad(to_hex((${seq}) % 4096), 3, '0')`

/**
 * Queues, for each chat message with the question that `hit` answers, a message that replaces its buttons by the answer
 * (`ChatAnswers`). The question is the step before `hit`. The id derives from the notification's, as `outbox_id` does.
 */
export const answersShown = (by: string, answer: string): string => `
  insert into outbox (id, channel, recipient, kind, user_id, task_id, payload)
  select overlay(o.notification_id::text placing 'b' from 20 for 1)::uuid, 'chat', o.recipient, 'answered', o.user_id,
    o.task_id, json_build_object('question', o.id, 'by', ${by}, 'answer', ${answer})::text
  from hit join outbox o on ${asksInChat("o", "hit.task_id", "hit.seq - 1")}
  on conflict (id) do nothing returning pg_notify('troupe_outbox', '') is null`

const enqueue: Prepared = {
  name: "outbox_enqueue",
  text: `with added as (
  ${insertEntries("json_to_recordset($1::json)")}
)
select pg_notify('troupe_outbox', '') from (select from added limit 1) any_row`
}
