import type { SqlClient } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { defaultUser, UserId } from "@troupe/domain/Ids"
import { signInEndOf, signInPrefix } from "@troupe/domain/SignInWait"
import { Effect, Schedule, Schema } from "effect"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { isConflict } from "../../Runtime/Database/Sql.ts"
import { hasChatAccount } from "./ChatAccounts.ts"
import { profileFields } from "./ProfileFields.ts"

/** A user without a sign-in, and the user of the same person who remains. */
const Pair = Schema.Struct({ id: UserId, user_id: UserId })
export type Pair = typeof Pair.Type

export const pairsOf = rowsOf(Pair)

/** Two writers would create or join the same user twice: `select hashtext('troupe chat users')`. */
const usersLock = 1_205_338_467

/**
 * A transaction that creates, links or joins users, one at a time in all processes. It is retried after a deadlock with
 * a step of a task.
 */
export const changingUsers = (sql: SqlClient) => <A, E>(work: Effect.Effect<A, E | SqlError>) =>
  sql.withTransaction(Effect.zipRight(sql`select pg_advisory_xact_lock(${usersLock})`, work)).pipe(
    Effect.retry({ times: 3, schedule: Schedule.spaced("50 millis"), while: isDeadlock })
  )

const isDeadlock = (error: unknown): boolean => error instanceof SqlError && isConflict(error)

/**
 * Whether the address of the user's row says who it is. That of a guest does not, unless somebody entered it here: the
 * profile belongs to another workspace, or to somebody outside of the team.
 */
export const holdsAddress = (sql: SqlClient, user: "d" | "u") =>
  sql.literal(`(not ${user}.is_guest or 'email' = any(${user}.overrides))`)

/** Whether `d` has no seat and is no user of the service itself, and the data of neither is being deleted. */
const isFree = (sql: SqlClient) =>
  sql`d.id <> u.id and d.id <> ${defaultUser} and not d.is_system and not u.is_system
    and not exists (select from team_members where user_id = d.id)
    and not exists (select from former_members where user_id = d.id)
    and not exists (select from erasures where user_id in (d.id, u.id))`

/** Whether both have an account of the same chat platform. */
const bothHaveChat = (sql: SqlClient) =>
  sql.literal(`exists (select from chat_accounts c join chat_accounts o using (platform)
    where c.user_id = d.id and o.user_id = u.id and c.deactivated_at is null and o.deactivated_at is null)`)

/**
 * Whether `d` can be joined with `u` without being asked: its address is that of a mail, or of a profile of the
 * platform's team.
 */
export const isJoinable = (sql: SqlClient) =>
  sql`${isFree(sql)} and not 'email' = any(d.overrides) and not d.is_guest
    and not ${bothHaveChat(sql)}`

/** A user with an address, and whether it can be joined with the one that is to get the address. */
const Holder = Schema.Struct({
  id: UserId,
  name: Schema.NullOr(Schema.String),
  is_free: Schema.Boolean,
  has_chat: Schema.Boolean
})
const holders = rowsOf(Holder)

/** The other users who have this address, for the user `id` who is to get it. */
export const holdersOf = (sql: SqlClient, id: UserId, address: string) =>
  holders(sql`select d.id, coalesce(d.display_name, d.name) as name, ${isFree(sql)} as is_free,
  ${bothHaveChat(sql)} as has_chat
from users u join users d on lower(d.email) = lower(${address}::text) and ${holdsAddress(sql, "d")}
  or exists (select from team_members m where m.user_id = d.id and m.email = lower(${address}::text))
where u.id = ${id} and d.id <> u.id and not d.is_system order by d.created_at, d.id`)

/** Why a user can't be joined with the one who is to get its address; null: it can. */
export const obstacleOf = ({ has_chat, is_free }: typeof Holder.Type): string | null =>
  !is_free
    ? "They can't be joined: that user is a member of the team, belongs to the service, or is being deleted."
    : has_chat
    ? "They can't be joined: each has an account of the team chat."
    : null

/** The users who have this address, at most one of them of the platform, for the user `id` who has signed in with it. */
export const doublesOf = (sql: SqlClient, id: UserId, address: string) =>
  pairsOf(sql`select d.id, d.user_id from (
  select d.id, u.id as user_id, d.created_at, has_chat,
    row_number() over (partition by has_chat order by d.created_at, d.id) as nth
  from users u join users d on lower(d.email) = lower(${address}::text)
  cross join lateral (select ${sql.literal(hasChatAccount("d.id"))} as has_chat) chat
  where u.id = ${id} and ${isJoinable(sql)}
) d where not has_chat or nth = 1 order by created_at, id`)

/** Joins within `changingUsers`: the profile, then everything else. The job of `JoinedUsersLayer` moves the files. */
export const joinUsers = (sql: SqlClient, pairs: ReadonlyArray<Pair>): Effect.Effect<void, SqlError> =>
  Effect.forEach(pairs, (pair) => joinUser(sql, pair), { discard: true })

const joinUser = Effect.fnUntraced(function*(sql: SqlClient, pair: Pair) {
  const { id, user_id } = pair
  yield* sql`update joined_users set user_id = ${user_id} where user_id = ${id}`
  yield* sql`insert into joined_users (id, user_id) values (${id}, ${user_id})
on conflict (id) do update set user_id = excluded.user_id, joined_at = now()`
  yield* sql`with former as (delete from users where id = ${id} returning *)
update users u set ${profile(sql)} from former d where u.id = ${user_id}`
  yield* moveRows(sql, pair)
  yield* sql`select pg_notify('troupe_joined_users', '')`
  yield* Effect.annotateLogs(Effect.logInfo("Joined two users of one person"), { user_id, former_user_id: id })
})

/** In SQL: the addresses at gateways that somebody set or cleared of the user. */
const ownAddresses = (user: "d" | "u") =>
  `(select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(${user}.addresses)
    where key = any(${user}.overrides))`

/** What somebody set or cleared of `u` stays, then what somebody set or cleared of `d`. */
const profile = (sql: SqlClient) =>
  sql.literal(
    profileFields.filter((field) => field !== "email").map((field) =>
      `${field} = case when '${field}' = any(u.overrides) then u.${field}
  when '${field}' = any(d.overrides) then d.${field} else coalesce(d.${field}, u.${field}) end, `
    ).join("")
      + `updated_at = now(), is_guest = case when ${hasChatAccount("u.id")} then u.is_guest else d.is_guest end,
  email = coalesce(u.email, d.email), addresses = d.addresses || jsonb_strip_nulls(u.addresses)
    || ${ownAddresses("d")} || ${ownAddresses("u")},
  notify_by = case when 'notify_by' = any(u.overrides) then u.notify_by
    when 'notify_by' = any(d.overrides) or u.notify_by = '{}' then d.notify_by else u.notify_by end,
  overrides = array(select distinct unnest(u.overrides || d.overrides) order by 1)`
  )

/** Everything of the user `id` becomes that of `user_id`; may be repeated. Running tasks are claimed anew. */
export const moveRows = (sql: SqlClient, { id, user_id }: Pair): Effect.Effect<void, SqlError> =>
  Effect.forEach(movesOf(sql, id, user_id), (statement) => statement, { discard: true })

const usageSums = ["tasks", "unpriced_tasks", "input_tokens", "output_tokens", "model_calls", "tool_calls", "cost"]

interface MovedSums {
  readonly table: string
  /** Its key, without `user_id`. */
  readonly keys: ReadonlyArray<string>
  readonly sums: ReadonlyArray<string>
  readonly from: UserId
  readonly to: UserId
}

/** Adds the sums of the user `from` to those of the user `to`. A sum that is null for one user is that of the other user. */
const addSums = (sql: SqlClient, { from, keys, sums, table, to }: MovedSums) => {
  const columns = sql.literal([...keys, ...sums].join(", "))
  return sql`with former as (delete from ${sql.literal(table)} where user_id = ${from} returning *)
insert into ${sql.literal(table)} as s (user_id, ${columns}) select ${to}, ${columns} from former
on conflict (user_id, ${sql.literal(keys.join(", "))}) do update set ${
    sql.literal(
      sums.map((sum) => `${sum} = coalesce(s.${sum} + excluded.${sum}, s.${sum}, excluded.${sum})`).join(", ")
    )
  }`
}

const movesOf = (sql: SqlClient, from: UserId, to: UserId) => [
  sql`with moved as (
  update actors a set creator = ${to}, epoch = a.epoch + (a.runner is not null)::integer,
    attempts = greatest(0, a.attempts - (a.runner is not null)::integer), runner = null,
    wake_at = case when a.runner is not null and a.wake_at is not null then now() else a.wake_at end,
    queued_by = case when a.runner is null then a.queued_by end
  from tasks t join actors old on old.task_id = t.id
  where t.creator = ${from} and a.task_id = t.id returning a.task_id, a.shard, old.runner
)
select pg_notify('troupe_revoked', '- ' || task_id), pg_notify('troupe_wake', '- ' || shard)
from moved where runner is not null`,
  // Tasks wait for the sign-in of the user who remains.
  sql`update actors set last_tool_call_id = left(last_tool_call_id, -length(${signInEndOf(from)}::text)) || ${
    signInEndOf(to)
  }::text
where creator = ${to} and status = 'waiting_input' and starts_with(last_tool_call_id, ${signInPrefix})
  and right(last_tool_call_id, length(${signInEndOf(from)}::text)) = ${signInEndOf(from)}::text`,
  sql`update tasks set creator = ${to} where creator = ${from}`,
  addSums(sql, { table: "user_hours", keys: ["hour"], sums: usageSums, from, to }),
  addSums(sql, {
    table: "spending",
    keys: ["day", "agent", "model", "source"],
    sums: ["calls", "unpriced_calls", "cost"],
    from,
    to
  }),
  // Tokens are sealed for the person who has signed in, who signs in again.
  sql`delete from tool_server_authorizations where user_id = ${from}`,
  sql`update tool_server_authorizations set connected_by = ${to} where connected_by = ${from}`,
  sql`delete from tool_server_sign_ins where ${from} in (begun_by, user_id)`,
  sql`update tasks set assignee = ${to} where assignee = ${from}`,
  sql`delete from idempotency_keys d where caller = ${from}
    and exists (select from idempotency_keys where caller = ${to} and key = d.key)`,
  sql`update idempotency_keys set caller = ${to} where caller = ${from}`,
  sql`update bulk_operations set creator = ${to}, idempotency_key = null where creator = ${from}`,
  sql`delete from notifications d where user_id = ${from}
    and exists (select from notifications where user_id = ${to} and id = d.id)`,
  sql`update notifications set user_id = ${to} where user_id = ${from}`,
  // The owners' rows first, as all writers of memories do.
  sql`select from memory_owners where user_id in (${from}, ${to}) order by user_id for update`,
  sql`with counted as (
  select count(*)::integer as n from memories where user_id = ${from}
), emptied as (
  update memory_owners set version = version + 1, removals = removals + 1, memories = 0 where user_id = ${from}
), raised as (
  insert into memory_owners as o (user_id, version, memories) select ${to}, 1, n from counted where n > 0
  on conflict (user_id) do update set version = o.version + 1, memories = o.memories + excluded.memories
  returning version
)
update memories m set user_id = ${to}, version = raised.version from raised where m.user_id = ${from}`,
  sql`update chat_accounts a set user_id = ${to} where user_id = ${from} and (deactivated_at is not null or not exists (
    select from chat_accounts where user_id = ${to} and platform = a.platform and deactivated_at is null))`,
  sql`delete from chat_accounts where user_id = ${from}`,
  sql`insert into channel_members as m (channel_id, user_id, role, responsibilities, joined_at)
select channel_id, ${to}, role, responsibilities, joined_at from channel_members where user_id = ${from}
on conflict (channel_id, user_id) do update set role = coalesce(m.role, excluded.role),
  responsibilities = coalesce(m.responsibilities, excluded.responsibilities)`,
  sql`delete from channel_members where user_id = ${from}`,
  sql`update channel_messages set user_id = ${to} where user_id = ${from}`,
  sql`update schedules set user_id = ${to} where user_id = ${from}`,
  sql`update subscriptions set user_id = ${to} where user_id = ${from}`,
  sql`update outbox set user_id = ${to} where user_id = ${from}`,
  sql`update inbound_messages set creator = ${to} where creator = ${from} and (due_at is not null or state = 'failed')`,
  sql`update file_reservations set user_id = ${to} where user_id = ${from}`,
  sql`update team_members set invited_by = ${to} where invited_by = ${from}`,
  sql`update approvals set decided_by = case when decided_by = ${from} then ${to} else decided_by end,
    who = array_replace(who, ${from}, ${to}) where decided_by = ${from} or ${from} = any(who)`,
  sql`update grants set granted_by = case when granted_by = ${from} then ${to} else granted_by end,
    person = case when person = ${from} then ${to} else person end where ${from} in (granted_by, person)`,
  sql`update access_tokens set user_id = ${to} where user_id = ${from}`,
  sql`update setting_changes set changed_by = ${to} where changed_by = ${from}`,
  // A process that did not know of it has created the user again.
  sql`delete from users where id = ${from}`
]
