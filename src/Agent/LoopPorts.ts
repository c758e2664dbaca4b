import type { TaskId } from "@troupe/domain/Ids"
import type { Run } from "@troupe/domain/Run"
import type { Step } from "@troupe/domain/Step"
import type { EndedSubtask, SubtaskRequest } from "@troupe/domain/Subtask"
import type { TaskEvent } from "@troupe/domain/TaskState"
import type { Effect } from "effect"
import type { OutboxEntry } from "../Delivery/Outbox.ts"

export interface StepOutcome {
  readonly step: Step
  readonly event: TaskEvent | null
  /** Epoch milliseconds at which a sleeping task resumes. */
  readonly sleepUntil: number | null
  readonly dispatch?: ReadonlyArray<NewSubtask>
  readonly collects?: boolean
  /** Messages that leave the service if the step is journalled. */
  readonly outgoing?: ReadonlyArray<OutboxEntry>
}

export interface NewSubtask {
  readonly id: TaskId
  readonly request: SubtaskRequest
}

export interface SubtaskPort {
  readonly newIds: (count: number) => Effect.Effect<ReadonlyArray<TaskId>>
  /** Those of these that have ended; one that was deleted has failed. */
  readonly ended: (ids: ReadonlyArray<TaskId>) => Effect.Effect<ReadonlyArray<EndedSubtask>>
}

export interface LoopPorts<E> {
  /** Journals an outcome. Nothing of a step is acted on before this returns. */
  readonly record: (outcome: StepOutcome) => Effect.Effect<Run, E>
  /** False when the actor lost its shard or was asked to hand over. */
  readonly mayContinue: Effect.Effect<boolean>
  readonly subtasks: SubtaskPort
  /** Undefined when nobody watches. */
  readonly onText: () => ((delta: string) => Effect.Effect<void>) | undefined
}

export const goesOn = (step: Step): StepOutcome => ({ step, event: null, sleepUntil: null })

/** A step that changes the task's status. */
export const withEvent = (step: Step, event: TaskEvent): StepOutcome => ({ step, event, sleepUntil: null })
