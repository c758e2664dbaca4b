import { OutboxId, OutboxMessage } from "@troupe/domain/Outbox"
import { Context, Effect, Layer, Schema, Struct } from "effect"
import { v7 } from "uuid"
import type { QueueTable } from "../Queue/QueueTable.ts"
import { prepared, PreparedStatements } from "../Runtime/Database/PreparedStatements.ts"
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
            : Effect.asVoid(Effect.orDie(execute(enqueue({ entries: JSON.stringify(entries.map(storableEntry)) }))))
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

/** The id, on a way with this mark, of the message for a notification. */
export const messageId = (notification: string, mark: string): string =>
  `overlay(${notification}::text placing ${mark} from 20 for length(${mark}))::uuid`

/**
 * Queues the messages of notifications, as common table expressions: `rows` has their id, user_id, task_id and `messages`
 * (`Notice`). The outbox is notified by `outboxSignal("messages")`.
 */
export const sendNotifications = (rows: string): string =>
  `, addressed as (
  select n.id, n.user_id, n.task_id, m.* from ${rows} n cross join lateral json_to_recordset(n.messages) as m(
    channel text, recipient text, mark text, takes_reply boolean)
), replies_taken as (
  update tasks t set replies_left = t.replies_left - 1
  where t.id = any(array(select task_id from addressed where takes_reply)) and t.replies_left > 0 returning t.id
), messages as (
  insert into outbox (id, channel, recipient, kind, user_id, task_id, notification_id)
  select ${messageId("a.id", "a.mark")}, a.channel, a.recipient, 'notification', a.user_id, a.task_id, a.id
  from addressed a where not a.takes_reply or a.task_id in (select id from replies_taken)
  on conflict (id) do nothing returning 1
)`

/** An expression that notifies the outbox if the rows named are any. */
export const outboxSignal = (rows: "events" | "messages" | "outgoing"): string =>
  `(select pg_notify('troupe_outbox', '') from (select from ${rows} limit 1) any_row)`

/** The recipient of an event that is not queued for each of its subscriptions yet. */
export const allSubscriptions = "all"

/** An event of tasks: SQL expressions on `from`. */
interface PublishedEvent {
  readonly event: string
  /** What it is published for, with `where`. */
  readonly from: string
  readonly task: string
  readonly creator: string
  readonly assignee: string
  readonly at: string
  readonly seq: string
  readonly status: string
  readonly question: string
  readonly error: string
}

/** The SQL of an event's facts in columns of these names, and of its task `t`. */
export const eventFacts = (row: string) => ({
  task: `${row}.task_id`,
  at: `${row}.at`,
  seq: `${row}.seq`,
  status: `${row}.status`,
  question: `${row}.question`,
  error: `${row}.error`
})

/** For events of rows with `task_id`: joins the tasks that have events. */
export const withTask = (
  rows: string,
  row: string,
  condition = "true"
): Pick<PublishedEvent, "assignee" | "creator" | "from"> => ({
  creator: "t.creator",
  assignee: "t.assignee",
  from: `${rows} cross join lateral (select * from tasks where id = ${row}.task_id limit 1) t
  where t.task_type = 'task' and ${condition}`
})

/**
 * Queues events to which somebody is subscribed as one message each to all subscriptions (`WebhookChannel` makes theirs), as
 * a common table expression. Most services have no subscription: then it costs one look at an empty table for each event.
 */
export const publishEvents = (
  { assignee, at, creator, error, event, from, question, seq, status, task }: PublishedEvent
): string =>
  `insert into outbox (id, channel, recipient, kind, user_id, task_id, payload)
  select notification_id(${at}, ${task}, coalesce(${seq}, 0),
    -- A task is cancelled and archived at the same step.
    case ${event} when 'task.archived' then 2048 else 0 end), 'webhook', '${allSubscriptions}', ${event}, ${creator}, ${task},
    json_build_object('at', to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'seq', ${seq},
      'facts', json_build_object('status', ${status}, 'question', ${question}, 'error', ${error}))::text
  from ${from} and is_subscribed(${event}, array[${creator}, ${assignee}])
  on conflict (id) do nothing returning 1`

/** Whether this message of the outbox has the question of a task's step. */
export const asksInChat = (message: string, task: string, seq: string): string =>
  `${message}.task_id = ${task} and ${message}.channel = 'chat' and ${message}.kind = 'notification'
    and ${message}.notification_id is not null
    and substr(${message}.notification_id::text, 16, 3) = lpad(to_hex((${seq}) % 4096), 3, '0')`

/**
 * Queues, for each chat message with the question that `hit` answers, a message that replaces its buttons by the answer
 * (`ChatAnswers`). The question is the step before `hit`, unless `question` is the number of another one. The id derives from the
 * notification's (`deliveryWays`); a question that is decided in part has a message for each decision, with the id `each`.
 */
export const answersShown = (
  by: string,
  answer: string,
  { each, from = "hit", question = "hit.seq - 1" }: {
    readonly each?: string
    readonly from?: string
    readonly question?: string
  } = {}
): string => `
  insert into outbox (id, channel, recipient, kind, user_id, task_id, payload)
  select ${each ?? messageId("o.notification_id", "'b'")}, 'chat', o.recipient, 'answered', o.user_id,
    o.task_id, json_build_object('question', o.id, 'by', ${by}, 'answer', ${answer})::text
  from ${from} join outbox o on ${asksInChat("o", "hit.task_id", question)}
  on conflict (id) do nothing returning pg_notify('troupe_outbox', '') is null`

const enqueue = prepared(
  "outbox_enqueue",
  ["entries"],
  `with added as (
  ${insertEntries("json_to_recordset($entries::json)")}
)
select pg_notify('troupe_outbox', '') from (select from added limit 1) any_row`
)

/**
 * Replaces events that are being sent by a message for each subscription to them: active, and as old as the event. The ids are the
 * same whenever they are made. None where the task was deleted.
 */
export const expanded = prepared(
  "outbox_expand",
  ["ids", "epochs"],
  `with taken as (
  delete from outbox o using unnest($ids::uuid[], $epochs::integer[]) as c (id, epoch)
  where o.id = c.id and o.epoch = c.epoch and o.state = 'sending' returning o.*
), added as (
  insert into outbox (id, channel, recipient, kind, user_id, task_id, payload)
  select (left(e.id::text, 24) || left(encode(sha256(convert_to(e.id::text || ' ' || s.id::text, 'UTF8')), 'hex'), 12))::uuid,
    e.channel, s.id::text, e.kind, s.user_id, e.task_id, e.payload
  from taken e join tasks t on t.id = e.task_id join subscriptions s on s.created_at <= e.created_at
  where s.disabled_reason is null and e.kind = any(s.events)
    and (s.tasks = 'all' or s.user_id = t.creator or s.user_id is not distinct from t.assignee)
  on conflict (id) do nothing returning 1
)
select pg_notify('troupe_outbox', '') from (select from added limit 1) any_row`
)
