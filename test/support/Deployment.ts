import { it } from "@effect/vitest"
import { Effect, type Redacted, Redacted as Secret, type Scope } from "effect"
import type { YieldWrap } from "effect/Utils"
import { join } from "node:path"
import type { Accepted } from "./Audit.ts"
import { freshDatabase, query } from "./Database.ts"
import { freshFolder } from "./FreshFolder.ts"
import { type LineTask, messageOf } from "./LineModel.ts"
import { type Environment, freePort, type TimedOut, until } from "./Processes.ts"
import type { TaskClient } from "./TaskClient.ts"

/** A test of real processes, with time for a busy machine. */
export const processTest = (
  name: string,
  body: () => Generator<YieldWrap<Effect.Effect<unknown, unknown, Scope.Scope>>, unknown, never>
): void => it.scopedLive(name, () => Effect.gen(body), 180_000)

/** What the processes of a test share: a database, the users' files, and the settings that lead to both. */
export interface Deployment {
  readonly url: Redacted.Redacted
  readonly storage: string
  readonly environment: Environment
}

/** The ports of a process, which it keeps over restarts. */
export interface ServicePorts {
  readonly http: number
  /** The runner's address in the cluster. */
  readonly address: string
  readonly environment: Environment
}

/** Settings with which the tasks of a killed worker are taken over after three seconds instead of eight. */
export const shortLeases: Environment = {
  SHARD_LOCK_EXPIRATION: 3
}

/** On the given database, else on a fresh one of the run's server. */
export const makeDeployment = (url?: Redacted.Redacted): Effect.Effect<Deployment, never, Scope.Scope> =>
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
        // Memories of other tasks would mislead a model that recognises a task by the words of its prompt.
        MEMORY_AUTO_SAVE: "false",
        DATABASE_URL: Secret.value(database),
        // No load balancer has to notice that a process ends.
        DRAIN_SECONDS: 0,
        DATA_DIR: folder,
        LOCAL_STORAGE_PATH: storage,
        LOG_FORMAT: "json",
        LOG_LEVEL: "warning"
      }
    }
  })

export const makePorts: Effect.Effect<ServicePorts> = Effect.map(
  Effect.all([freePort, freePort]),
  ([http, runner]) => ({
    http,
    address: `127.0.0.1:${runner}`,
    environment: { PORT: http, RUNNER_PORT: runner }
  })
)

const users = ["ada", "bela", "cleo", "default"]

/** Submits the tasks, several at a time, and answers once all are accepted. */
export const submitAll = (
  client: TaskClient,
  works: ReadonlyArray<LineTask>
): Effect.Effect<ReadonlyArray<Accepted>, TimedOut> =>
  Effect.forEach(works, (work, index) =>
    Effect.map(
      client.submit(`key-${work.name}`, {
        message: messageOf(work),
        user_id: users[index % users.length] ?? "default"
      }),
      (id) => ({ ...work, id })
    ), { concurrency: 8 })

export const lineTasks = (prefix: string, count: number, turns: number): ReadonlyArray<LineTask> =>
  Array.from({ length: count }, (_, index) => ({ name: `${prefix}-${index}`, turns }))

/** How many steps the journal has. */
export const stepCount = (url: Redacted.Redacted): Effect.Effect<number> =>
  Effect.map(
    query<{ count: number }>(url, "select count(*)::integer as count from steps"),
    ([row]) => row?.count ?? 0
  )

/** Waits until no task has anything left to do. */
export const allEnded = (url: Redacted.Redacted, within: `${number} seconds`): Effect.Effect<void, TimedOut> =>
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
): Effect.Effect<void, TimedOut> =>
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
