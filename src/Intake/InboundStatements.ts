import type { Prepared } from "../Runtime/Database/PreparedStatements.ts"
import { inboundColumns } from "./InboundMessage.ts"

/** How many types and how many keys one claim considers; the next claim goes on with those after them. */
const maxTypes = 64
const maxKeys = 256

/** The commit does not wait for the disk: a claim that the server loses in a crash leaves a message that is due again. */
const quickCommit = "(select set_config('synchronous_commit', 'off', true)) quick"

/**
 * Due messages without a key by type, and the oldest unfinished one of each key, if it is due. Reads one index entry
 * for each type and key.
 */
export const claim: Prepared = {
  name: "inbound_claim",
  text: `with recursive types as (
  (select type from inbound_messages where source = $1::text and due_at is not null and type >= $5::text
   order by type limit 1)
  union all
  select n.type from types t cross join lateral (
    select type from inbound_messages where source = $1::text and due_at is not null and type > t.type
    order by type limit 1
  ) n
), heads as (
  (select ordering_key, id, type, due_at, position from inbound_messages
   where source = $1::text and due_at is not null and ordering_key >= $6::text
   order by ordering_key, position limit 1)
  union all
  select n.* from heads h cross join lateral (
    select ordering_key, id, type, due_at, position from inbound_messages
    where source = $1::text and due_at is not null and ordering_key > h.ordering_key
    order by ordering_key, position limit 1
  ) n
), walked_types as materialized (
  select type from types limit ${maxTypes} + 1
), walked_keys as materialized (
  select * from heads limit ${maxKeys} + 1
), allowed as (
  select type from (select type from walked_types limit ${maxTypes}) t where type <> all ($7::text[])
), unordered as materialized (
  select d.id, a.type, d.due_at, d.position from allowed a cross join lateral (
    select m.id, m.due_at, m.position from inbound_messages m
    where m.source = $1::text and m.type = a.type and m.ordering_key is null and m.due_at <= now()
    order by m.ordering_key, m.due_at, m.position
    limit (select greatest(1, ceil($2::integer / count(*)::float8))::integer from allowed)
    for update skip locked
  ) d
), ordered as materialized (
  select d.id, h.type, h.due_at, h.position from (
    select k.* from (select * from walked_keys limit ${maxKeys}) k
    where k.due_at <= now() and k.type <> all ($7::text[])
    order by row_number() over (partition by k.type order by k.due_at, k.position)
  ) h cross join lateral (
    select m.id from inbound_messages m where m.id = h.id and m.due_at <= now() limit 1 for update skip locked
  ) d limit $2::integer
), due as (
  select id, row_number() over (partition by type order by due_at, position) as turn
  from (select * from unordered union all select * from ordered) d
), chosen as materialized (
  select id from due order by turn, random() limit $2::integer
), exhausted as (
  update inbound_messages m set state = 'failed', due_at = null, ended_at = now(), last_error = coalesce(m.last_error || ' ', '')
    || 'Processing ended ' || m.attempts || ' times without a result, the last time with its process.'
  from chosen c where m.id = c.id and m.attempts >= $4::integer
), claimed as (
  update inbound_messages m
  set state = 'processing', attempts = m.attempts + 1, due_at = now() + $3::float8 * interval '1 second'
  from chosen c where m.id = c.id and m.attempts < $4::integer
  returning m.id, m.type, m.attempts, m.postponed, extract(epoch from now() - m.received_at)::float8 as age
)
select c.id::text, c.type, c.attempts::integer as attempt, c.postponed::integer as postponed, c.age as "ageSeconds",
  (select type from walked_types offset ${maxTypes}) as "nextType",
  (select ordering_key from walked_keys offset ${maxKeys}) as "nextKey"
from ${quickCommit}
left join claimed c on true`
}

export const read: Prepared = {
  name: "inbound_read",
  text: `select ${inboundColumns} from inbound_messages
where id = $1::uuid and attempts = $2::smallint and state = 'processing' and body is not null`
}

const fenced = "where id = $1::uuid and attempts = $2::smallint and state = 'processing' returning 1"

export const renew: Prepared = {
  name: "inbound_renew",
  text: `update inbound_messages set due_at = now() + $3::float8 * interval '1 second' ${fenced}`
}

export const finish: Prepared = {
  name: "inbound_finish",
  text:
    `update inbound_messages set state = 'done', due_at = null, ended_at = now(), last_error = null, task_id = $3::uuid,
  body = case when $4::boolean then body end, ordering_key = case when $4::boolean then ordering_key end, sender = null
${fenced}`
}

export const fail: Prepared = {
  name: "inbound_fail",
  text: `update inbound_messages set state = 'failed', due_at = null, ended_at = now(), last_error = $3::text
${fenced}`
}

/** Makes it due again. `$5`: whether the attempt does not count (0 or 1); `$6`: whether an outage is the reason. */
export const retry: Prepared = {
  name: "inbound_retry",
  text: `update inbound_messages
set state = 'pending', due_at = now() + $3::float8 * interval '1 second', last_error = coalesce($4::text, last_error),
  attempts = attempts - $5::integer, postponed = least(postponed + $6::integer, 1000)
${fenced}`
}

export const backlog: Prepared = {
  name: "inbound_backlog",
  text: `select count(*)::integer as unfinished,
  coalesce(extract(epoch from now() - min(received_at)), 0)::float8 as "oldestSeconds"
from inbound_messages where source = $1::text and due_at is not null`
}
