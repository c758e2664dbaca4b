import { ShardingConfig } from "@effect/cluster/ShardingConfig"
import { Duration, Effect, Exit, Fiber, Option, Schema, type Scope } from "effect"
import { performance } from "node:perf_hooks"
import { Session } from "../Database/Session.ts"

export interface Heartbeat {
  /** The locks that the runner holds; fails once its last heartbeat has expired, unless it holds none. */
  readonly send: (address: string) => Effect.Effect<ReadonlySet<string>, "expired">
  /** The live runners as the last heartbeat read them, if it began within two intervals and after the registration; else null. */
  readonly runners: () => ReadonlyArray<readonly [runner: string, healthy: boolean]> | null
  /** The registration of the runner, which counts as its first heartbeat. */
  readonly registering: <A, E, R>(register: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  readonly acquired: (locks: ReadonlySet<string>) => void
  readonly released: (lock: string) => void
}

/**
 * Writes a runner's heartbeat, with which all of its locks stay valid, and reads the locks that it holds and the live runners, on the
 * session of the process. A heartbeat that is late or fails loses nothing yet: no other runner may take a lock before the
 * last heartbeat has expired. Until then the answer is that of the last one.
 */
export const makeHeartbeat: Effect.Effect<
  Heartbeat,
  never,
  Session | ShardingConfig | Scope.Scope
> = Effect.gen(function*() {
  const { shardLockExpiration, shardLockRefreshInterval } = yield* ShardingConfig
  const expiration = Duration.toMillis(shardLockExpiration)
  // The library waits for its interval, which is at most a third of the expiration.
  const patience = Math.min(Duration.toMillis(shardLockRefreshInterval), expiration / 3) * 0.75
  const session = yield* Session
  const scope = yield* Effect.scope
  let sentAt = -Infinity
  let registeredAt = -Infinity
  let held = new Set<string>()
  let live: ReadonlyArray<readonly [string, boolean]> | null = null
  // A heartbeat under way may not see what was acquired meanwhile, and the cluster would release a lock that is left out.
  let meanwhile = new Set<string>()
  let current: Fiber.RuntimeFiber<unknown, unknown> | null = null

  const beat = (address: string) =>
    Effect.suspend(() => {
      const now = performance.now()
      const registered = registeredAt
      meanwhile = new Set()
      return Effect.map(session.query(statement, [address, expiration / 1000]), ([row]) => {
        sentAt = now
        live = registered === registeredAt ? Option.getOrElse(decodeRunners(row?.["runners"]), () => []) : null
        held = new Set([...String(row?.["shards"] ?? "").split(" "), ...meanwhile])
        held.delete("")
      })
    }).pipe(Effect.ensuring(Effect.sync(() => (current = null))))

  return {
    send: Effect.fnUntraced(function*(address) {
      const fiber = current ??= yield* Effect.forkIn(beat(address), scope)
      const ended = yield* Effect.timeoutOption(Fiber.await(fiber), patience)
      if (ended._tag === "Some" && Exit.isSuccess(ended.value)) return held
      if (held.size > 0 && performance.now() - Math.max(sentAt, registeredAt) >= expiration) {
        return yield* Effect.fail("expired" as const)
      }
      yield* Effect.logWarning("Heartbeat of this runner is late; its shards stay its own until the last one expires")
      return held
    }),
    runners: () => performance.now() - sentAt < 2 * Duration.toMillis(shardLockRefreshInterval) ? live : null,
    registering: (register) =>
      Effect.suspend(() => {
        const now = performance.now()
        return Effect.tap(register, () =>
          Effect.sync(() => {
            registeredAt = now
            // The cluster registers its runner again, without a pause, until it is in the list.
            live = null
          }))
      }),
    acquired: (locks) =>
      locks.forEach((lock) => {
        held.add(lock)
        meanwhile.add(lock)
      }),
    released: (lock) => {
      held.delete(lock)
      meanwhile.delete(lock)
    }
  }
})

const statement = `
with beat as (update cluster_runners set last_heartbeat = now() where address = $1)
select (select string_agg(shard_id, ' ') from cluster_locks where address = $1) as shards,
  (select json_agg(json_build_array(runner, healthy)) from cluster_runners
    where address = $1 or last_heartbeat > localtimestamp - make_interval(secs => $2::float8)) as runners`

const decodeRunners = Schema.decodeUnknownOption(Schema.Array(Schema.Tuple(Schema.String, Schema.Boolean)))
