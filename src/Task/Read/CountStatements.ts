import type { TaskFilter } from "@troupe/api/TaskFilter"
import type { Caller } from "@troupe/domain/Caller"
import { maxCount } from "@troupe/domain/TaskCounts"
import type { ById } from "../../People/User/Access.ts"
import type { Query } from "../../Runtime/Database/PreparedStatements.ts"
import { isSleeping } from "../Row/StatusConditions.ts"
import { countedStates, stateCounts } from "./StatusCounts.ts"
import { conditionsOf, pageOf } from "./TaskListing.ts"

/** Each of them may be on a page of its own in both tables. */
export const maxNewest = 700

/** The newest tasks of a filter, by their status: fewer than `maxNewest` are all. */
export const newestCounts = (filter: ById<TaskFilter>, reader: Caller | null): Query => {
  const conditions = conditionsOf(filter, reader, [maxNewest])
  return {
    name: "tasks_newest_counts",
    text: `with ${stateCounts(`actors a where a.task_id = any(array(${pageOf(conditions, "t.id")}))`)}
select status, count from counts`,
    values: conditions.values
  }
}

/** Of the tasks with a status, so many are looked at: some are subtasks or archived. */
const maxScanned = 1.25 * maxCount

/**
 * For each status, how many of its newest tasks the filter has, up to a maximum, and whether these are all of them. Only the index
 * by status and id has the order of a range of statuses: for one status by `=`, a plan may read the ids of all tasks.
 */
export const statusCounts = (filter: ById<TaskFilter>, reader: Caller | null): Query => {
  const { ofActor, ofTask, tables, values } = conditionsOf(filter, reader, [maxCount, maxScanned, countedStates])
  return {
    name: "tasks_status_counts",
    text: `select s.status, cardinality(s.ids) < $2::integer as "isWhole", (
  select count(*)::integer from (
    select from ${tables} where t.id = any(s.ids) and ${ofTask} and ${ofActor} limit $1::integer
  ) f
) as count
from (
  select v.status, case v.status
    when 'cancelled' then array(select n.task_id from actors n
      where n.error is not null and n.ended_by = 'cancelled' order by n.task_id desc limit $2::integer)
    when 'sleeping' then array(select n.task_id from actors n
      where n.wake_at > now() and n.queued_by is null and ${isSleeping("n")} limit $2::integer)
    else array(select n.task_id from actors n where n.status between v.status and v.status
      order by n.status desc, n.task_id desc limit $2::integer)
  end as ids
  from unnest($3::text[]) v (status)
) s`,
    values
  }
}
