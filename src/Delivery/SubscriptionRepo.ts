import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import type { TaskId, UserId } from "@troupe/domain/Ids"
import type { OutboxId } from "@troupe/domain/Outbox"
import {
  maxSubscriptions,
  Subscription,
  SubscriptionDelivery,
  type SubscriptionId,
  SubscriptionScope
} from "@troupe/domain/Subscription"
import { Role } from "@troupe/domain/User"
import { Array, Effect, Option, Schema } from "effect"
import { dueAgain } from "../Queue/QueueTable.ts"
import { asService } from "../Runtime/Database/Isolation.ts"
import { idBefore, type PageRequest } from "../Runtime/Database/Page.ts"
import { rowsOf, theRow } from "../Runtime/Database/Query.ts"
import { storable } from "../Runtime/Database/StorableText.ts"
import { timestamp } from "../Runtime/Database/TimestampColumn.ts"
import { Sealed } from "../Runtime/Sealing.ts"
import { outboxTable, sentAt } from "./Outbox.ts"

export interface NewSubscription extends Pick<Subscription, "events" | "id" | "tasks" | "url"> {
  readonly userId: UserId
  readonly secret: Sealed
}

const Secret = Schema.parseJson(Sealed)
const secretText = Schema.encodeSync(Secret)

/** The current role of a user in the team; system users count as members. Null: the user is no member. */
const OwnerRole = Schema.NullOr(Role)

const SubscriptionTarget = Schema.Struct({
  url: Schema.String,
  secret: Secret,
  disabledReason: Schema.NullOr(Schema.String),
  tasks: SubscriptionScope,
  ownerRole: OwnerRole,
  /** Whether its user is now the creator or assignee of the event's task. */
  isOwnTask: Schema.Boolean
})
export type SubscriptionTarget = typeof SubscriptionTarget.Type

/** Why no events of these tasks go to a user of a team; null: they do. */
export const whyNotServed = (ownerRole: typeof OwnerRole.Type, tasks: typeof SubscriptionScope.Type): string | null =>
  ownerRole === null
    ? "its user is not a member of the team"
    : tasks === "all" && ownerRole === "member"
    ? "its user is no owner or admin, and only those receive the events of all tasks"
    : null

const subscriptions = rowsOf(Subscription)
const targets = rowsOf(SubscriptionTarget)
const owners = rowsOf(Schema.Struct({ role: OwnerRole }))
const deliveries = rowsOf(SubscriptionDelivery)

const deliveryColumns = `o.id::text, o.kind as event, o.task_id::text,
  case o.state when 'sending' then 'pending' else o.state end as state, o.attempts, o.last_error,
  ${timestamp("o.created_at", "created_at")}, ${timestamp(sentAt("o"), "sent_at")}`

const columns = `s.id::text, s.user_id, s.url, s.events, s.tasks,
  s.disabled_reason is null as active, s.disabled_reason,
  ${timestamp("s.created_at", "created_at")}, (
    select to_json(d) from (
      select ${deliveryColumns} from outbox o
      where o.channel = 'webhook' and o.recipient = s.id::text order by o.id desc limit 1
    ) d
  ) as last_delivery, (
    select ${timestamp("o.created_at", "at")} from outbox o
    where o.channel = 'webhook' and left(o.recipient, 200) = s.id::text and o.due_at is not null order by o.id limit 1
  ) as oldest_pending_at`

/** Subscriptions, and their deliveries in the outbox. An unreachable database is a defect. */
export const makeSubscriptionRepo = Effect.map(SqlClient.SqlClient, (sql) => {
  const shown = sql.literal(columns)
  const delivered = sql.literal(deliveryColumns)

  const roleOf = (userId: Fragment) =>
    sql`coalesce((select m.role from team_members m where m.user_id = ${userId}),
    (select 'member' from users u where u.id = ${userId} and u.is_system))`

  /** One at a time, so that requests at the same time can't pass the limit. */
  const serialized = (userId: UserId) =>
    sql`select pg_advisory_xact_lock(hashtext('subscriptions'), hashtext(${userId}))`

  return {
    /** False: the user has as many as there may be. */
    insert: ({ events, id, secret, tasks, url, userId }: NewSubscription) =>
      serialized(userId).pipe(
        Effect.zipRight(sql`insert into subscriptions (id, user_id, url, events, tasks, secret)
select ${id}::uuid, ${userId}, ${url}, ${[...events]}::text[], ${tasks}, ${secretText(secret)}
where (select count(*) from subscriptions where user_id = ${userId}) < ${maxSubscriptions}
returning 1`),
        sql.withTransaction,
        Effect.map(({ length }) => length > 0),
        Effect.orDie
      ),
    list: (userId: Option.Option<UserId>, { cursor, limit }: PageRequest<SubscriptionId>) => {
      const owner = Option.getOrNull(userId)
      return subscriptions(sql`select ${shown} from subscriptions s
where s.id < ${
        idBefore(cursor)
      }::uuid and (${owner}::text is null or s.user_id = ${owner}) order by s.id desc limit ${limit}`)
    },
    find: (id: SubscriptionId) =>
      Effect.map(subscriptions(sql`select ${shown} from subscriptions s where s.id = ${id}::uuid`), Array.head),
    /** With its deliveries. */
    remove: (id: SubscriptionId) =>
      sql`with removed as (
  delete from subscriptions where id = ${id}::uuid returning id
), deliveries_removed as (
  delete from outbox o using removed r where o.channel = 'webhook' and o.recipient = r.id::text
)
select from removed`.pipe(Effect.map(({ length }) => length > 0), Effect.orDie),
    resume: (id: SubscriptionId) =>
      Effect.orDie(Effect.asVoid(sql`update subscriptions set disabled_reason = null where id = ${id}::uuid`)),
    /** Its queued deliveries fail. */
    disable: (id: SubscriptionId, reason: string) =>
      Effect.orDie(Effect.asVoid(
        sql`with disabled as (
  update subscriptions set disabled_reason = ${storable(reason)}
  where id = ${id}::uuid and disabled_reason is null returning disabled_reason
)
update outbox o set state = 'failed', due_at = null, ended_at = now(), last_error = 'The subscription is not active: ' || d.disabled_reason
from disabled d
where o.channel = 'webhook' and left(o.recipient, 200) = ${id} and o.recipient = ${id} and o.due_at is not null and o.state = 'pending'`
      )),
    /** Where an event of the task goes; null: an event of none. */
    target: (id: SubscriptionId, taskId: TaskId | null) =>
      Effect.map(
        targets(sql`select s.url, s.secret, s.disabled_reason as "disabledReason", s.tasks,
  ${roleOf(sql`s.user_id`)} as "ownerRole",
  t.id is null or s.user_id = t.creator or s.user_id is not distinct from t.assignee as "isOwnTask"
from subscriptions s left join tasks t on t.id = ${taskId}::uuid where s.id = ${id}::uuid`),
        Array.head
      ),
    ownerRole: (userId: UserId) =>
      asService(Effect.map(theRow(owners(sql`select ${roleOf(sql`${userId}`)} as role`)), ({ role }) => role)),
    deliveries: (id: SubscriptionId, { cursor, limit }: PageRequest<OutboxId>) =>
      deliveries(sql`select ${delivered} from outbox o
where o.channel = 'webhook' and o.recipient = ${id} and o.id < ${idBefore(cursor)}::uuid
order by o.id desc limit ${limit}`),
    delivery: (id: SubscriptionId, delivery: OutboxId) =>
      Effect.map(
        deliveries(sql`select ${delivered} from outbox o
where o.channel = 'webhook' and o.recipient = ${id} and o.id = ${delivery}::uuid`),
        Array.head
      ),
    /** Makes a delivery that is not being sent at the moment due now. */
    replay: (id: SubscriptionId, delivery: OutboxId) =>
      Effect.orDie(Effect.asVoid(
        sql`with replayed as (
  update outbox set ${sql.literal(dueAgain(outboxTable))}
  where channel = 'webhook' and recipient = ${id} and id = ${delivery}::uuid and state <> 'sending' returning id
)
select pg_notify('troupe_outbox', '') from replayed`
      ))
  }
})
