import type { TaskId, UserId } from "@troupe/domain/Ids"
import type { Limits } from "@troupe/domain/Limits"
import type { Run } from "@troupe/domain/Run"
import type { Step } from "@troupe/domain/Step"
import type { EndedSubtask, SubtaskRequest } from "@troupe/domain/Subtask"
import type { AgentType, TaskType } from "@troupe/domain/Task"
import type { TaskEvent } from "@troupe/domain/TaskState"
import { Context, Effect, Layer } from "effect"
import { Sandbox } from "../File/Sandbox.ts"
import { Model } from "../Model/Model.ts"
import { type SpanOf, Tracing } from "../Runtime/Tracing.ts"
import type { Toolbox } from "../Tool/Toolbox.ts"
import { Toolboxes } from "../Tool/Toolboxes.ts"
import { Briefings } from "./Briefings.ts"
import { mayExtractSteps } from "./CallPlan.ts"
import type { CompactionSettings } from "./Compaction.ts"
import { modelStep } from "./ModelStep.ts"
import { makeAskSeeing } from "./Pictures.ts"
import { Preparation } from "./Preparation.ts"
import { loadTokenizer } from "./TokenEstimate.ts"
import { surplus } from "./ToolSelection.ts"
import { toolStep } from "./ToolStep.ts"

/** The facts of a task that its loop works with. */
export interface AgentTask {
  readonly id: TaskId
  readonly userId: UserId
  readonly type: TaskType
  readonly agentType: AgentType | null
  readonly input: string
  readonly projectId: string | null
  readonly limits: Limits
  readonly tokenBudget: number | null
}

/** What a step came to: what to journal, and what it does to the status and to the task's wake-up. */
export interface StepOutcome {
  readonly step: Step
  /** The change of status, or null when the task goes on running. */
  readonly event: TaskEvent | null
  /** Epoch milliseconds at which a task that sleeps goes on; null for one that does not sleep. */
  readonly sleepUntil: number | null
  /** Subtasks to make in the commit of this step. */
  readonly dispatch?: ReadonlyArray<NewSubtask>
  /** True for a step that acts on the end of all subtasks that were awaited. */
  readonly collects?: boolean
}

export interface NewSubtask {
  readonly id: TaskId
  readonly request: SubtaskRequest
}

/** The subtasks of the task at work. */
export interface SubtaskPort {
  readonly newIds: (count: number) => Effect.Effect<ReadonlyArray<TaskId>>
  /** Those of these that have ended; one that was deleted has failed. */
  readonly ended: (ids: ReadonlyArray<TaskId>) => Effect.Effect<ReadonlyArray<EndedSubtask>>
}

/** How the loop is bound to the actor that runs it. */
export interface LoopPorts<E> {
  /** Journals an outcome and answers the run after it. Nothing of a step is acted on before this returns. */
  readonly record: (outcome: StepOutcome) => Effect.Effect<Run, E>
  /** True while this actor may take another step: its shard is its own, and nobody asked it to hand over. */
  readonly mayContinue: Effect.Effect<boolean>
  readonly subtasks: SubtaskPort
  /** Hands over a piece of the model's text; undefined when nobody watches, so that nothing is streamed. */
  readonly onText: () => ((delta: string) => Effect.Effect<void>) | undefined
}

export interface LoopSettings {
  readonly specialization: string
  readonly additionalInstructions: string | null
  readonly maxParallelToolCalls: number
  readonly compaction: CompactionSettings
}

/**
 * Reason, act, repeat (service.md, "Parent agent versus subagent"): model steps and tool steps in turn, each
 * journalled before the next, until the task ends, sleeps or must be handed over. It knows nothing of HTTP, SQL or
 * the cluster.
 */
export class AgentLoop extends Context.Tag("troupe/Agent/AgentLoop")<AgentLoop, {
  readonly run: <E>(task: AgentTask, start: Run, ports: LoopPorts<E>) => Effect.Effect<void, E>
}>() {
  static readonly layer = (
    settings: LoopSettings
  ): Layer.Layer<AgentLoop, never, Model | Toolboxes | Sandbox | Briefings | Preparation> =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const model = yield* Model
        const toolboxes = yield* Toolboxes
        const sandbox = yield* Sandbox
        const briefings = yield* Briefings
        const ask = makeAskSeeing(model, sandbox)
        const preparation = yield* Preparation
        const tokenizer = yield* Effect.cached(loadTokenizer)
        const tracing = yield* Tracing
        const run = <E>(task: AgentTask, start: Run, ports: LoopPorts<E>): Effect.Effect<void, E> =>
          Effect.gen(function*() {
            const toolbox = yield* toolboxes.open(task)
            const briefing = yield* briefings.of(task)
            let current = start
            let isPrepared = !isUnprepared(task, start, toolbox)
            while (yield* ports.mayContinue) {
              if (!isPrepared) {
                isPrepared = true
                const mayExtract = yield* mayExtractSteps(
                  { settings, briefing, task, tokenizer, toolbox, model },
                  current
                )
                const prepared = yield* tracing.traced(
                  preparing,
                  preparation.of(task, toolbox.toolSet().tools, mayExtract)
                )
                if (prepared !== null) {
                  current = yield* ports.record({ step: prepared, event: null, sleepUntil: null })
                }
                // It has used up time of its own: the model's step is timed from `mayContinue` on.
                continue
              }
              const run = current
              const outcome = run.turn === null
                ? yield* tracing.traced(
                  modelling,
                  Effect.flatMap(preparation.skillsOf(run.prepared), (skills) =>
                    modelStep(
                      {
                        model,
                        ask,
                        toolbox,
                        sandbox,
                        settings,
                        briefing,
                        skills,
                        task,
                        tokenizer,
                        onText: ports.onText()
                      },
                      run
                    ))
                )
                : yield* tracing.traced(
                  calling,
                  toolStep({ toolbox, settings, task, record: ports.record, subtasks: ports.subtasks, tracing }, run)
                )
              current = yield* ports.record(outcome)
              if (outcome.event !== null || outcome.sleepUntil !== null) return
            }
          }).pipe(Effect.scoped)
        return AgentLoop.of({ run })
      })
    )
}

const preparing: SpanOf<unknown> = { name: "preparation" }

const modelling: SpanOf<StepOutcome> = {
  name: "model step",
  ended: ({ step }) => ({
    facts: {
      step: step.kind,
      ...(step.kind === "model" ? { input_tokens: step.tokens[0], output_tokens: step.tokens[1] } : {})
    },
    isError: step.kind === "failed"
  })
}

const calling: SpanOf<StepOutcome> = { name: "tool step", ended: ({ step }) => ({ facts: { step: step.kind } }) }

/**
 * Nothing is prepared when the work has begun. Of a subtask (service.md, "Parent agent versus subagent") only the tools
 * are, where there are more than can be bound.
 */
const isUnprepared = ({ type }: AgentTask, { modelCalls, prepared }: Run, toolbox: Toolbox): boolean =>
  prepared === null && modelCalls === 0 && (type === "task" || surplus(toolbox.toolSet().tools).length > 0)
