import type { SqlError } from "@effect/sql/SqlError"
import type { TaskId } from "@troupe/domain/Ids"
import { Array, Context, Duration, Effect, Layer, Option, Schema } from "effect"
import { type Prepared, PreparedStatements } from "../Runtime/PreparedStatements.ts"
import { storable } from "../Runtime/StorableText.ts"
import { timestamp } from "../Runtime/TimestampColumn.ts"
import { InboundId, type InboundMessage, InboundSource } from "./InboundMessage.ts"

export interface InboundClaim {
  readonly id: InboundId
  readonly type: string
  /** Fences the attempt: a later one has a higher number. */
  readonly attempt: number
  /** How often an outage has postponed it. */
  readonly postponed: number
  /** Since its arrival. */
  readonly age: Duration.Duration
}

interface ClaimOptions {
  readonly source: InboundSource
  readonly limit: number
  readonly lease: Duration.Duration
  readonly maxAttempts: number
  /** Types up to this one were considered by the claim before. */
  readonly after: string
  readonly exceptTypes: ReadonlyArray<string>
}

/** Rows of the queue as the consumers change them. Every change but the claim is fenced by the attempt. */
export class InboundRepo extends Context.Tag("troupe/Intake/InboundRepo")<InboundRepo, {
  /**
   * Takes due messages: of each type its share, oldest first, and none while an older one with its ordering key is
   * unfinished. A message whose attempts all ended without a result is failed. `next` is the `after` of the next claim.
   */
  readonly claim: (
    options: ClaimOptions
  ) => Effect.Effect<{ readonly claims: ReadonlyArray<InboundClaim>; readonly next: string }, SqlError>
  readonly read: (claim: InboundClaim) => Effect.Effect<Option.Option<InboundMessage>, SqlError>
  readonly renew: (claim: InboundClaim, lease: Duration.Duration) => Effect.Effect<boolean, SqlError>
  readonly finish: (claim: InboundClaim, taskId: TaskId | null) => Effect.Effect<boolean, SqlError>
  readonly retry: (claim: InboundClaim, error: string, pause: Duration.Duration) => Effect.Effect<boolean, SqlError>
  readonly fail: (claim: InboundClaim, error: string) => Effect.Effect<boolean, SqlError>
  /** Gives a message back as if it had not been claimed. */
  readonly release: (claim: InboundClaim, pause: Duration.Duration) => Effect.Effect<boolean, SqlError>
  /** As `release`, with the reason. */
  readonly postpone: (claim: InboundClaim, error: string, pause: Duration.Duration) => Effect.Effect<boolean, SqlError>
  readonly backlog: (
    source: InboundSource
  ) => Effect.Effect<{ readonly unfinished: number; readonly oldestSeconds: number }, SqlError>
}>() {
  static readonly layer: Layer.Layer<InboundRepo, never, PreparedStatements> = Layer.effect(
    this,
    Effect.map(PreparedStatements, ({ execute }) => {
      const changed = (statement: Prepared, { attempt, id }: InboundClaim, ...values: ReadonlyArray<unknown>) =>
        Effect.map(execute(statement, [id, attempt, ...values]), (rows) => rows.length > 0)
      return InboundRepo.of({
        claim: ({ after, exceptTypes, lease, limit, maxAttempts, source }) =>
          execute(claim, [source, limit, Duration.toSeconds(lease), maxAttempts, after, exceptTypes]).pipe(
            Effect.flatMap((rows) => Effect.orDie(decodeClaims(rows))),
            Effect.map((rows) => ({
              claims: Array.filterMap(rows, ({ age, attempt, id, postponed, type }) =>
                Option.all({
                  age: Option.map(Option.fromNullable(age), Duration.seconds),
                  postponed: Option.fromNullable(postponed),
                  attempt: Option.fromNullable(attempt),
                  id: Option.fromNullable(id),
                  type: Option.fromNullable(type)
                })),
              next: rows[0]?.next ?? ""
            }))
          ),
        read: ({ attempt, id }) =>
          execute(read, [id, attempt]).pipe(
            Effect.flatMap((rows) => Effect.orDie(decodeMessages(rows))),
            Effect.map(Array.head)
          ),
        renew: (message, lease) => changed(renew, message, Duration.toSeconds(lease)),
        finish: (message, taskId) => changed(finish, message, taskId),
        retry: (message, error, pause) => changed(retry, message, storable(error), Duration.toSeconds(pause)),
        fail: (message, error) => changed(fail, message, storable(error)),
        release: (message, pause) => changed(release, message, Duration.toSeconds(pause)),
        postpone: (message, error, pause) => changed(postpone, message, storable(error), Duration.toSeconds(pause)),
        backlog: (source) => Effect.flatMap(execute(backlog, [source]), (rows) => Effect.orDie(decodeBacklog(rows[0])))
      })
    })
  )
}

const decodeClaims = Schema.decodeUnknown(Schema.Array(Schema.Struct({
  id: Schema.NullOr(InboundId),
  type: Schema.NullOr(Schema.String),
  attempt: Schema.NullOr(Schema.Int),
  postponed: Schema.NullOr(Schema.Int),
  age: Schema.NullOr(Schema.Number),
  next: Schema.String
})))

const decodeMessages = Schema.decodeUnknown(Schema.Array(Schema.Struct({
  id: InboundId,
  source: InboundSource,
  type: Schema.String,
  deliveryId: Schema.NullOr(Schema.String),
  orderingKey: Schema.NullOr(Schema.String),
  body: Schema.Uint8ArrayFromSelf,
  headers: Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.String })),
  contentType: Schema.NullOr(Schema.String),
  url: Schema.String,
  sourceIp: Schema.NullOr(Schema.String),
  sender: Schema.NullOr(Schema.String),
  isVerified: Schema.Boolean,
  attempt: Schema.Int,
  receivedAt: Schema.String
})))

const decodeBacklog = Schema.decodeUnknown(
  Schema.Struct({ unfinished: Schema.Int, oldestSeconds: Schema.Number })
)

/** How many types one claim considers; the next claim goes on after them. */
const maxTypes = 64

/** The commit does not wait for the disk: a claim that the server loses in a crash leaves a message that is due again. */
const quickCommit = "(select set_config('synchronous_commit', 'off', true)) quick"

/** The walk over the types reads one entry of the index for each. */
const claim: Prepared = {
  name: "inbound_claim",
  text: `with recursive types as (
  (select type from inbound_messages where source = $1::text and due_at is not null and type > $5::text
   order by type limit 1)
  union all
  select n.type from types t cross join lateral (
    select type from inbound_messages where source = $1::text and due_at is not null and type > t.type
    order by type limit 1
  ) n
), considered as (
  select type from types limit ${maxTypes}
), allowed as (
  select type from considered where type <> all ($6::text[])
), due as materialized (
  select d.id, row_number() over (partition by a.type order by d.due_at, d.position) as turn
  from allowed a cross join lateral (
    select m.id, m.due_at, m.position from inbound_messages m
    where m.source = $1::text and m.type = a.type and m.due_at <= now()
      and (m.ordering_key is null or not exists (
        select from inbound_messages o
        where o.source = m.source and o.ordering_key = m.ordering_key and o.position < m.position and o.due_at is not null
      ))
    order by m.due_at, m.position
    limit (select greatest(1, ceil($2::integer / count(*)::float8))::integer from allowed)
    for update skip locked
  ) d
), chosen as materialized (
  select id from due order by turn, random() limit $2::integer
), given_up as (
  update inbound_messages m set state = 'failed', due_at = null, ended_at = now(), last_error = coalesce(m.last_error || ' ', '')
    || 'Processing ended ' || m.attempts || ' times without a result, the last time with its process.'
  from chosen c where m.id = c.id and m.attempts >= $4::integer
), claimed as (
  update inbound_messages m
  set state = 'processing', attempts = m.attempts + 1, due_at = now() + $3::float8 * interval '1 second'
  from chosen c where m.id = c.id and m.attempts < $4::integer
  returning m.id, m.type, m.attempts, m.postponed, extract(epoch from now() - m.received_at)::float8 as age
)
select c.id::text, c.type, c.attempts::integer as attempt, c.postponed::integer as postponed, c.age, w.next
from (select case when count(*) = ${maxTypes} then max(type) else '' end as next from considered) w
cross join ${quickCommit}
left join claimed c on true`
}

const read: Prepared = {
  name: "inbound_read",
  text: `select id::text, source, type, delivery_id as "deliveryId", ordering_key as "orderingKey", body, headers,
  content_type as "contentType", url, source_ip as "sourceIp", sender,
  is_verified as "isVerified", attempts::integer as attempt,
  ${timestamp("received_at", "\"receivedAt\"")}
from inbound_messages where id = $1::uuid and attempts = $2::smallint and state = 'processing' and body is not null`
}

const fenced = "where id = $1::uuid and attempts = $2::smallint and state = 'processing' returning 1"

const renew: Prepared = {
  name: "inbound_renew",
  text: `update inbound_messages set due_at = now() + $3::float8 * interval '1 second' ${fenced}`
}

/** What a person wrote in the chat is with its task, and not kept twice. */
const finish: Prepared = {
  name: "inbound_finish",
  text:
    `update inbound_messages set state = 'done', due_at = null, ended_at = now(), last_error = null, task_id = $3::uuid,
  body = case when source = 'chat' then null else body end,
  ordering_key = case when source = 'chat' then null else ordering_key end, sender = null
${fenced}`
}

const retry: Prepared = {
  name: "inbound_retry",
  text: `update inbound_messages
set state = 'pending', due_at = now() + $4::float8 * interval '1 second', last_error = $3::text
${fenced}`
}

const fail: Prepared = {
  name: "inbound_fail",
  text: `update inbound_messages set state = 'failed', due_at = null, ended_at = now(), last_error = $3::text
${fenced}`
}

const release: Prepared = {
  name: "inbound_release",
  text: `update inbound_messages
set state = 'pending', attempts = attempts - 1, due_at = now() + $3::float8 * interval '1 second'
${fenced}`
}

const postpone: Prepared = {
  name: "inbound_postpone",
  text: `update inbound_messages
set state = 'pending', attempts = attempts - 1, postponed = least(postponed + 1, 1000), last_error = $3::text,
  due_at = now() + $4::float8 * interval '1 second'
${fenced}`
}

const backlog: Prepared = {
  name: "inbound_backlog",
  text: `select count(*)::integer as unfinished,
  coalesce(extract(epoch from now() - min(received_at)), 0)::float8 as "oldestSeconds"
from inbound_messages where source = $1::text and due_at is not null`
}
