import { TaskStatus } from "@troupe/domain/Task"
import { maxCount, type TaskCounts } from "@troupe/domain/TaskCounts"
import { Schema } from "effect"
import { rowsOf } from "../../Runtime/Database/Query.ts"

const Count = Schema.Struct({ status: TaskStatus, count: Schema.Int, isWhole: Schema.optional(Schema.Boolean) })
  .annotations({ identifier: "Count" })
type Counts = ReadonlyArray<typeof Count.Type>
export const countRows = rowsOf(Count)

/** The newest tasks of the filter, and for each status those of the filter among its newest: null if the first are all. */
export const countsOf = (newest: Counts, ofStatuses: Counts | null): TaskCounts => {
  const find = (counts: Counts, status: TaskStatus) => counts.find((one) => one.status === status)
  const count = (status: TaskStatus) =>
    Math.max(find(newest, status)?.count ?? 0, find(ofStatuses ?? [], status)?.count ?? 0)
  return {
    pending: count("pending"),
    running: count("running"),
    waiting_input: count("waiting_input"),
    waiting_subagents: count("waiting_subagents"),
    completed: count("completed"),
    failed: count("failed"),
    capped: ofStatuses === null
      ? []
      : TaskStatus.literals.filter((status) => find(ofStatuses, status)?.isWhole !== true || count(status) >= maxCount)
  }
}
