import * as SqlClient from "@effect/sql/SqlClient"
import * as SqlSchema from "@effect/sql/SqlSchema"
import { UserId } from "@troupe/domain/Ids"
import { OutboxId } from "@troupe/domain/Outbox"
import {
  maxSubscriptions,
  type Subscription,
  SubscriptionDelivery,
  SubscriptionEvent,
  SubscriptionId,
  SubscriptionScope
} from "@troupe/domain/Subscription"
import { Timestamp } from "@troupe/domain/Task"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { Sealed } from "../Runtime/Sealing.ts"
import { storable } from "../Runtime/StorableText.ts"
import { timestamp } from "../Runtime/TimestampColumn.ts"

export interface SubscriptionPage<Id> {
  readonly limit: number
  readonly cursor: Option.Option<Id>
}

const NewSubscription = Schema.Struct({
  id: SubscriptionId,
  userId: UserId,
  url: Schema.String,
  events: Schema.Array(SubscriptionEvent),
  tasks: SubscriptionScope,
  secret: Schema.parseJson(Sealed)
})
export type NewSubscription = typeof NewSubscription.Type

const Target = Schema.Struct({
  url: Schema.String,
  secret: Schema.parseJson(Sealed),
  disabledReason: Schema.NullOr(Schema.String)
})
export type Target = typeof Target.Type

/** Subscriptions, and their deliveries in the outbox. An unreachable database is a defect. */
export class SubscriptionRepo extends Context.Tag("troupe/Delivery/SubscriptionRepo")<SubscriptionRepo, {
  /** False: the user has as many as there may be. */
  readonly insert: (subscription: NewSubscription) => Effect.Effect<boolean>
  readonly list: (
    userId: Option.Option<UserId>,
    page: SubscriptionPage<SubscriptionId>
  ) => Effect.Effect<ReadonlyArray<Subscription>>
  readonly find: (id: SubscriptionId) => Effect.Effect<Option.Option<Subscription>>
  /** With its deliveries. */
  readonly remove: (id: SubscriptionId) => Effect.Effect<boolean>
  readonly resume: (id: SubscriptionId) => Effect.Effect<void>
  /** Its queued deliveries fail. */
  readonly disable: (id: SubscriptionId, reason: string) => Effect.Effect<void>
  readonly target: (id: SubscriptionId) => Effect.Effect<Option.Option<Target>>
  readonly deliveries: (
    id: SubscriptionId,
    page: SubscriptionPage<OutboxId>
  ) => Effect.Effect<ReadonlyArray<SubscriptionDelivery>>
  readonly delivery: (id: SubscriptionId, delivery: OutboxId) => Effect.Effect<Option.Option<SubscriptionDelivery>>
  /** Makes a delivery that is not being sent at the moment due now. */
  readonly replay: (id: SubscriptionId, delivery: OutboxId) => Effect.Effect<void>
}>() {
  static readonly layer: Layer.Layer<SubscriptionRepo, never, SqlClient.SqlClient> = Layer.effect(
    this,
    Effect.map(SqlClient.SqlClient, makeRepo)
  )
}

const Row = Schema.Struct({
  id: SubscriptionId,
  user_id: UserId,
  url: Schema.String,
  events: Schema.Array(SubscriptionEvent),
  tasks: SubscriptionScope,
  disabled_reason: Schema.NullOr(Schema.String),
  created_at: Timestamp,
  last_delivery: Schema.NullOr(SubscriptionDelivery)
})

const subscriptionOf = (row: typeof Row.Type): Subscription => ({ ...row, active: row.disabled_reason === null })

const last = "ffffffff-ffff-ffff-ffff-ffffffffffff"

const deliveryColumns = `o.id::text, o.kind as event, o.task_id::text,
  case o.state when 'sending' then 'pending' else o.state end as state, o.attempts, o.last_error,
  ${timestamp("o.created_at", "created_at")}, ${timestamp("o.sent_at", "sent_at")}`

const columns = `s.id::text, s.user_id, s.url, s.events, s.tasks, s.disabled_reason,
  ${timestamp("s.created_at", "created_at")}, (
    select to_json(d) from (
      select ${deliveryColumns} from outbox o
      where o.channel = 'webhook' and o.recipient = s.id::text order by o.id desc limit 1
    ) d
  ) as last_delivery`

function makeRepo(sql: SqlClient.SqlClient): SubscriptionRepo["Type"] {
  const shown = sql.literal(columns)
  const delivered = sql.literal(deliveryColumns)

  const insert = SqlSchema.findOne({
    Request: NewSubscription,
    Result: Schema.Struct({ id: Schema.String }),
    execute: ({ events, id, secret, tasks, url, userId }) =>
      sql`insert into subscriptions (id, user_id, url, events, tasks, secret)
select ${id}::uuid, ${userId}, ${url}, ${[...events]}::text[], ${tasks}, ${secret}
where (select count(*) from subscriptions where user_id = ${userId}) < ${maxSubscriptions}
returning id::text`
  })

  const list = SqlSchema.findAll({
    Request: Schema.Struct({ userId: Schema.NullOr(UserId), before: Schema.String, limit: Schema.Int }),
    Result: Row,
    execute: ({ before, limit, userId }) =>
      sql`select ${shown} from subscriptions s
where s.id < ${before}::uuid and (${userId}::text is null or s.user_id = ${userId}) order by s.id desc limit ${limit}`
  })

  const find = SqlSchema.findOne({
    Request: SubscriptionId,
    Result: Row,
    execute: (id) => sql`select ${shown} from subscriptions s where s.id = ${id}::uuid`
  })

  const remove = SqlSchema.findOne({
    Request: SubscriptionId,
    Result: Schema.Struct({ id: Schema.String }),
    execute: (id) =>
      sql`with removed as (
  delete from subscriptions where id = ${id}::uuid returning id
), deliveries_removed as (
  delete from outbox o using removed r where o.channel = 'webhook' and o.recipient = r.id::text
)
select id::text from removed`
  })

  const target = SqlSchema.findOne({
    Request: SubscriptionId,
    Result: Target,
    execute: (id) =>
      sql`select url, secret, disabled_reason as "disabledReason" from subscriptions where id = ${id}::uuid`
  })

  const deliveries = SqlSchema.findAll({
    Request: Schema.Struct({ id: SubscriptionId, before: Schema.String, limit: Schema.Int }),
    Result: SubscriptionDelivery,
    execute: ({ before, id, limit }) =>
      sql`select ${delivered} from outbox o
where o.channel = 'webhook' and o.recipient = ${id} and o.id < ${before}::uuid order by o.id desc limit ${limit}`
  })

  const delivery = SqlSchema.findOne({
    Request: Schema.Struct({ id: SubscriptionId, delivery: OutboxId }),
    Result: SubscriptionDelivery,
    execute: ({ delivery, id }) =>
      sql`select ${delivered} from outbox o
where o.channel = 'webhook' and o.recipient = ${id} and o.id = ${delivery}::uuid`
  })

  /** One at a time, so that requests at the same time can't pass the limit. */
  const serialized = (userId: UserId) =>
    sql`select pg_advisory_xact_lock(hashtext('subscriptions'), hashtext(${userId}))`

  return SubscriptionRepo.of({
    insert: (subscription) =>
      sql.withTransaction(Effect.zipRight(serialized(subscription.userId), insert(subscription))).pipe(
        Effect.map(Option.isSome),
        Effect.orDie
      ),
    list: (userId, { cursor, limit }) =>
      list({ userId: Option.getOrNull(userId), before: Option.getOrElse(cursor, () => last), limit }).pipe(
        Effect.map((rows) => rows.map(subscriptionOf)),
        Effect.orDie
      ),
    find: (id) => Effect.orDie(Effect.map(find(id), Option.map(subscriptionOf))),
    remove: (id) => Effect.orDie(Effect.map(remove(id), Option.isSome)),
    resume: (id) =>
      Effect.orDie(Effect.asVoid(sql`update subscriptions set disabled_reason = null where id = ${id}::uuid`)),
    disable: (id, reason) =>
      Effect.orDie(Effect.asVoid(
        sql`with disabled as (
  update subscriptions set disabled_reason = ${storable(reason)}
  where id = ${id}::uuid and disabled_reason is null returning disabled_reason
)
update outbox o set state = 'failed', last_error = 'The subscription is not active: ' || d.disabled_reason
from disabled d
where o.channel = 'webhook' and left(o.recipient, 200) = ${id} and o.recipient = ${id} and o.state = 'pending'`
      )),
    target: (id) => Effect.orDie(target(id)),
    deliveries: (id, { cursor, limit }) =>
      Effect.orDie(deliveries({ id, before: Option.getOrElse(cursor, () => last), limit })),
    delivery: (id, key) => Effect.orDie(delivery({ id, delivery: key })),
    replay: (id, key) =>
      Effect.orDie(Effect.asVoid(
        sql`with replayed as (
  update outbox set state = 'pending', attempts = 0, next_attempt_at = now(), sent_at = null, handed_over = false
  where channel = 'webhook' and recipient = ${id} and id = ${key}::uuid and state <> 'sending' returning id
)
select pg_notify('troupe_outbox', '') from replayed`
      ))
  })
}
