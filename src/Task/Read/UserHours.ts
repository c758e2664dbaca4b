import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { prepared } from "../../Runtime/Database/PreparedStatements.ts"
import { addUsage, usageColumns, usageSums } from "../Row/UsageSums.ts"

/** Adds the tasks that ended in the hour after `until`. */
const addEnded = addUsage(`usage_sums s, actors a join tasks t on t.id = a.task_id
  where a.completed_at >= s.until and a.completed_at < s.until + interval '1 hour'`)

/**
 * Adds what ended in each hour that is over. The lock is taken before the snapshot of what follows: a task that is retried
 * meanwhile (`undo_end`) has either been added before, and is taken out, or is open, and one that is deleted (`TaskDeletion`) has
 * either been added before, or is gone.
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
  `select t.created_at, ${Object.values(usageSums).join(", ")} from actors a join tasks t on t.id = a.task_id
  where a.creator = $user::text and ${condition} and ${within("t.created_at")}`

/** The condition on the creator of the task lets a plan read the open tasks of a user together instead of one by one. */
const isIdle = "a.completed_at is null and a.runner is null and t.creator = $user::text"

const { cost: _cost, ...counts } = usageSums

/** In total, and by day: the sums, and the tasks that are open or ended since. */
export const usage = prepared(
  "tasks_usage",
  ["user", "from", "to"],
  `select date, ${
    Object.keys(counts).map((name) => `coalesce(sum(${name}), 0)::double precision as ${name}`).join(", ")
  },
  round(sum(cost)::numeric, 9)::double precision as cost
from (
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD') as date, ${usageColumns} from (
    select hour as at, ${usageColumns} from user_hours where user_id = $user::text and ${within("hour")}
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
