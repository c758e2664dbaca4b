import { Runner, RunnerAddress, RunnerStorage, ShardId, ShardingConfig } from "@effect/cluster"
import { SqlClient } from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import { Context, Duration, Effect, Fiber, Layer, Option } from "effect"
import * as ShardLocks from "../../src/Runtime/Cluster/ShardLocks.ts"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import { Session } from "../../src/Runtime/Database/Session.ts"
import * as Sql from "../../src/Runtime/Database/Sql.ts"
import { freshDatabase, query } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"

const shards = [1, 2, 3].map((id) => ShardId.make("default", id))
/** Seconds until the locks of a silent runner expire, and milliseconds between heartbeats. */
const expiration = 7
const interval = 1_150

/** Two runners on a database of their own, and what the database says. */
const givenWith = (expiration: number, interval: number) =>
  Effect.gen(function*() {
    const url = yield* freshDatabase
    const runner = (port: number) =>
      Effect.gen(function*() {
        const address = RunnerAddress.make("10.0.0.7", port)
        const context = yield* Layer.build(
          ShardLocks.layer.pipe(
            Layer.provide([Session.layer, Sql.layer({ maxConnections: 2 })]),
            Layer.provide(ShardingConfig.layer({
              runnerAddress: Option.some(address),
              shardLockDisableAdvisory: true,
              shardLockExpiration: Duration.seconds(expiration),
              shardLockRefreshInterval: Duration.millis(interval)
            })),
            Layer.provide(Layer.succeed(DatabaseUrl, url))
          )
        )
        const storage = Context.get(context, RunnerStorage.RunnerStorage)
        const register = storage.register(Runner.make({ address, groups: ["default"], weight: 1 }), true)
        yield* register
        return {
          register,
          acquire: storage.acquire(address, shards),
          refresh: (ids = shards) =>
            Effect.map(storage.refresh(address, ids), (held) => held.sort((one, other) => one.id - other.id)),
          release: (id: ShardId.ShardId) => storage.release(address, id),
          unregister: storage.unregister(address),
          runners: Effect.map(storage.getRunners, (found) => found.map(([{ address }]) => address.port).toSorted()),
          silentFor: (seconds: number) =>
            query(
              url,
              "update cluster_runners set last_heartbeat = localtimestamp - make_interval(secs => $2) where address = $1",
              [`10.0.0.7:${port}`, seconds]
            )
        }
      })
    return {
      one: yield* runner(1),
      other: yield* runner(2),
      /** Another process at the address of the first. */
      next: runner(1),
      /** A process that starts later. */
      later: runner(3),
      ask: (text: string) => query<{ it: string }>(url, text)
    }
  })

const given = givenWith(expiration, interval)

/** Holds up the heartbeats of the first runner until the effect that it returns. */
const blocked = (ask: Effect.Effect.Success<typeof given>["ask"]) =>
  Effect.gen(function*() {
    const blocked = yield* Effect.fork(
      ask("select pg_sleep(30)::text as it from (select from cluster_runners where address like '%:1' for update) r")
    )
    const sleeping = "pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()"
    yield* eventually(ask(`select datname as it from ${sleeping}`), ({ length }) => length === 1)
    return Effect.zipRight(ask(`select pg_cancel_backend(pid)::text as it from ${sleeping}`), Fiber.await(blocked))
  })

describe("ShardLocks", () => {
  it.scopedLive("stay valid by the heartbeat of their runner, without being written again", () =>
    Effect.gen(function*() {
      const { ask, one } = yield* given
      assert.deepStrictEqual(yield* one.acquire, shards)
      yield* one.silentFor(3)
      const written = ask("select string_agg(ctid || shard_id, ' ') as it from cluster_locks")
      const before = yield* written
      assert.deepStrictEqual(yield* one.refresh(), shards)
      assert.deepStrictEqual(yield* written, before)
      const [fresh] = yield* ask(
        "select (last_heartbeat > localtimestamp - interval '2 seconds')::text as it from cluster_runners where address = '10.0.0.7:1'"
      )
      assert.strictEqual(fresh?.it, "true")
    }))

  it.scopedLive("go to another runner only once their own has had no heartbeat for the expiration", () =>
    Effect.gen(function*() {
      const { one, other } = yield* given
      yield* one.acquire
      assert.deepStrictEqual(yield* other.acquire, [])
      yield* one.silentFor(expiration - 2)
      assert.deepStrictEqual(yield* other.acquire, [])
      yield* one.silentFor(expiration + 1)
      assert.deepStrictEqual(yield* other.acquire, shards)
      // It comes back, and hears that they are gone.
      assert.deepStrictEqual(yield* one.refresh(), [])
      assert.deepStrictEqual(yield* one.acquire, [])
      assert.deepStrictEqual(yield* other.refresh(), shards)
    }))

  it.scopedLive("are refreshed with the list of live runners, so that nobody reads it apart", () =>
    Effect.gen(function*() {
      const { ask, one, other } = yield* given
      yield* one.refresh()
      yield* ask("delete from cluster_runners returning '' as it")
      assert.deepStrictEqual([yield* one.runners, yield* other.runners], [[1, 2], []])
      yield* one.refresh()
      assert.deepStrictEqual(yield* one.runners, [])
    }))

  it.scopedLive("have their runner in the list once it is registered, also if the heartbeat before that did not see it", () =>
    Effect.gen(function*() {
      const { ask, one } = yield* given
      yield* ask("delete from cluster_runners returning '' as it")
      yield* one.refresh()
      assert.deepStrictEqual(yield* one.runners, [])
      yield* one.register
      assert.deepStrictEqual(yield* one.runners, [1])
    }))

  it.scopedLive("keep no connection of the pool for themselves", () =>
    Effect.gen(function*() {
      const context = yield* Layer.build(
        ShardLocks.layer.pipe(
          Layer.provideMerge(Sql.layer({ maxConnections: 1 })),
          Layer.provide([Session.layer, ShardingConfig.layer({ shardLockDisableAdvisory: true })]),
          Layer.provide(Layer.succeed(DatabaseUrl, yield* freshDatabase))
        )
      )
      yield* Context.get(context, RunnerStorage.RunnerStorage).acquire(RunnerAddress.make("10.0.0.7", 1), shards)
      assert.deepStrictEqual(yield* Context.get(context, SqlClient)`select 42 as answer`, [{ answer: 42 }])
    }))

  it.scopedLive("stay a runner's own while its first heartbeat is late, because its registration counts as one", () =>
    Effect.gen(function*() {
      const { ask, one, other } = yield* givenWith(30, 200)
      yield* one.acquire
      const unblock = yield* blocked(ask)
      for (let late = 0; late < 3; late++) assert.deepStrictEqual(yield* one.refresh(), shards)
      assert.deepStrictEqual(yield* other.acquire, [])
      yield* unblock
    }))

  it.scopedLive("stay a runner's own while its heartbeat is late, until the last one has expired", () =>
    Effect.gen(function*() {
      const { ask, one, other } = yield* givenWith(4, 500)
      yield* one.acquire
      assert.deepStrictEqual(yield* one.refresh(), shards)
      const unblock = yield* blocked(ask)
      for (let late = 0; late < 3; late++) assert.deepStrictEqual(yield* one.refresh(), shards)
      assert.deepStrictEqual(yield* other.acquire, [])
      const failed = yield* Effect.flip(Effect.forever(one.refresh()))
      assert.strictEqual(failed._tag, "PersistenceError")
      yield* unblock
      assert.deepStrictEqual(yield* one.refresh(), shards)
    }))

  it.scopedLive("go to another runner at once when they are released, or their own has left", () =>
    Effect.gen(function*() {
      const { one, other } = yield* given
      const [first, ...others] = shards
      if (first === undefined) return assert.fail("no shard")
      yield* one.acquire
      yield* one.release(first)
      assert.deepStrictEqual(yield* other.acquire, [first])
      assert.deepStrictEqual(yield* one.refresh(), others)
      yield* one.unregister
      assert.deepStrictEqual(yield* other.acquire, shards)
    }))

  it.scopedLive("are all reported with their heartbeat, also those that the runner does not ask for", () =>
    Effect.gen(function*() {
      const { one } = yield* given
      yield* one.acquire
      const held = yield* one.refresh([])
      assert.isTrue(held.length === 3 && shards.every((shard) => held.includes(shard)), "the same objects")
    }))

  it.scopedLive("that a killed process has left are free before the next process at its address is a runner", () =>
    Effect.gen(function*() {
      const { next, one, other } = yield* given
      yield* one.acquire
      const restarted = yield* next
      assert.deepStrictEqual(yield* restarted.refresh(), [])
      assert.deepStrictEqual(yield* other.acquire, shards)
    }))

  it.scopedLive("of a killed runner whose heartbeat is ahead of the clock expire once another process has started", () =>
    Effect.gen(function*() {
      const { later, one, other } = yield* givenWith(2, 500)
      assert.deepStrictEqual(yield* one.acquire, shards)
      yield* one.silentFor(-7_200)
      assert.deepStrictEqual(yield* other.acquire, [])
      const { acquire } = yield* later
      assert.deepStrictEqual(yield* eventually(acquire, ({ length }) => length > 0), shards)
    }))

  it.scopedLive("are kept by a runner that asks for them again", () =>
    Effect.gen(function*() {
      const { one } = yield* given
      yield* one.acquire
      yield* one.silentFor(expiration + 1)
      assert.deepStrictEqual(yield* one.acquire, shards)
    }))
})
