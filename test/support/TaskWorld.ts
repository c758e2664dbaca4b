import type { Sharding, ShardingConfig } from "@effect/cluster"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { layer as shared } from "@effect/vitest"
import { Context, Duration, Effect, identity, Layer, Logger, LogLevel, Redacted, type Scope } from "effect"
import type { YieldWrap } from "effect/Utils"
import { Client } from "pg"
import { Agents } from "../../src/Agent/Definition/Agents.ts"
import type { ChatPlatform } from "../../src/Chat/ChatPlatform.ts"
import { Notifications } from "../../src/Delivery/Notifications.ts"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { Snapshots } from "../../src/File/Snapshots.ts"
import { UserRepo } from "../../src/People/User/UserRepo.ts"
import { Users } from "../../src/People/User/Users.ts"
import { Grants } from "../../src/Policy/Grants.ts"
import * as Cluster from "../../src/Runtime/Cluster/Cluster.ts"
import { ScheduledJobRepo } from "../../src/Runtime/Cluster/ScheduledJobRepo.ts"
import { ScheduledJobs } from "../../src/Runtime/Cluster/ScheduledJobs.ts"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import { PreparedStatements, type Query } from "../../src/Runtime/Database/PreparedStatements.ts"
import { SearchStatements } from "../../src/Runtime/Database/SearchStatements.ts"
import { Session } from "../../src/Runtime/Database/Session.ts"
import { Signals } from "../../src/Runtime/Database/Signals.ts"
import * as Sql from "../../src/Runtime/Database/Sql.ts"
import { Claims } from "../../src/Task/Claim/Claims.ts"
import { FirstClaims } from "../../src/Task/Claim/FirstClaims.ts"
import { TaskCommands } from "../../src/Task/Command/TaskCommands.ts"
import { TaskTransactions } from "../../src/Task/Command/TaskTransactions.ts"
import { LiveText } from "../../src/Task/Events/LiveText.ts"
import { Journal } from "../../src/Task/Journal/Journal.ts"
import { Runners } from "../../src/Task/Read/Runners.ts"
import { TaskRepo } from "../../src/Task/Read/TaskRepo.ts"
import { Shards } from "../../src/Task/Row/Shards.ts"
import { TaskSignals } from "../../src/Task/Row/TaskSignals.ts"
import type { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { TasksLayer } from "../../src/Task/UseCase/TasksLayer.ts"
import * as Database from "./Database.ts"
import { eventually } from "./Eventually.ts"
import { freshFolder } from "./FreshFolder.ts"
import { unconfiguredChat } from "./UnconfiguredChat.ts"

export const lockExpirationSeconds = 20

/** A statement as it was sent to the database. */
export type Sent = Query

/** The statements between the service and the database, and hooks to delay or fail them. */
export class Wire extends Context.Tag("troupe/test/support/TaskWorld/Wire")<Wire, {
  /** Every prepared statement so far. */
  readonly sent: Array<Sent>
  /** Runs before a statement is sent: to delay it, or to fail instead. */
  before: (statement: Sent) => Effect.Effect<void, SqlError>
  /** Runs once a statement has committed, before the service gets the answer: to delay it, or to lose it. */
  after: (statement: Sent) => Effect.Effect<void, SqlError>
  /** Runs a statement of the test itself. */
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
      execute: (sent) =>
        Effect.suspend(() => {
          line.sent.push(sent)
          return Effect.zipRight(line.before(sent), real.execute(sent)).pipe(Effect.tap(() => line.after(sent)))
        })
    })
  })
).pipe(Layer.provide(PreparedStatements.layer({ maxConnections: 6 })))

/** A long time-out, so that a test may hold a search up for as long as it likes. */
const searches = SearchStatements.layer({ maxConnections: 2, timeout: "60 seconds" })

const cluster = Cluster.alone({
  host: "127.0.0.1",
  port: 34_431,
  shardLockExpiration: Duration.seconds(lockExpirationSeconds)
})

const jobs = Layer.provide(ScheduledJobs.layer, ScheduledJobRepo.layer)

const sandbox = Layer.unwrapScoped(
  freshFolder.pipe(Effect.map((root) => Layer.merge(Sandbox.layer({ root }), Snapshots.layer({ root }))))
)

/** Without the built-in ones; a test makes its own. */
const agents = Layer.unwrapScoped(
  Effect.map(freshFolder, (folder) => Agents.layer({ builtIn: "/nowhere", folder, refreshInterval: "1 hour" }))
).pipe(Layer.provide(ScheduledJobs.layerMemory))

export type World =
  | Agents
  | ChatPlatform
  | Claims
  | DatabaseUrl
  | FirstClaims
  | Grants
  | Journal
  | Notifications
  | PreparedStatements
  | Signals
  | Runners
  | Sandbox
  | ScheduledJobs
  | SearchStatements
  | SqlClient
  | Sharding.Sharding
  | ShardingConfig.ShardingConfig
  | Snapshots
  | Shards
  | TaskCommands
  | LiveText
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
  Layer.provideMerge(Notifications.layer),
  Layer.provideMerge(Users.layer.pipe(Layer.provideMerge(UserRepo.layer))),
  Layer.provideMerge(Layer.mergeAll(
    TaskRepo.layer,
    TaskCommands.layer,
    LiveText.layer,
    Claims.layer,
    Grants.layer,
    Runners.layer(4)
  )),
  Layer.provideMerge(
    Layer.mergeAll(Journal.layer, Shards.layer, FirstClaims.layer, sandbox, agents, jobs, unconfiguredChat)
  ),
  Layer.provideMerge(cluster),
  Layer.provideMerge(
    Layer.mergeAll(
      watchedStatements,
      searches,
      Layer.provideMerge(TaskSignals.layer, Signals.layer)
    )
  ),
  Layer.provideMerge(Layer.mergeAll(wire, Layer.orDie(Sql.layer({ maxConnections: 3 })), Session.layer)),
  Layer.provideMerge(Database.layer),
  // Crashes are on purpose here.
  Layer.merge(Logger.minimumLogLevel(LogLevel.None))
)

type Body = Effect.Effect<unknown, unknown, Scope.Scope | World>

/**
 * Tests over one world, which they share; each begins with empty tables. A body is an effect, or generates one. `around`
 * changes how each runs.
 */
export const inWorld = (
  name: string,
  tests: (test: (name: string, body: Body | (() => Generator<YieldWrap<Body>, unknown, never>)) => void) => void,
  around: (body: Body) => Body = identity
): void =>
  shared(layer, { excludeTestServices: true })(
    name,
    (it) =>
      tests((name, body) =>
        it.scoped(name, () => Effect.zipRight(empty, around(typeof body === "function" ? Effect.gen(body) : body)))
      )
  )

/** Skips the tables that nothing was written to: truncating one makes its files and those of its indexes anew. */
const truncation = `do $$ declare used text; begin
  select string_agg(name, ',') into used from regexp_split_to_table(
    'tasks, deleted_ends, task_hours, task_word_blocks, user_hours, spending, spending_limits, spending_marks, tool_server_authorizations, task_threads, inbound_messages, chat_claims, actors, steps, inbox, idempotency_keys, notifications, memory_owners, memories, remembered_tasks,
      scheduled_jobs, erasures, joined_users, outbox, file_reservations, former_members, team_members, schedules, subscriptions, mail_ledger,
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
})
