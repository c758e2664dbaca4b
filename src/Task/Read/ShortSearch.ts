import type { TaskFilter, TaskQuery } from "@troupe/api/TaskFilter"
import type { Caller } from "@troupe/domain/Caller"
import { TaskId } from "@troupe/domain/Ids"
import { Schema } from "effect"
import type { ById } from "../../People/User/Access.ts"
import { prepared, type Query } from "../../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { summaryColumns } from "../Row/TaskRow.ts"
import { countedStates, stateCounts } from "./StatusCounts.ts"
import { conditionsOf, isKeyed, isMatch, pageOf, withinBytes } from "./TaskListing.ts"

/** Of a text that no index has, so many of the newest tasks are searched at a time; fewer where each actor is looked up. */
const maxSearched = { tasks: 5_000, actors: 500 }

/** Whether `q` is too short for the index of words. */
export const isShort = <A extends Pick<TaskFilter, "q">>(filter: A): filter is A & { readonly q: string } =>
  filter.q !== undefined && !isKeyed(filter.q)

/** The tasks that are searched, with whether each matches, and the values of the statement so far; `$1` is their maximum. */
const searchedBy = ({ q, ...filter }: ById<TaskQuery> & { readonly q: string }, reader: Caller | null) => {
  const { values: [, ...values], ...conditions } = conditionsOf(filter, reader, [null])
  const all = [conditions.ofActor === "true" ? maxSearched.tasks : maxSearched.actors, ...values]
  const match = isMatch(q, reader, (value) => `$${all.push(value)}::text`)
  return { searched: `searched as materialized (${pageOf(conditions, `t.id, ${match} as matches`)})`, values: all }
}

export const shortMatches = rowsOf(Schema.Struct({ ids: Schema.Array(TaskId), end: Schema.NullOr(TaskId) }))

/** The matches among the tasks that are searched, up to one more than a page has, and the last of these if there may be more. */
export const shortSearch = (
  { limit, ...query }: ById<TaskQuery> & { readonly q: string; readonly limit: number },
  reader: Caller | null
): Query => {
  const { searched, values } = searchedBy(query, reader)
  return {
    name: "tasks_short_search",
    text: `with ${searched}
select array(select id::text from searched where matches order by id desc limit $${values.length + 1}::integer) as ids,
  (select min(id::text) from searched having count(*) = $1::integer) as end`,
    values: [...values, limit + 1]
  }
}

export const foundTasks = prepared(
  "tasks_found",
  ["ids"],
  withinBytes(
    `select ${summaryColumns} from tasks t join actors a on a.task_id = t.id
where t.id = any($ids::uuid[]) order by t.id desc`
  )
)

/** For each status, how many of the tasks that are searched match, and whether these are all tasks of the filter. */
export const shortCounts = (filter: ById<TaskFilter> & { readonly q: string }, reader: Caller | null): Query => {
  const { searched, values } = searchedBy(filter, reader)
  return {
    name: "tasks_short_counts",
    text: `with ${searched}, ${
      stateCounts("actors a where a.task_id = any(array(select id from searched where matches))")
    }
select v.status, coalesce(c.count, 0) as count, (select count(*) < $1::integer from searched) as "isWhole"
from unnest($${values.length + 1}::text[]) v (status) left join counts c on c.status = v.status`,
    values: [...values, countedStates]
  }
}
