import type { TaskId, UserId } from "@troupe/domain/Ids"
import type { ModelPrices } from "@troupe/domain/ModelPrice"
import type { Limits, Run } from "@troupe/domain/Run"
import type { Interrupted, Step } from "@troupe/domain/Step"
import type { EndedSubtask, SubtaskRequest } from "@troupe/domain/Subtask"
import type { TaskStateEvent } from "@troupe/domain/TaskState"
import type { Effect } from "effect"
import type { OutboxEntry } from "../Delivery/Outbox.ts"
import type { ToolUser } from "../Tool/Toolboxes.ts"
import type { CompactionSettings } from "./Compaction.ts"

/** What the loop knows of its task. */
export interface AgentTask extends ToolUser {
  readonly taskId: TaskId
  readonly creator: UserId
  readonly input: string
  readonly projectId: string | null
  readonly limits: Limits
  readonly tokenBudget: number | null
  /** What it and its subtasks may cost. */
  readonly maxCost: number | null
}

export interface LoopSettings {
  readonly specialization: string
  readonly additionalInstructions: string | null
  readonly maxParallelToolCalls: number
  readonly compaction: CompactionSettings
  readonly prices: ModelPrices
  /** Whether spans contain messages, and the arguments and results of tool calls. */
  readonly recordsContent: boolean
}

export interface StepOutcome {
  readonly step: Step
  readonly event: TaskStateEvent | null
  /** Epoch milliseconds at which a sleeping task resumes. */
  readonly sleepUntil: number | null
  readonly dispatch?: ReadonlyArray<NewSubtask>
  readonly collects?: boolean
  /** Messages to send if the step is journalled. */
  readonly outgoing?: ReadonlyArray<OutboxEntry>
}

/** The run after a step. */
export interface Recorded {
  readonly run: Run
  /** A message kept the task from completing: the run goes on. */
  readonly isReopened: boolean
}

export interface NewSubtask {
  readonly id: TaskId
  readonly request: SubtaskRequest
}

export interface SubtaskPort {
  readonly newIds: (count: number) => Effect.Effect<ReadonlyArray<TaskId>>
  /** The ended ones among these; a deleted subtask counts as failed. */
  readonly ended: (ids: ReadonlyArray<TaskId>) => Effect.Effect<ReadonlyArray<EndedSubtask>>
}

/** Keeps texts that the prompts of many tasks have in common, each once under a number. */
export interface PromptTextPort {
  /** Undefined for one that this process has not stored yet. */
  readonly numberOf: (text: string) => number | undefined
  /** Gives the texts a number. A failure is logged: the step is journalled without its prompt. */
  readonly store: (texts: ReadonlyArray<string>) => Effect.Effect<void>
}

export interface AgentDependencies<E> {
  /** Journals an outcome. Nothing of a step is acted on before this returns. */
  readonly record: (outcome: StepOutcome) => Effect.Effect<Recorded, E>
  /** Asked before each step, whose time begins then. False when the actor lost its shard or was asked to hand over. */
  readonly mayContinue: () => boolean
  readonly subtasks: SubtaskPort
  readonly promptTexts: PromptTextPort
  /** A call of the model was interrupted: what it cost by then. */
  readonly cut: (step: Interrupted) => void
  /** Undefined when nobody watches. */
  readonly onText: () => ((delta: string) => Effect.Effect<void>) | undefined
}

/** A step that keeps the task's status. */
export const withoutEvent = (step: Step): StepOutcome => ({ step, event: null, sleepUntil: null })

/** A step that changes the task's status. */
export const withEvent = (step: Step, event: TaskStateEvent): StepOutcome => ({ step, event, sleepUntil: null })
