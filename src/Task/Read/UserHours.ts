import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { prepared } from "../../Runtime/Database/PreparedStatements.ts"

/** What a task `t` with the actor `a` adds to its user's usage: the columns of `user_hours`. */
const sums = {
  tasks: "(t.task_type = 'task')::integer",
  unpriced_tasks: "(a.model_calls > 0 and a.cost is null)::integer",
  input_tokens: "a.input_tokens",
  output_tokens: "a.output_tokens",
  model_calls: "a.model_calls",
  tool_calls: "a.tool_calls",
  cost: "a.cost"
}
const columns = Object.keys(sums).join(", ")

/** Adds the tasks that ended in the hour after `until`. */
const addEnded = `select count(add_usage(u.creator, row(u.*)::user_hours)) from (
  select t.creator, date_trunc('hour', t.created_at, 'UTC'), ${
  Object.entries(sums).map(([name, value]) => `sum(${value}) as ${name}`).join(", ")
}
  from usage_sums s, actors a join tasks t on t.id = a.task_id
  where a.completed_at >= s.until and a.completed_at < s.until + interval '1 hour' group by 1, 2 order by 1, 2
) u`

/**
 * Adds what ended in each hour that is over. The lock is taken before the snapshot of what follows: a task that is retried
 * meanwhile (`uncount_usage`) has either been added before, and is taken out, or is open.
 */
export const sumUserHours = (sql: SqlClient): Effect.Effect<void, SqlError> =>
  Effect.gen(function*() {
    const over = yield* sql`select from usage_sums where until <= now() - interval '61 minutes' for update`
    if (over.length === 0) return false
    yield* sql.unsafe(addEnded)
    yield* sql`update usage_sums set until = until + interval '1 hour'`
    return true
  }).pipe(sql.withTransaction, Effect.repeat({ while: (isMore) => isMore }), Effect.asVoid)

const within = (time: string): string =>
  `${time} >= coalesce($from::date at time zone 'UTC', '-infinity') and ${time} < coalesce(($to::date + 1) at time zone 'UTC', 'infinity')`

const uncounted = (condition: string): string =>
  `select t.created_at, ${Object.values(sums).join(", ")} from actors a join tasks t on t.id = a.task_id
  where a.creator = $user::text and ${condition} and ${within("t.created_at")}`

/** That the task has the same creator lets a plan read many open tasks of a user together, and not one by one. */
const isIdle = "a.completed_at is null and a.runner is null and t.creator = $user::text"

const { cost: _cost, ...counts } = sums

/** In total, and by day: the sums, and the tasks that are open or ended since. */
export const usage = prepared(
  "tasks_usage",
  ["user", "from", "to"],
  `select date, ${
    Object.keys(counts).map((name) => `coalesce(sum(${name}), 0)::double precision as ${name}`).join(", ")
  },
  round(sum(cost)::numeric, 9)::double precision as cost
from (
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD') as date, ${columns} from (
    select hour as at, ${columns} from user_hours where user_id = $user::text and ${within("hour")}
    union all
    ${uncounted(isIdle)}
    union all
    ${uncounted("a.completed_at is null and a.runner is not null")}
    union all
    ${uncounted("a.completed_at >= (select until from usage_sums)")}
  ) times
) u
group by grouping sets ((), (date)) order by date desc nulls first`
)
