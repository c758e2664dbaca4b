import {
  MessageStorage,
  RunnerAddress,
  RunnerHealth,
  Runners as ClusterRunners,
  RunnerStorage,
  ShardId,
  Sharding,
  ShardingConfig
} from "@effect/cluster"
import type { TaskId } from "@troupe/domain/Ids"
import { parentLimits, subagentLimits } from "@troupe/domain/Limits"
import { type ModelPrices, priceOf } from "@troupe/domain/ModelPrice"
import { Context, Duration, Effect, ExecutionStrategy, Exit, Layer, Option, Scope } from "effect"
import { AgentLoop } from "../../src/Agent/AgentLoop.ts"
import type { CompactionSettings } from "../../src/Agent/Compaction.ts"
import type { IntentPreprocessing } from "../../src/Agent/IntentPreprocessing.ts"
import type { PromptContext } from "../../src/Agent/PromptContext.ts"
import { Model } from "../../src/Model/Model.ts"
import { withSpans } from "../../src/Model/ModelSpans.ts"
import { Policies } from "../../src/Policy/Policies.ts"
import type { RunEnd } from "../../src/Task/Actor/ActorState.ts"
import type { ActorSettings } from "../../src/Task/Actor/ActorState.ts"
import { TaskActors } from "../../src/Task/Actor/TaskActors.ts"
import { makeShardEntityIds, TaskShard } from "../../src/Task/Actor/TaskShard.ts"
import { Waker } from "../../src/Task/Actor/Waker.ts"
import type { Claim } from "../../src/Task/Claim/Claims.ts"
import { LiveText } from "../../src/Task/Events/LiveText.ts"
import { Draining } from "../../src/Task/Row/Draining.ts"
import { Shards } from "../../src/Task/Row/Shards.ts"
import * as SpendingJob from "../../src/Task/Spending/SpendingJob.ts"
import type { AgentTool } from "../../src/Tool/AgentTool.ts"
import { Toolboxes } from "../../src/Tool/Toolboxes.ts"
import { eventually } from "./Eventually.ts"
import { noPreprocessing, noSkills, timeOnly } from "./PromptContexts.ts"
import type { ScriptedModel } from "./ScriptedModel.ts"

export interface WorkerOptions extends Partial<ActorSettings> {
  readonly scripted: Pick<ScriptedModel, "layer">
  readonly tools?: ReadonlyArray<AgentTool>
  readonly maxActive?: number
  readonly prices?: ModelPrices
  /** Keeps to spending limits; without it, there are none. */
  readonly spending?: SpendingJob.SpendingOptions
  /** Without it, those of a new service. */
  readonly policies?: Layer.Layer<Policies>
  readonly recordsContent?: boolean
  readonly compaction?: CompactionSettings
  /** What the prompts have besides the time and the request. */
  readonly promptContext?: Layer.Layer<PromptContext>
  readonly preparation?: Layer.Layer<IntentPreprocessing>
  /** How often the worker scans by itself; four times a second by default. */
  readonly pollInterval?: Duration.DurationInput
  /** How long its end waits for the current steps; 1.5 s by default. */
  readonly grace?: Duration.DurationInput
  /**
   * Runs its entities in the world's cluster, where they can be watched, instead of in one of its own. The world's
   * cluster bears this of one worker only.
   */
  readonly inWorldCluster?: boolean
}

/** The scripted model with spans, as the models of the service have them. */
const traced = ({ prices = {}, recordsContent = false, scripted }: WorkerOptions) =>
  Layer.effect(
    Model,
    Effect.map(
      Model,
      (model) =>
        model.choose === undefined
          ? withSpans(model, { price: priceOf(prices, model.model), recordsContent })
          : model
    )
  ).pipe(Layer.provide(scripted.layer))

const actorsLayer = (options: WorkerOptions) =>
  TaskActors.layer({
    limits: { parent: parentLimits, subagent: subagentLimits },
    maxCrashes: 3,
    suspectPause: Duration.seconds(5),
    stepHandover: Duration.seconds(300),
    stepTimeout: { parent: Duration.seconds(300), subagent: Duration.seconds(600) },
    ...options
  }).pipe(
    Layer.provide(
      AgentLoop.layer({
        specialization: "testing",
        additionalInstructions: null,
        maxParallelToolCalls: 5,
        compaction: options.compaction ?? { threshold: 1000, maxRecent: 8, contextTokens: 1_000_000 },
        prices: options.prices ?? {},
        recordsContent: options.recordsContent ?? false
      }).pipe(Layer.provide(options.spending === undefined ? Layer.empty : SpendingJob.layer(options.spending)))
    ),
    Layer.provide([
      traced(options),
      options.promptContext ?? timeOnly,
      options.preparation ?? noPreprocessing,
      noSkills,
      Toolboxes.layer(options.tools ?? []),
      options.policies ?? Policies.layerOf()
    ])
  )

/** A cluster of one runner, in memory, which holds every shard. */
export const memoryCluster: Layer.Layer<Sharding.Sharding> = Layer.effectDiscard(
  Effect.flatMap(
    Sharding.Sharding,
    ({ hasShardId }) =>
      eventually(Effect.sync(() => hasShardId(ShardId.make("default", 1))), (holdsShards) => holdsShards)
  )
).pipe(
  Layer.provideMerge(Sharding.layer),
  Layer.provide([ClusterRunners.layerNoop, RunnerHealth.layerNoop]),
  Layer.provide([
    RunnerStorage.layerMemory,
    Layer.succeed(MessageStorage.MessageStorage, MessageStorage.MessageStorage.of({ ...MessageStorage.noop }))
  ]),
  Layer.provide(ShardingConfig.layer({
    runnerAddress: Option.some(RunnerAddress.make("127.0.0.1", 34_431)),
    entityTerminationTimeout: Duration.seconds(1),
    simulateRemoteSerialization: false
  }))
)

/** Actors in a cluster of their own, for a test that claims and begins runs by hand. */
export const makeEntities = (options: WorkerOptions) =>
  Effect.gen(function*() {
    const shards = yield* Shards
    const context = yield* Layer.build(
      LiveText.layer.pipe(
        Layer.provideMerge(actorsLayer(options)),
        Layer.provide(Draining.layer),
        Layer.provideMerge(memoryCluster),
        // A new layer, else the world's would be used, which is of another cluster.
        Layer.provide(Layer.succeed(Shards, shards))
      )
    )
    const actors = Context.get(context, TaskActors)
    const sharding = Context.get(context, Sharding.Sharding)
    const shardOf = yield* sharding.makeClient(TaskShard)
    const entityIdOf = makeShardEntityIds(sharding)
    return {
      /** Runs the task to the end of the run, or of the caller. */
      wake: (claim: Claim, progressed = () => {}) =>
        Effect.async<RunEnd>((resume) => {
          Effect.runFork(actors.begin(claim, { ended: (end) => resume(Effect.succeed(end)), progressed }))
          return Effect.sync(() => actors.interrupt(claim))
        }),
      interrupt: (claim: Claim) => Effect.sync(() => actors.interrupt(claim)),
      watch: (taskId: TaskId) => Context.get(context, LiveText).of(taskId),
      /** Ends when the shard of the task is lost. */
      watchOnce: (taskId: TaskId) => shardOf(entityIdOf(shards.of(taskId))).Watch({ taskId })
    }
  })

/** A worker that runs until it is stopped or the test ends. */
export const startWorker = (options: WorkerOptions) =>
  Effect.gen(function*() {
    const outer = yield* Effect.scope
    const scope = yield* Scope.fork(outer, ExecutionStrategy.sequential)
    const context = yield* Waker.layer({
      maxActive: options.maxActive ?? 16,
      pollInterval: Duration.decode(options.pollInterval ?? "250 millis"),
      grace: Duration.decode(options.grace ?? "1500 millis")
    }).pipe(
      Layer.provideMerge(actorsLayer(options)),
      Layer.provideMerge(Draining.layer),
      Layer.provideMerge(
        options.inWorldCluster === true ? Layer.service(Sharding.Sharding) : memoryCluster
      ),
      Layer.build,
      Scope.extend(scope)
    )
    return {
      waker: Context.get(context, Waker),
      draining: Context.get(context, Draining),
      /** Entities that are in memory. */
      entities: Context.get(context, Sharding.Sharding).activeEntityCount,
      stop: Scope.close(scope, Exit.void)
    }
  })
