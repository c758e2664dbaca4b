import {
  Entity,
  MessageStorage,
  RunnerAddress,
  RunnerHealth,
  Runners as ClusterRunners,
  RunnerStorage,
  ShardId,
  Sharding,
  ShardingConfig
} from "@effect/cluster"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { layer as shared } from "@effect/vitest"
import type { TaskId } from "@troupe/domain/Ids"
import { parentLimits, subagentLimits } from "@troupe/domain/Limits"
import type { ModelPrices } from "@troupe/domain/ModelPrice"
import {
  Context,
  Duration,
  Effect,
  ExecutionStrategy,
  Exit,
  Layer,
  Logger,
  LogLevel,
  Option,
  Redacted,
  Scope,
  Stream
} from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client } from "pg"
import { AgentLoop } from "../../src/Agent/AgentLoop.ts"
import { NotificationRepo } from "../../src/Delivery/NotificationRepo.ts"
import { Notifications } from "../../src/Delivery/Notifications.ts"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { Snapshots } from "../../src/File/Snapshots.ts"
import { UserRepo } from "../../src/People/UserRepo.ts"
import { Users } from "../../src/People/Users.ts"
import * as Cluster from "../../src/Runtime/Cluster.ts"
import { DatabaseUrl } from "../../src/Runtime/DatabaseUrl.ts"
import { Listener } from "../../src/Runtime/Listener.ts"
import { PreparedStatements } from "../../src/Runtime/PreparedStatements.ts"
import { queues, QueueSignals } from "../../src/Runtime/QueueSignals.ts"
import { ScheduledJobRepo } from "../../src/Runtime/ScheduledJobRepo.ts"
import { ScheduledJobs } from "../../src/Runtime/ScheduledJobs.ts"
import { SearchStatements } from "../../src/Runtime/SearchStatements.ts"
import * as Sql from "../../src/Runtime/Sql.ts"
import type { ActorSettings } from "../../src/Task/ActorState.ts"
import { AllTaskEvents } from "../../src/Task/AllTaskEvents.ts"
import { type Claim, Claims } from "../../src/Task/Claims.ts"
import { Draining } from "../../src/Task/Draining.ts"
import { Inbox } from "../../src/Task/Inbox.ts"
import { Journal } from "../../src/Task/Journal.ts"
import { LiveText } from "../../src/Task/LiveText.ts"
import { Runners } from "../../src/Task/Runners.ts"
import { Shards } from "../../src/Task/Shards.ts"
import { Subtasks } from "../../src/Task/Subtasks.ts"
import { TaskCommands } from "../../src/Task/TaskCommands.ts"
import { TaskEntity } from "../../src/Task/TaskEntity.ts"
import { TaskEntityLayer } from "../../src/Task/TaskEntityLayer.ts"
import { TaskEvents } from "../../src/Task/TaskEvents.ts"
import { TaskRepo } from "../../src/Task/TaskRepo.ts"
import type { Tasks } from "../../src/Task/Tasks.ts"
import { channels, TaskSignals } from "../../src/Task/TaskSignals.ts"
import { TasksLayer } from "../../src/Task/TasksLayer.ts"
import { TaskTransactions } from "../../src/Task/TaskTransactions.ts"
import { Waker } from "../../src/Task/Waker.ts"
import type { AgentTool } from "../../src/Tool/AgentTool.ts"
import { Toolboxes } from "../../src/Tool/Toolboxes.ts"
import * as Database from "./Database.ts"
import { eventually } from "./Eventually.ts"
import { noPreprocessing, timeOnly } from "./PromptContexts.ts"
import { type ScriptedModel } from "./ScriptedModel.ts"

export const lockExpirationSeconds = 20

/** A statement as it went to the database. */
export interface Sent {
  readonly name: string
  readonly text: string
  readonly values: ReadonlyArray<unknown>
}

/** What passes between the service and the database, and a hand on it. */
export class Wire extends Context.Tag("troupe/test/support/TaskWorld/Wire")<Wire, {
  /** Every prepared statement so far. */
  readonly sent: Array<Sent>
  /** Runs before a statement goes out: to hold it back, or to fail instead of sending it. */
  before: (statement: Sent) => Effect.Effect<void, SqlError>
  /** Runs once a statement has committed, before the service hears of it: to hold the answer back, or to lose it. */
  after: (statement: Sent) => Effect.Effect<void, SqlError>
  /** One statement past the service. */
  readonly query: <R extends object>(text: string, values?: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<R>>
}>() {}

const wire = Layer.scoped(
  Wire,
  Effect.gen(function*() {
    const url = yield* DatabaseUrl
    const client = yield* Effect.acquireRelease(
      Effect.promise(() => {
        const client = new Client({ connectionString: Redacted.value(url) })
        return client.connect().then(() => client)
      }),
      (client) => Effect.promise(() => client.end())
    )
    const oneByOne = (yield* Effect.makeSemaphore(1)).withPermits(1)
    return Wire.of({
      sent: [],
      before: () => Effect.void,
      after: () => Effect.void,
      query: <R extends object>(text: string, values: ReadonlyArray<unknown> = []) =>
        oneByOne(Effect.promise(() => client.query<R>(text, [...values]).then((result) => result.rows)))
    })
  })
)

const watchedStatements = Layer.effect(
  PreparedStatements,
  Effect.gen(function*() {
    const line = yield* Wire
    const real = yield* PreparedStatements
    return PreparedStatements.of({
      execute: (statement, values) =>
        Effect.suspend(() => {
          const sent = { name: statement.name, text: statement.text, values }
          line.sent.push(sent)
          return Effect.zipRight(line.before(sent), real.execute(statement, values)).pipe(
            Effect.tap(() => line.after(sent))
          )
        })
    })
  })
).pipe(Layer.provide(PreparedStatements.layer({ maxConnections: 6 })))

/** A long time-out, so that a test may hold a search up for as long as it likes. */
const searches = SearchStatements.layer({ maxConnections: 2, timeout: "60 seconds" })

const cluster = Cluster.alone({
  host: "127.0.0.1",
  port: 34_431,
  shardLockExpiration: Duration.seconds(lockExpirationSeconds),
  shardLockRefreshInterval: Duration.seconds(5),
  refreshAssignmentsInterval: Duration.seconds(1),
  healthCheckInterval: Duration.seconds(2),
  terminationTimeout: Duration.seconds(1)
})

const jobs = ScheduledJobs.layer.pipe(Layer.provide(ScheduledJobRepo.layer({ lockExpirationSeconds })))

const sandbox = Layer.unwrapScoped(
  Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "troupe-files-"))),
    (root) => Effect.promise(() => rm(root, { recursive: true, force: true }))
  ).pipe(Effect.map((root) => Layer.merge(Sandbox.layer({ root }), Snapshots.layer({ root }))))
)

export type World =
  | AllTaskEvents
  | Claims
  | DatabaseUrl
  | Inbox
  | Journal
  | Notifications
  | PreparedStatements
  | QueueSignals
  | Runners
  | Sandbox
  | ScheduledJobs
  | SearchStatements
  | SqlClient
  | Sharding.Sharding
  | ShardingConfig.ShardingConfig
  | Snapshots
  | Shards
  | Subtasks
  | TaskCommands
  | TaskEvents
  | TaskRepo
  | TaskSignals
  | Tasks
  | TaskTransactions
  | UserRepo
  | Users
  | Wire

/** Everything about tasks but a worker, on a database of its own: one runner that holds every shard. */
export const layer: Layer.Layer<World> = Layer.effectDiscard(
  Effect.gen(function*() {
    const shards = yield* Shards
    yield* eventually(Effect.sync(() => shards.owned().length), (owned) => owned === 300)
  })
).pipe(
  Layer.provideMerge(Layer.provideMerge(TasksLayer, TaskTransactions.layer)),
  Layer.provideMerge(Notifications.layer.pipe(Layer.provide(NotificationRepo.layer))),
  Layer.provideMerge(Users.layer.pipe(Layer.provideMerge(UserRepo.layer))),
  Layer.provideMerge(Layer.mergeAll(
    TaskRepo.layer,
    TaskCommands.layer,
    TaskEvents.layer.pipe(Layer.provide(LiveText.layer)),
    AllTaskEvents.layer,
    Inbox.layer,
    Subtasks.layer,
    Claims.layer({ lockExpirationSeconds }),
    Runners.layer({ lockExpirationSeconds })
  )),
  Layer.provideMerge(Layer.mergeAll(Journal.layer, Shards.layer, sandbox, jobs)),
  Layer.provideMerge(cluster),
  Layer.provideMerge(
    Layer.mergeAll(
      watchedStatements,
      searches,
      Layer.merge(TaskSignals.layer, QueueSignals.layer).pipe(
        Layer.provide(Listener.layer({ channels: [...channels, ...queues] }))
      )
    )
  ),
  Layer.provideMerge(Layer.mergeAll(wire, Layer.orDie(Sql.layer({ maxConnections: 3 })))),
  Layer.provideMerge(Database.layer),
  // Crashes are on purpose here.
  Layer.merge(Logger.minimumLogLevel(LogLevel.None))
)

/** Tests over one world, which they share; each begins with empty tables. */
export const inWorld = (
  name: string,
  tests: (
    test: <A, E>(name: string, body: Effect.Effect<A, E, Scope.Scope | World>) => void
  ) => void
): void =>
  shared(layer, { excludeTestServices: true })(
    name,
    (it) => tests((name, body) => it.scoped(name, () => Effect.zipRight(empty, body)))
  )

/** Skips the tables that nothing was written to: truncating one makes its files and those of its indexes anew. */
const truncation = `do $$ declare used text; begin
  select string_agg(name, ',') into used from regexp_split_to_table(
    'tasks, event_positions, task_threads, inbound_messages, chat_claims, actors, steps, inbox, idempotency_keys, notifications, memory_owners, memories, remembered_tasks,
      scheduled_jobs, erasures, outbox, file_reservations, former_members, schedules, subscriptions, mail_ledger,
      channels, channel_members, channel_messages', ',\\s*'
  ) name where pg_relation_size(name::regclass) > 0;
  if used is not null then execute 'truncate ' || used || ' cascade'; end if;
end $$`

const empty = Effect.gen(function*() {
  const line = yield* Wire
  line.before = () => Effect.void
  line.after = () => Effect.void
  line.sent.length = 0
  yield* line.query(truncation)
  yield* line.query("insert into event_positions values ('0', '00000000-0000-0000-0000-000000000000', -1)")
})

export interface WorkerOptions extends Partial<ActorSettings> {
  readonly scripted: ScriptedModel
  readonly tools?: ReadonlyArray<AgentTool>
  readonly maxActive?: number
  readonly prices?: ModelPrices
  /** How often the worker scans by itself; four times a second by default. */
  readonly pollInterval?: Duration.DurationInput
  /**
   * Runs its entities in the world's cluster, where they can be watched, instead of in one of its own. The world's
   * cluster bears this of one worker only.
   */
  readonly inWorldCluster?: boolean
}

const entityLayer = (options: WorkerOptions) =>
  TaskEntityLayer({
    limits: { parent: parentLimits, subagent: subagentLimits },
    maxCrashes: 3,
    suspectPause: Duration.seconds(5),
    stepTimeout: { parent: Duration.seconds(300), subagent: Duration.seconds(600) },
    ...options
  }).pipe(
    Layer.provide(
      AgentLoop.layer({
        specialization: "testing",
        additionalInstructions: null,
        maxParallelToolCalls: 5,
        compaction: { threshold: 1000, maxRecent: 8, contextTokens: 1_000_000, contextShare: 0.75 },
        prices: options.prices ?? {}
      })
    ),
    Layer.provide([
      options.scripted.layer,
      timeOnly,
      noPreprocessing,
      Toolboxes.layer(options.tools ?? [])
    ])
  )

/** Task entities without a cluster, for a test that claims and wakes by hand. */
export const makeEntities = (options: WorkerOptions) =>
  Effect.gen(function*() {
    const entityOf = yield* Entity.makeTestClient(TaskEntity, Layer.provide(entityLayer(options), Draining.layer))
    return {
      wake: (claim: Claim) => Effect.flatMap(entityOf(claim.taskId), (entity) => entity.Wake(claim)),
      interrupt: (claim: Claim) => Effect.flatMap(entityOf(claim.taskId), (entity) => entity.Interrupt(claim)),
      watch: (taskId: TaskId) => Stream.unwrap(Effect.map(entityOf(taskId), (entity) => entity.Watch()))
    }
  })

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

/** A worker that runs until it is stopped or the test ends. */
export const startWorker = (options: WorkerOptions) =>
  Effect.gen(function*() {
    const outer = yield* Effect.scope
    const scope = yield* Scope.fork(outer, ExecutionStrategy.sequential)
    const context = yield* Waker.layer({
      maxActive: options.maxActive ?? 16,
      pollInterval: Duration.decode(options.pollInterval ?? "250 millis"),
      grace: Duration.millis(1500)
    }).pipe(
      Layer.provideMerge(entityLayer(options)),
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
