import { it } from "@effect/vitest"
import { Effect, type Redacted, Redacted as Secret, type Scope } from "effect"
import type { YieldWrap } from "effect/Utils"
import { join } from "node:path"
import type { Accepted } from "./Audit.ts"
import { freshDatabase, query } from "./Database.ts"
import { freshFolder } from "./PostgresFolder.ts"
import { type Environment, freePort, type NotInTime, until } from "./Processes.ts"
import { messageOf, type Scribing } from "./Scribe.ts"
import type { TaskClient } from "./TaskClient.ts"

/** A test of real processes, with time for a busy machine. */
export const processTest = (
  name: string,
  body: () => Generator<YieldWrap<Effect.Effect<unknown, unknown, Scope.Scope>>, unknown, never>
): void => it.scopedLive(name, () => Effect.gen(body), 180_000)

/** What the processes of a test share: a database and the users' files. */
export interface Ring {
  readonly url: Redacted.Redacted
  readonly storage: string
  readonly environment: Environment
}

/** A place in the cluster: ports that its process keeps over restarts. */
export interface Seat {
  readonly port: number
  /** As the cluster names the runner. */
  readonly address: string
  readonly environment: Environment
}

/** Settings under which a fallen worker is missed in three seconds instead of eight. */
export const hasty: Environment = {
  SHARD_LOCK_EXPIRATION: 3,
  SHARD_LOCK_REFRESH_INTERVAL: 1,
  SHARD_ASSIGNMENT_INTERVAL: 0.25,
  RUNNER_HEALTH_INTERVAL: 1
}

/** A ring on the given database, else on a fresh one of the run's server. */
export const makeRing = (url?: Redacted.Redacted): Effect.Effect<Ring, never, Scope.Scope> =>
  Effect.gen(function*() {
    const database = url ?? (yield* freshDatabase)
    const folder = yield* freshFolder
    const storage = join(folder, "files")
    return {
      url: database,
      storage,
      environment: {
        // An embedding would be one more request to the provider than the tests wait for.
        AGENT_MAX_SKILLS: 0,
        // A summary would be one more answer of the model, and one more step, than the audit counts.
        COMPACTION_THRESHOLD: 1000,
        // What is told of other tasks would mislead a model that knows a task by the words of its prompt.
        MEMORY_AUTO_SAVE: "false",
        DATABASE_URL: Secret.value(database),
        DATA_DIR: folder,
        LOCAL_STORAGE_PATH: storage,
        LOG_FORMAT: "json",
        LOG_LEVEL: "warning"
      }
    }
  })

export const makeSeat: Effect.Effect<Seat> = Effect.map(Effect.all([freePort, freePort]), ([port, runner]) => ({
  port,
  address: `127.0.0.1:${runner}`,
  environment: { PORT: port, RUNNER_PORT: runner }
}))

const users = ["ada", "bela", "cleo", "default"]

/** Submits the tasks, several at a time, and answers once all are accepted. */
export const submitAll = (
  client: TaskClient,
  works: ReadonlyArray<Scribing>
): Effect.Effect<ReadonlyArray<Accepted>, NotInTime> =>
  Effect.forEach(works, (work, index) =>
    Effect.map(
      client.submit(`key-${work.name}`, {
        message: messageOf(work),
        user_id: users[index % users.length] ?? "default"
      }),
      (id) => ({ ...work, id })
    ), { concurrency: 8 })

export const scribings = (prefix: string, count: number, turns: number): ReadonlyArray<Scribing> =>
  Array.from({ length: count }, (_, index) => ({ name: `${prefix}-${index}`, turns }))

/** How many steps stand in the journal. */
export const stepCount = (url: Redacted.Redacted): Effect.Effect<number> =>
  Effect.map(
    query<{ count: number }>(url, "select count(*)::integer as count from steps"),
    ([row]) => row?.count ?? 0
  )

/** Waits until no task has anything left to do. */
export const allEnded = (url: Redacted.Redacted, within: `${number} seconds`): Effect.Effect<void, NotInTime> =>
  until(
    "all tasks have ended",
    Effect.map(
      query<{ left: number }>(
        url,
        "select count(*)::integer as left from actors where status not in ('completed', 'failed')"
      ),
      ([row]) => row?.left === 0
    ),
    within
  )

/** Waits until each of these runners holds shards, by a lock that is fresh. */
export const haveShards = (
  url: Redacted.Redacted,
  addresses: ReadonlyArray<string>,
  within: `${number} seconds` = "40 seconds"
): Effect.Effect<void, NotInTime> =>
  until(
    `${addresses.join(" and ")} hold shards`,
    Effect.map(
      query<{ address: string }>(
        url,
        `select l.address from cluster_locks l join cluster_runners r using (address)
where r.last_heartbeat > localtimestamp - interval '3 seconds' group by l.address having count(*) > 50`
      ),
      (rows) => addresses.every((address) => rows.some((row) => row.address === address))
    ),
    within
  )
