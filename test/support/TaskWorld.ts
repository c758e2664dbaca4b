import type { Sharding, ShardingConfig } from "@effect/cluster"
import type { SqlError } from "@effect/sql/SqlError"
import { layer as shared } from "@effect/vitest"
import { TaskId, UserId } from "@troupe/domain/Ids"
import { parentLimits, subagentLimits } from "@troupe/domain/Limits"
import { advance, emptyRun } from "@troupe/domain/Run"
import type { Step } from "@troupe/domain/Step"
import { initialState } from "@troupe/domain/TaskState"
import {
  Cause,
  Context,
  DateTime,
  Duration,
  Effect,
  ExecutionStrategy,
  Exit,
  Layer,
  Logger,
  LogLevel,
  Option,
  Redacted,
  Scope
} from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client } from "pg"
import { v7 } from "uuid"
import { AgentLoop } from "../../src/Agent/AgentLoop.ts"
import { Briefings } from "../../src/Agent/Briefings.ts"
import { Preparation } from "../../src/Agent/Preparation.ts"
import { NotificationRepo } from "../../src/Delivery/NotificationRepo.ts"
import { Notifications } from "../../src/Delivery/Notifications.ts"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { UserRepo } from "../../src/People/UserRepo.ts"
import { Users } from "../../src/People/Users.ts"
import * as Cluster from "../../src/Runtime/Cluster.ts"
import { DatabaseUrl } from "../../src/Runtime/DatabaseUrl.ts"
import { Listener } from "../../src/Runtime/Listener.ts"
import { PreparedStatements } from "../../src/Runtime/PreparedStatements.ts"
import { SearchStatements } from "../../src/Runtime/SearchStatements.ts"
import * as Sql from "../../src/Runtime/Sql.ts"
import { type Claim, Claims } from "../../src/Task/Claims.ts"
import { Draining } from "../../src/Task/Draining.ts"
import { Inbox } from "../../src/Task/Inbox.ts"
import { Journal } from "../../src/Task/Journal.ts"
import { LiveText } from "../../src/Task/LiveText.ts"
import { Runners } from "../../src/Task/Runners.ts"
import { Shards } from "../../src/Task/Shards.ts"
import type { StepWrite } from "../../src/Task/StepWrite.ts"
import { Subtasks } from "../../src/Task/Subtasks.ts"
import { type ActorSettings, TaskActors } from "../../src/Task/TaskActors.ts"
import { TaskCommands } from "../../src/Task/TaskCommands.ts"
import { TaskEntityLayer } from "../../src/Task/TaskEntityLayer.ts"
import { TaskRepo } from "../../src/Task/TaskRepo.ts"
import { type TaskRequest, Tasks } from "../../src/Task/Tasks.ts"
import { channels, TaskSignals } from "../../src/Task/TaskSignals.ts"
import { TasksLayer } from "../../src/Task/TasksLayer.ts"
import { Waker } from "../../src/Task/Waker.ts"
import type { Tool } from "../../src/Tool/Tool.ts"
import { Toolboxes } from "../../src/Tool/Toolboxes.ts"
import * as Database from "./Database.ts"
import { call, type ScriptedModel } from "./ScriptedModel.ts"

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

const sandbox = Layer.unwrapScoped(
  Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "troupe-files-"))),
    (root) => Effect.promise(() => rm(root, { recursive: true, force: true }))
  ).pipe(Effect.map((root) => Sandbox.layer({ root })))
)

export type World =
  | Claims
  | DatabaseUrl
  | Inbox
  | Journal
  | Notifications
  | PreparedStatements
  | Runners
  | Sandbox
  | SearchStatements
  | Sharding.Sharding
  | ShardingConfig.ShardingConfig
  | Shards
  | Subtasks
  | TaskCommands
  | TaskRepo
  | TaskSignals
  | Tasks
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
  Layer.provideMerge(TasksLayer),
  Layer.provideMerge(Notifications.layer.pipe(Layer.provide(NotificationRepo.layer))),
  Layer.provideMerge(Users.layer.pipe(Layer.provideMerge(UserRepo.layer))),
  Layer.provideMerge(Layer.mergeAll(
    TaskRepo.layer,
    TaskCommands.layer,
    LiveText.layer,
    Inbox.layer,
    Subtasks.layer,
    Claims.layer({ lockExpirationSeconds }),
    Runners.layer({ lockExpirationSeconds })
  )),
  Layer.provideMerge(Layer.mergeAll(Journal.layer, Shards.layer, sandbox)),
  Layer.provideMerge(cluster),
  Layer.provideMerge(
    Layer.mergeAll(watchedStatements, searches, TaskSignals.layer.pipe(Layer.provide(Listener.layer({ channels }))))
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

const empty = Effect.gen(function*() {
  const line = yield* Wire
  line.before = () => Effect.void
  line.after = () => Effect.void
  line.sent.length = 0
  yield* line.query(
    `truncate tasks, actors, steps, inbox, idempotency_keys, notifications, memory_owners, memories, remembered_tasks`
  )
})

export interface WorkerOptions extends Partial<ActorSettings> {
  readonly scripted: ScriptedModel
  readonly tools?: ReadonlyArray<Tool>
  readonly maxActive?: number
  /** How often the worker looks by itself; four times a second by default. */
  readonly pollInterval?: Duration.DurationInput
  /** Answers calls to the actors through the cluster too. The world's cluster bears this of one worker only. */
  readonly withEntity?: boolean
}

const actorsLayer = (options: WorkerOptions) =>
  TaskActors.layer({
    limits: { parent: parentLimits, subagent: subagentLimits },
    maxCrashes: 3,
    stepTimeout: { parent: Duration.seconds(300), subagent: Duration.seconds(600) },
    ...options
  }).pipe(
    Layer.provide(
      AgentLoop.layer({
        specialization: "testing",
        additionalInstructions: null,
        maxParallelToolCalls: 5,
        compaction: { threshold: 1000, maxRecent: 8, contextTokens: 1_000_000, contextShare: 0.75 }
      })
    ),
    Layer.provide([
      options.scripted.layer,
      Briefings.layerNoop,
      Preparation.layerNoop,
      Toolboxes.layer(options.tools ?? [])
    ]),
    Layer.provideMerge(Draining.layer)
  )

/** The actors alone, for a test that claims and wakes by hand. */
export const makeActors = (options: WorkerOptions) =>
  Effect.map(Layer.build(actorsLayer(options)), (context) => Context.get(context, TaskActors))

/** A worker that runs until it is stopped or the test ends. */
export const startWorker = (options: WorkerOptions) =>
  Effect.gen(function*() {
    const outer = yield* Effect.scope
    const scope = yield* Scope.fork(outer, ExecutionStrategy.sequential)
    const context = yield* Waker.layer({
      maxActive: options.maxActive ?? 16,
      pollInterval: Duration.decode(options.pollInterval ?? "250 millis")
    }).pipe(
      Layer.provideMerge(options.withEntity === true ? TaskEntityLayer : Layer.empty),
      Layer.provideMerge(actorsLayer(options)),
      Layer.build,
      Scope.extend(scope)
    )
    return {
      waker: Context.get(context, Waker),
      actors: Context.get(context, TaskActors),
      draining: Context.get(context, Draining),
      stop: Scope.close(scope, Exit.void)
    }
  })

export const alice = UserId.make("alice")
export const bob = UserId.make("bob")

export const request = (message: string, more: Partial<TaskRequest> = {}): TaskRequest => ({
  message,
  userId: alice,
  title: Option.none(),
  projectId: Option.none(),
  attachments: [],
  continueTaskId: Option.none(),
  maxTokensTotal: Option.none(),
  idempotency: Option.none(),
  ...more
})

/** A task of this user that is due now. */
export const givenTask = (message = "Do it", userId: UserId = alice): Effect.Effect<TaskId, never, Tasks> =>
  Effect.flatMap(Tasks, (tasks) => tasks.submit(request(message, { userId }))).pipe(
    Effect.map(({ id }) => id),
    Effect.orDie
  )

/** A subtask of a task, in some status. */
export const givenSubtask = (parent: TaskId, status = "pending"): Effect.Effect<TaskId, never, Shards | Wire> =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    const shards = yield* Shards
    const now = yield* DateTime.now
    const id = TaskId.make(v7())
    yield* query(
      `insert into tasks (id, created_at, creator, title, description, task_type, agent_type, parent_task_id)
       values ($1, $2, $3, 'Part', 'A part', 'subtask', 'general', $4)`,
      [id, DateTime.formatIso(now), alice, parent]
    )
    yield* query(
      "insert into actors (task_id, shard, creator, updated_at, wake_at, status) values ($1, $2, $3, now(), now(), $4)",
      [id, shards.of(id), alice, status]
    )
    return id
  })

/** Claims this task and no other; it must be due. */
export const claim = (id: TaskId): Effect.Effect<Claim, never, Claims | Wire> =>
  Effect.gen(function*() {
    const claims = yield* Claims
    const { query } = yield* Wire
    const others = yield* query<{ readonly task_id: TaskId }>("select task_id from actors where task_id <> $1", [id])
    const active = new Map(others.map(({ task_id }) => [task_id, "nobody"]))
    const [taken] = yield* Effect.orDie(claims.take({ free: 1, perUser: 1, after: "", active }))
    return taken ?? (yield* Effect.dieMessage(`Task ${id} was not claimed`))
  })

/** A step that a claim's actor is to write next, of a task that goes on unless the test says otherwise. */
export const stepAfter = (
  { epoch, seq, taskId, type }: Claim,
  step: Step,
  over: Partial<StepWrite> = {}
): StepWrite => ({
  taskId,
  epoch,
  seq: seq + 1,
  step,
  state: { ...initialState(type), status: "running" },
  run: advance(emptyRun("Do it"), step),
  progress: 10,
  wake: { _tag: "Keep" },
  attempts: 1,
  inboxSeen: 0,
  consumed: [],
  ...over
})

/** A task that asked a human by the call `ask1` and waits for the answer. */
export const givenWaiting = (question = "Which one?") =>
  Effect.gen(function*() {
    const journal = yield* Journal
    const id = yield* givenTask()
    const claimed = yield* claim(id)
    yield* journal.append(stepAfter(claimed, {
      kind: "model",
      message: { role: "assistant", content: "", tool_calls: [call("ask1", "ask_human", { question })] },
      tokens: [10, 5],
      millis: 1
    }, {
      state: { ...initialState("task"), status: "waiting_input", question, lastToolCallId: "ask1" },
      wake: { _tag: "Park" },
      attempts: 0
    }))
    return id
  })

/** A task that ended with an answer. */
export const givenCompleted = (message = "Do it", answer = "Done.") =>
  Effect.gen(function*() {
    const journal = yield* Journal
    const id = yield* givenTask(message)
    yield* journal.append(stepAfter(yield* claim(id), {
      kind: "model",
      message: { role: "assistant", content: answer, tool_calls: [] },
      tokens: [10, 5],
      millis: 1,
      end: "answered"
    }, { state: { ...initialState("task"), status: "completed" }, wake: { _tag: "Park" }, progress: 100, attempts: 0 }))
    return id
  })

/** How many rows each table has of a task. */
export const rowsOf = (id: TaskId) =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    const counts: Record<string, number> = {}
    for (const table of ["tasks", "actors", "steps", "inbox", "idempotency_keys", "notifications"]) {
      const column = table === "tasks" ? "id" : "task_id"
      const rows = yield* query(`select from ${table} where ${column} = $1`, [id])
      counts[table] = rows.length
    }
    return counts
  })

/** The actor row, as it stands. */
export interface ActorRow {
  readonly shard: number
  readonly epoch: number
  readonly seq: number
  readonly status: string
  readonly attempts: number
  readonly progress: number
  readonly inbox_sent: number
  readonly wake_at: Date | null
  readonly updated_at: Date
  readonly runner: string | null
  readonly job_seq: number | null
  readonly question: string | null
  readonly last_tool_call_id: string | null
  readonly error: string | null
  readonly plan: string | null
}

export const rowOf = (id: TaskId): Effect.Effect<ActorRow, never, Wire> =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    const [row] = yield* query<ActorRow>("select * from actors where task_id = $1", [id])
    return row ?? (yield* Effect.dieMessage(`There is no actor row of ${id}`))
  })

/** The bodies of a task's steps, parsed, as they stand in the table. */
export const stepsOf = (id: TaskId) =>
  Effect.flatMap(Journal, (journal) => journal.read(id, 0)).pipe(Effect.map((steps) => steps.map(({ step }) => step)))

/** Asks until the answer fits; dies with the last answer where it never does. */
export const eventually = <A, E, R>(
  question: Effect.Effect<A, E, R>,
  fits: (answer: A) => boolean,
  patience: Duration.DurationInput = "10 seconds"
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let last: unknown
    const ask: Effect.Effect<A, E, R> = Effect.flatMap(question, (answer) => {
      last = answer
      return fits(answer) ? Effect.succeed(answer) : Effect.delay(ask, "10 millis")
    })
    return Effect.timeoutFailCause(ask, {
      duration: patience,
      onTimeout: () => Cause.die(new Error(`It never came to that; at last it was ${JSON.stringify(last)}`))
    })
  })
