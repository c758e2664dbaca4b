import type { Interrupted } from "@troupe/domain/FaultStep"
import type { TaskId, UserId } from "@troupe/domain/Ids"
import type { Limits } from "@troupe/domain/Limits"
import type { ModelPrices } from "@troupe/domain/ModelPrice"
import type { CallRequester } from "@troupe/domain/PolicyDecision"
import type { Run } from "@troupe/domain/Run"
import type { Step } from "@troupe/domain/Step"
import type { EndedSubtask, SubtaskRequest } from "@troupe/domain/Subtask"
import type { TaskStateEvent } from "@troupe/domain/TaskState"
import type { Effect } from "effect"
import type { OutboxEntry } from "../Delivery/Outbox.ts"
import type { ToolRule, ToolUser } from "../Tool/Toolboxes.ts"
import type { CompactionSettings } from "./Compaction.ts"

/** What the file of its agent says of a task (`makeTaskAgents`); left out without an agent. */
export interface AgentFacts {
  /** The tools that it may use. */
  readonly rule?: ToolRule
  readonly instructions?: string
  /** The skills that it may use; null: all. */
  readonly skills?: ReadonlyArray<string> | null
  readonly isWithoutMemory?: boolean
  /** The name of the model that works on it; the default one where it is null, left out or unknown. */
  readonly model?: string | null
  readonly summaryModel?: string | null
  readonly compactionMinTokens?: number | null
  readonly temperature?: number | null
}

/** What the loop knows of its task. */
export interface AgentTask extends Omit<ToolUser, "agents" | "rule">, AgentFacts {
  readonly taskId: TaskId
  readonly creator: UserId
  /** For whom its calls are made, as rules see it. */
  readonly requester: CallRequester
  readonly input: string
  readonly projectId: string | null
  readonly limits: Limits
  readonly tokenBudget: number | null
  /** What it and its subtasks may cost. */
  readonly maxCost: number | null
  /** The agent that works on it, with its revision and the number of its file among the shared texts; null: none. */
  readonly agent: string | null
  readonly agentRevision: string | null
  readonly agentText: number | null
}

export interface LoopSettings {
  readonly specialization: string
  readonly additionalInstructions: string | null
  readonly maxParallelToolCalls: number
  readonly compaction: CompactionSettings
  /** The name of the model that writes summaries; null or left out: the one that works on the task. */
  readonly summaryModel?: string | null
  readonly prices: ModelPrices
  /** Where people open the console; null or left out: unknown. */
  readonly console?: URL | null
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
  /** The number of a text, which is stored whatever becomes of the caller's transaction. A failure is a defect. */
  readonly keep: (text: string) => Effect.Effect<number>
  /** The text of a number. */
  readonly textOf: (number: number) => Effect.Effect<string>
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
