import type { TaskId } from "@troupe/domain/Ids"
import type { Run } from "@troupe/domain/Run"
import type { Step } from "@troupe/domain/Step"
import type { SubtaskRequest } from "@troupe/domain/Subtask"
import type { TaskState } from "@troupe/domain/TaskState"
import type { OutboxEntry } from "../Delivery/Outbox.ts"

export type Wake =
  /** The actor continues: the task stays due, so that the owner of the shard claims it if this process ends. */
  | { readonly _tag: "Keep" }
  /** The task waits or has ended: only a command wakes it. */
  | { readonly _tag: "Park" }
  /** Milliseconds from now by the database's clock, because the runners' clocks may differ. */
  | { readonly _tag: "After"; readonly millis: number }

export interface SubtaskRow {
  readonly id: TaskId
  readonly shard: number
  readonly request: SubtaskRequest
}

/** One step of one task, to be appended under the writer's epoch as number `seq`. */
export interface StepWrite {
  readonly taskId: TaskId
  readonly epoch: number
  readonly seq: number
  readonly step: Step
  readonly state: TaskState
  /** Null before the run is restored: the row keeps its counts. */
  readonly run: Run | null
  readonly progress: number
  readonly wake: Wake
  /** Attempts at the step after this one, without those that ended with their process. */
  readonly attempts: number
  /** True for a step that is no progress: the process deaths stay counted. */
  readonly keepsDeaths?: boolean
  /** How many commands the writer has read; a newer one overrides `Park`. */
  readonly inboxSeen: number
  readonly consumed: ReadonlyArray<string>
  readonly subtasks?: ReadonlyArray<SubtaskRow>
  readonly outgoing?: ReadonlyArray<OutboxEntry>
  /** True for the step that reads the results of all awaited subtasks. */
  readonly collects?: boolean
}
