import type { TaskFilter } from "@troupe/api/TaskFilter"
import type { Caller } from "@troupe/domain/Caller"
import { maxCount } from "@troupe/domain/TaskCounts"
import type { ById } from "../../People/User/Access.ts"
import { prepared, type Query } from "../../Runtime/Database/PreparedStatements.ts"
import { sleeps } from "../Row/StatusConditions.ts"
import { comparedOf, idsOf, inAll, lookUp, newestOf } from "./BoundedSearch.ts"
import { countedStates, stateCounts } from "./StatusCounts.ts"
import { allOf, conditionsOf, type Indexed, indexedBy, partial } from "./TaskConditions.ts"

/** How many of these tasks are in each state. */
export const countsOfTasks = prepared(
  "tasks_counts_of",
  ["ids"],
  `with ${stateCounts("actors a where a.task_id = any($ids::uuid[])")}
select status, count from counts`
)

/** Limits of what is read to count one state. */
const max = {
  /** In a state with fewer tasks than this, each task is looked up. */
  few: 100,
  /** Entries of each index that are compared; more of them if the filter has no index of its own and no row is looked up. */
  compared: 5_000,
  comparedOfAll: 40_000,
  /** Divides `compared` where a row is read for each entry. */
  comparedPerRead: 10,
  /** Tasks that all indexes contain, and that are looked up for the rest of the filter. */
  lookedUp: 100
}

type State = typeof countedStates[number]

/** Whether no task of the filter is in the state. */
const isExcluded = ({ cancelled, sleeping }: ById<TaskFilter>, state: State): boolean =>
  cancelled === true && state !== "failed" && state !== "cancelled"
  || sleeping === true && state !== "running" && state !== "sleeping"

/** The tasks in a state, by an index. */
const inState = (state: State): Indexed => {
  switch (state) {
    case "sleeping":
      return partial("a", sleeps("a"))
    case "cancelled":
      return indexedBy("ended_by", "'cancelled'")
    default:
      return indexedBy("status", `'${state}'`)
  }
}

/**
 * For each state, how many of its newest tasks match the filter, up to a maximum, and whether these are all of them. A filter by
 * `sleeping` gets zeros here: the caller has counted its newest tasks already.
 */
export const statusCounts = (filter: ById<TaskFilter>, reader: Caller | null): Query => {
  const { all, values, within, ...conditions } = conditionsOf(filter, reader, [])
  const count = (state: State) => {
    if (isExcluded(filter, state)) return `select '${state}' as status, 0 as count, true as "isWhole"`
    if (filter.sleeping === true) return `select '${state}' as status, 0 as count, false as "isWhole"`
    const has = inState(state)
    const { rest, streams } = comparedOf({ ...conditions, streams: [has, ...conditions.streams] })
    const left = lookUp(rest)
    const until = (id: string) => `${within(id)} and ${id} <= h.ids[1]`
    const compared = streams.length > 2 || left.length > 0 ? max.compared : max.comparedOfAll
    const each = (one: Indexed) => one === has && state === "sleeping" ? compared / max.comparedPerRead : compared
    const most = left.length === 0 ? maxCount : max.lookedUp
    const isCut = streams.map((one) => `exists (${idsOf(one, until)} offset ${each(one) - 1} limit 1)`).join(" or ")
    const isFew = `cardinality(h.ids) < ${max.few}`
    return `select '${state}' as status, case when ${isFew} or ${left.length > 0}
    then (select count(*)::integer from unnest(f.ids) c (id) where case when ${isFew} then ${allOf(lookUp(all))} else ${
      allOf(left)
    } end) else cardinality(f.ids) end as count,
  ${isFew} or cardinality(f.ids) < ${most} and not (${isCut}) as "isWhole"
from (select array(${newestOf(has, within)} limit ${max.few}) as ids offset 0) h cross join lateral (
  select case when ${isFew} then h.ids
    else array(select id from ${inAll(streams, until, each)} order by id desc limit ${most}) end as ids offset 0
) f`
  }
  return { name: "tasks_status_counts", text: countedStates.map(count).join("\nunion all\n"), values }
}
