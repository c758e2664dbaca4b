import { TaskStatus } from "@troupe/domain/Task"
import { maxCount, type TaskCounts } from "@troupe/domain/TaskCounts"
import { Schema } from "effect"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { isSleeping } from "../Row/StatusConditions.ts"

/** What is counted: each status, and of the running tasks those that sleep, of the failed ones those that were cancelled. */
export const countedStates = [...TaskStatus.literals, "sleeping", "cancelled"] as const

const Count = Schema.Struct({
  status: Schema.Literal(...countedStates),
  count: Schema.Int,
  isWhole: Schema.optional(Schema.Boolean)
}).annotations({ identifier: "Count" })
type Counts = ReadonlyArray<typeof Count.Type>
export const countRows = rowsOf(Count)

/** How many of the actors, as a statement reads them, are in each state. */
export const stateCounts = (actors: string): string =>
  `states as materialized (
  select a.status, case when ${
    isSleeping("a")
  } then 'sleeping' when a.status = 'failed' and a.ended_by = 'cancelled' then 'cancelled' end
    as narrower
  from ${actors}
), counts as (
  select status, count(*)::integer as count from states group by status
  union all select narrower, count(*)::integer from states where narrower is not null group by narrower
)`

/** The newest tasks of the filter, and for each status those of the filter among its newest: null if the first are all. */
export const countsOf = (newest: Counts, ofStatuses: Counts | null): TaskCounts => {
  const find = (counts: Counts, state: Counts[number]["status"]) => counts.find(({ status }) => status === state)
  const count = (state: Counts[number]["status"]) =>
    Math.max(find(newest, state)?.count ?? 0, find(ofStatuses ?? [], state)?.count ?? 0)
  return {
    pending: count("pending"),
    running: count("running"),
    waiting_input: count("waiting_input"),
    waiting_subagents: count("waiting_subagents"),
    completed: count("completed"),
    failed: count("failed"),
    sleeping: Math.min(count("sleeping"), count("running")),
    cancelled: Math.min(count("cancelled"), count("failed")),
    capped: ofStatuses === null
      ? []
      : TaskStatus.literals.filter((status) => find(ofStatuses, status)?.isWhole !== true || count(status) >= maxCount)
  }
}
