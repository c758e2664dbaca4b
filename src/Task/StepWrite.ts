import type { TaskId } from "@troupe/domain/Ids"
import type { Run } from "@troupe/domain/Run"
import type { Step } from "@troupe/domain/Step"
import type { SubtaskRequest } from "@troupe/domain/Subtask"
import type { TaskState } from "@troupe/domain/TaskState"

/** What becomes of the actor's wake-up with a step. */
export type Wake =
  /** The actor goes on: the wake-up stays due, so that whoever owns the shard finds the task should this actor fall. */
  | { readonly _tag: "Keep" }
  /** The task waits or is over: nothing wakes it but a command. */
  | { readonly _tag: "Park" }
  /** So many milliseconds from now, by the database's clock: the runners' clocks may differ. */
  | { readonly _tag: "After"; readonly millis: number }

/** A subtask that is made in the commit of its parent's step. */
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
  /** Null while the run is not restored: what the row says of it then stays. */
  readonly run: Run | null
  readonly progress: number
  readonly wake: Wake
  /** How many runs have tried what comes after this step, without those that ended with their process. */
  readonly attempts: number
  /** True for a step with which the task gets no further: its process deaths stay counted. */
  readonly keepsDeaths?: boolean
  /** How many commands the writer knows of; an unknown one overrules `Park`. */
  readonly inboxSeen: number
  /** Keys of the commands that this step acts on. */
  readonly consumed: ReadonlyArray<string>
  readonly subtasks?: ReadonlyArray<SubtaskRow>
  /** True for the step that acts on the end of all subtasks that were awaited. */
  readonly collects?: boolean
}
