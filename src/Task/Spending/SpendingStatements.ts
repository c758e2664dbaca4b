import { SqlClient } from "@effect/sql/SqlClient"
import { limitText, pauseCallOf, personOf, type Spending, SpendingLimits } from "@troupe/domain/Spending"
import { Spending as SpendingRow } from "@troupe/domain/Spending"
import { Effect, Schema } from "effect"
import { makeNotifyAdmins } from "../../Delivery/AdminNotices.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import type { SpentCalls } from "./SpentSums.ts"

const LimitsRow = Schema.Struct({ limits: Schema.parseJson(SpendingLimits) }).annotations({
  identifier: "SpendingLimits"
})
const Mark = Schema.Struct({
  key: Schema.String,
  isWarned: Schema.Boolean,
  isAsked: Schema.Boolean,
  isResumed: Schema.Boolean,
  decision: Schema.NullOr(Schema.Literal("go_on", "stop"))
})
const LimitsAndMarks = Schema.Struct({
  limits: Schema.NullOr(Schema.parseJson(SpendingLimits)),
  marks: Schema.parseJson(Schema.Array(Mark))
}).annotations({ identifier: "SpendingLimitsAndMarks" })

const Sum = Schema.Struct({
  user_id: Schema.String,
  agent: Schema.NullOr(Schema.String),
  day: Schema.Number,
  month: Schema.Number
}).annotations({ identifier: "SpendingSum" })
const encodeLimits = Schema.encodeSync(Schema.parseJson(SpendingLimits))

/** `admin`: who decides of a self-hosted service; null: owner and admins. */
export const makeSpendingStatements = (admin: string | null) =>
  Effect.map(Effect.all([SqlClient, makeNotifyAdmins(admin)]), ([sql, notifyAdmins]) => ({
    add: (spent: ReadonlyArray<SpentCalls>) =>
      sql`insert into spending as s (day, user_id, agent, model, source, calls, unpriced_calls, cost)
select i.day, i.creator, coalesce(i.agent, ''), i.model, coalesce(i.source, ''), i.calls, i.unpriced, i.cost
from json_to_recordset(${JSON.stringify(spent)}::json)
  as i(day date, creator text, agent text, model text, source text, calls bigint, unpriced bigint, cost double precision)
order by 1, 2, 3, 4, 5
on conflict (day, user_id, agent, model, source) do update set calls = s.calls + excluded.calls,
  unpriced_calls = s.unpriced_calls + excluded.unpriced_calls, cost = s.cost + excluded.cost`,
    limits: rowsOf(LimitsRow)(sql`select limits from spending_limits`),
    /** Signals the other processes, as `origin`. */
    setLimits: (limits: SpendingLimits, origin: string | null) =>
      sql`with stored as (
  insert into spending_limits (limits) values (${encodeLimits(limits)})
  on conflict (one) do update set limits = excluded.limits returning limits
)
select pg_notify('troupe_settings', ${origin}::text) from stored where ${origin}::text is not null`,
    /** The limits, and the marks of the month of this day and of those that were asked about, in one statement. */
    limitsAndMarks: (day: string) =>
      rowsOf(LimitsAndMarks)(sql`select (select limits from spending_limits) as limits, (
  select coalesce(json_agg(json_build_object('key', key, 'isWarned', warned_at is not null, 'isAsked', asked_at is not null,
    'isResumed', resumed_at is not null, 'decision', decision)), '[]')::text
  from spending_marks where key like ${`%/${day.slice(0, "YYYY-MM".length)}%`}
    or (asked_at is not null and resumed_at is null)
) as marks`),
    sums: (day: string) =>
      rowsOf(Sum)(sql`select user_id, nullif(agent, '') as agent,
  coalesce(sum(cost) filter (where day = ${day}::date), 0)::float8 as day, sum(cost)::float8 as month
from spending where day >= date_trunc('month', ${day}::date)::date and day <= ${day}::date group by 1, 2`),
    unpriced: (day: string) =>
      rowsOf(Schema.Struct({ day: Schema.Number, month: Schema.Number }).annotations({ identifier: "Unpriced" }))(
        sql`select coalesce(sum(unpriced_calls) filter (where day = ${day}::date), 0)::float8 as day,
  coalesce(sum(unpriced_calls), 0)::float8 as month
from spending where day >= date_trunc('month', ${day}::date)::date and day <= ${day}::date`
      ),
    /** Whether this process is the first to warn of the limit. */
    warn: (key: string) =>
      sql`insert into spending_marks as m (key, warned_at) values (${key}, now())
on conflict (key) do update set warned_at = now() where m.warned_at is null returning key`,
    /** The calls for which paused tasks wait. Their status is in an index. */
    paused: sql<{ call: string }>`select distinct last_tool_call_id as call from actors
where status = 'waiting_input' and last_tool_call_id like ${`${pauseCallOf("")}%`}`,
    ask: (key: string) =>
      sql<{ isFirst: boolean }>`with before as (select asked_at from spending_marks where key = ${key})
insert into spending_marks as m (key, asked_at) values (${key}, now())
on conflict (key) do update set asked_at = coalesce(m.asked_at, now()), resumed_at = null
returning not exists (select from before where asked_at is not null) as "isFirst"`,
    resumed: (key: string) => sql`update spending_marks set resumed_at = now() where key = ${key}`,
    /** Notifies those who decide about the limit, which is said to be near or reached. */
    notify: (key: string, how: "near" | "reached", body: string) =>
      Effect.flatMap(
        sql<{ readonly name: string | null }>`select coalesce(display_name, name) as name from users where id = ${
          personOf(key)
        }`,
        ([user]) => notifyAdmins({ title: `${limitText(key, user?.name ?? null)} is ${how}`, body })
      ),
    report: (user: string | null, from: string | null, to: string | null): Effect.Effect<ReadonlyArray<Spending>> =>
      rowsOf(SpendingRow)(
        sql`select day::text as date, user_id, nullif(agent, '') as agent, model, nullif(source, '') as source,
  calls::float8 as calls, unpriced_calls::float8 as unpriced_calls, round(cost::numeric, 9)::float8 as cost
from spending where (${user}::text is null or user_id = ${user}::text)
  and day >= coalesce(${from}::date, '-infinity') and day <= coalesce(${to}::date, 'infinity')
order by day desc, cost desc limit 5000`
      )
  }))
