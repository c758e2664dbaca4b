import type { Prepared } from "../Runtime/Database/PreparedStatements.ts"
import { notificationColumns, notificationTables } from "./NotificationView.ts"

/** How many orders one claim considers, of all recipients and of each; the next claim goes on after its last recipient. */
const maxOrders = 1_000
const maxOrdersOfOne = 200

const firstInOrder = (after: string) =>
  `select left(d.recipient, 200) as recipient, d.ordered_by, d.id from outbox d
    where d.channel = $1::text and d.state in ('pending', 'sending') and ${after}
    order by left(d.recipient, 200), d.ordered_by, d.id limit 1`

/**
 * Of each recipient, the messages that are the oldest unfinished one in their order, if they are due and no other process
 * holds them, up to `$5` at a time. Reads one entry of `outbox_by_order` for each order; recipients that share 200 characters
 * count as one.
 */
export const claim: Prepared = {
  name: "outbox_take",
  text: `with recursive heads as (
  (select f.*, 1 as place from (${firstInOrder("left(d.recipient, 200) > $4::text")}) f)
  union all
  select n.*, case when n.recipient = h.recipient then h.place + 1 else 1 end from heads h cross join lateral (
    ${
    firstInOrder(`(left(d.recipient, 200), d.ordered_by) > (h.recipient,
      case when h.place < ${maxOrdersOfOne} then h.ordered_by else 'ffffffff-ffff-ffff-ffff-ffffffffffff' end)`)
  }
  ) n
), considered as materialized (
  select recipient, id from heads limit ${maxOrders}
), busy as materialized (
  select left(recipient, 200) as recipient, count(*) as n from outbox
  where channel = $1::text and state = 'sending' group by 1
), ready as materialized (
  select c.recipient, c.id, coalesce(b.n, 0) + row_number() over (partition by c.recipient order by c.id) as place
  from considered c join outbox o on o.id = c.id left join busy b on b.recipient = c.recipient
  where o.state = 'pending' and o.next_attempt_at <= now()
), due as materialized (
  select r.recipient, d.id from (
    select recipient, id from ready where place <= $5::integer order by recipient, place
  ) r cross join lateral (
    select o.id from outbox o where o.id = r.id and o.state = 'pending' and o.next_attempt_at <= now()
    limit 1 for update skip locked
  ) d limit $2::integer
), claimed as (
  update outbox o set
    state = 'sending', attempts = o.attempts + 1, epoch = o.epoch + 1, handed_over = false,
    lease_until = now() + $3::float8 * interval '1 second'
  from due where o.id = due.id
  returning o.id::text, o.epoch, o.attempts, o.channel, o.recipient, o.kind, o.user_id as "userId",
    o.task_id::text as "taskId", o.notification_id::text as "notificationId", o.payload, o.progress
)
select w.next, c.* from (select case
  when (select count(*) from due) = $2::integer then (select max(recipient) from due)
  -- Not all orders of the last recipient were considered.
  when (select count(*) from considered) = ${maxOrders} then (
    select max(recipient) from considered where recipient < (select max(recipient) from considered)
  )
  else ''
end as next) w left join claimed c on true`
}

export const readNotifications: Prepared = {
  name: "outbox_notices",
  text: `with n as (
  select n.* from json_to_recordset($1::json) as o(user_id text, id uuid)
  join notifications n on n.user_id = o.user_id and n.id = o.id
)
select ${notificationColumns}, t.creator as task_creator from ${notificationTables}`
}

export const handOver: Prepared = {
  name: "outbox_hand_over",
  text: `update outbox set handed_over = $4::boolean, lease_until = now() + $3::float8 * interval '1 second'
where id = $1::uuid and epoch = $2::integer and state = 'sending' and lease_until > now() returning 1`
}

/** No row: another claim has it. */
export const saveProgress: Prepared = {
  name: "outbox_keep",
  text: `update outbox set progress = $3::text
where id = $1::uuid and epoch = $2::integer and state = 'sending' and lease_until > now() returning 1`
}

/** Also where it has failed as uncertain meanwhile: the result is known now. */
export const markSent: Prepared = {
  name: "outbox_sent",
  text: `update outbox set state = 'sent', sent_at = now(), lease_until = null, last_error = $3::text
where id = $1::uuid and epoch = $2::integer and state in ('sending', 'failed')`
}

export const postpone: Prepared = {
  name: "outbox_postponed",
  text: `update outbox set state = 'pending', lease_until = null, handed_over = false, last_error = $3::text,
  next_attempt_at = now() + $4::float8 * interval '1 second'
where id = $1::uuid and epoch = $2::integer and state = 'sending'`
}

export const fail: Prepared = {
  name: "outbox_failed",
  text: `update outbox set state = 'failed', lease_until = null, last_error = $3::text
where id = $1::uuid and epoch = $2::integer and state = 'sending'`
}

/** Of a process that was interrupted before the message left it; the attempt does not count. */
export const release: Prepared = {
  name: "outbox_released",
  text: `update outbox set state = 'pending', lease_until = null, attempts = attempts - 1
where id = $1::uuid and epoch = $2::integer and state = 'sending' and not handed_over`
}

export const drop: Prepared = {
  name: "outbox_dropped",
  text: "delete from outbox where id = $1::uuid and epoch = $2::integer and state = 'sending'"
}

export const renew: Prepared = {
  name: "outbox_renewed",
  text: `update outbox set lease_until = now() + $3::float8 * interval '1 second'
where id = $1::uuid and epoch = $2::integer and state = 'sending' and lease_until > now()`
}

/**
 * Messages of processes that ended or froze. What was handed over is not sent again. A message may be what ends its
 * process, so it is due at once only the first time, then after growing delays, and fails in the end.
 */
export const recover: Prepared = {
  name: "outbox_recovered",
  text: `update outbox set lease_until = null,
  state = case when handed_over or attempts >= $3::integer then 'failed' else 'pending' end,
  next_attempt_at = case when attempts <= 1 then next_attempt_at
    else now() + least($4::float8 * 3 ^ least(attempts - 2, 20), $5::float8) * interval '1 second' end,
  last_error = case when handed_over then $2::text
    else 'The process ended during attempt ' || attempts || ', before the message was sent.' end
where channel = $1::text and state = 'sending' and lease_until <= now() returning state, handed_over`
}

/**
 * For each chat message with the question of the step before that of `hit`, one that replaces its buttons by the answer
 * (`ChatAnswers`). Its id is that of the notification with another variant digit, as in `outbox_id` (migration 0032).
 */
export const answersShown = (by: string, answer: string): string => `
  insert into outbox (id, channel, recipient, kind, user_id, task_id, payload)
  select overlay(o.notification_id::text placing 'b' from 20 for 1)::uuid, 'chat', o.recipient, 'answered', o.user_id,
    o.task_id, json_build_object('question', o.id, 'by', ${by}, 'answer', ${answer})::text
  from hit join outbox o on o.task_id = hit.task_id
  where o.channel = 'chat' and o.kind = 'notification' and o.notification_id is not null
    and substr(o.notification_id::text, 16, 3) = lpad(to_hex((hit.seq - 1) % 4096), 3, '0')
  on conflict (id) do nothing returning pg_notify('troupe_outbox', '') is null`
