import { assert } from "@effect/vitest"
import type { TaskId } from "@troupe/domain/Ids"
import { Array as Arrays, Clock, Effect, Random } from "effect"
import type { Claim } from "../../src/Task/Claim/Claims.ts"
import { makeClaimWindow } from "../../src/Task/Claim/ClaimWindow.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { givenDue, lock, runner } from "./claims.ts"

const addresses = ["10.0.0.1:1", "10.0.0.2:1", "10.0.0.3:1"] as const
const shards = Arrays.range(301, 306)
const users = ["ada", "bela", "cleo"] as const

const from = <A>(items: ReadonlyArray<A>): Effect.Effect<A> =>
  Effect.map(Random.nextIntBetween(0, items.length), (at) => Arrays.unsafeGet(items, at))

/** Runners that look as the waker does, over shards that go from one to the other, and tasks that come and go. */
const makeCluster = Effect.gen(function*() {
  const { query } = yield* Wire
  let nanos = 0n
  const own = Clock.make()
  const clock = {
    ...own,
    unsafeCurrentTimeMillis: () => own.unsafeCurrentTimeMillis(),
    unsafeCurrentTimeNanos: () => nanos,
    currentTimeNanos: Effect.sync(() => nanos)
  }
  const taken = new Set<string>()

  const runners = yield* Effect.forEach(addresses, (address) =>
    Effect.gen(function*() {
      const owned: Array<number> = []
      const active = new Map<TaskId, Claim>()
      const claims = yield* runner(owned, address)
      let window = makeClaimWindow()
      let after = ""
      const letGo = (claim: Claim) =>
        Effect.zipRight(
          claims.release([claim]),
          Effect.sync(() => {
            active.delete(claim.taskId)
            window.reset()
          })
        )
      return {
        address,
        active,
        letGo,
        gain: (shard: number) => Effect.sync(() => void (owned.includes(shard) || owned.push(shard))),
        lose: (shard: number) =>
          Effect.sync(() => void (owned.includes(shard) && owned.splice(owned.indexOf(shard), 1))),
        /** As after a fall: nothing is known any more. */
        restart: Effect.sync(() => {
          owned.length = 0
          active.clear()
          window = makeClaimWindow()
        }),
        letGoOfStale: Effect.suspend(() => claims.stale([...active.values()])).pipe(
          Effect.flatMap(Effect.forEach((id) => {
            const claim = active.get(id)
            return claim === undefined ? Effect.void : letGo(claim)
          }))
        ),
        look: (free: number, perUser: number) =>
          Effect.withClock(
            window.scan([...owned], (since) =>
              Effect.gen(function*() {
                const held = new Map(Array.from(active, ([id, { creator }]) => [id, creator]))
                const found = yield* claims.look({
                  free,
                  perUser,
                  after,
                  active: held,
                  ...(since === undefined ? {} : { since })
                })
                for (const claim of found.claims) {
                  const once = `${claim.taskId} ${claim.epoch}`
                  assert.isFalse(taken.has(once), `${once} was taken twice`)
                  taken.add(once)
                  active.set(claim.taskId, claim)
                  after = claim.creator
                }
                return found.hasMore ? "partial" as const : "exhaustive" as const
              })),
            clock
          )
      }
    }))
  type Runner = typeof runners[number]

  const hear = (one: Runner) =>
    Effect.gen(function*() {
      const held = yield* query<{ shard: number }>(
        "select split_part(shard_id, ':', 2)::integer as shard from cluster_locks where address = $1",
        [one.address]
      )
      yield* Effect.forEach(shards, (shard) =>
        held.some((row) => row.shard === shard) ? one.gain(shard) : one.lose(shard))
    })

  const move = (shard: number, to: Runner, isNotified: boolean) =>
    Effect.gen(function*() {
      // A runner takes a lock only once it knows that it has lost it, and has looked since.
      yield* hear(to)
      yield* to.look(0, 1)
      if (isNotified) yield* Effect.forEach(runners, (one) => one.lose(shard))
      // Its heartbeats are fresh, however long the test takes.
      yield* lock([shard], -3600, to.address)
      yield* to.gain(shard)
    })

  /** Steps as the journal writes them: only of who has the task. */
  const end = (one: Runner, claim: Claim, wake: string) =>
    Effect.zipRight(
      query(
        `update actors set wake_at = ${wake}, queued_by = null, runner = null, attempts = 0 where task_id = $1 and epoch = $2`,
        [claim.taskId, claim.epoch]
      ),
      Effect.sync(() => one.active.delete(claim.taskId))
    )

  const pass = (seconds: number) =>
    Effect.zipRight(
      query("update actors set wake_at = wake_at - make_interval(secs => $1)", [seconds]),
      Effect.sync(() => void (nanos += BigInt(seconds) * 1_000_000_000n))
    )

  const anything = Effect.gen(function*() {
    const one = yield* from(runners)
    const shard = yield* from(shards)
    const some = [...one.active.values()]
    const kind = yield* Random.nextIntBetween(0, 16)
    switch (kind) {
      case 0:
        return yield* move(shard, one, true)
      case 1:
        return yield* move(shard, one, false)
      case 2:
        return yield* Effect.forEach(runners, hear)
      case 3: {
        yield* one.restart
        return yield* Effect.forEach(
          shards,
          (s) => s % 2 === 0 ? Effect.void : Effect.flatMap(from(runners), (to) => move(s, to, true))
        )
      }
      case 4:
      case 5:
        return yield* pass(yield* Random.nextIntBetween(0, 4))
      case 6:
        return yield* one.letGoOfStale
      case 7:
        return some[0] === undefined ? undefined : yield* one.letGo(some[0])
      case 8:
        return some[0] === undefined ? undefined : yield* end(one, some[0], "now() + interval '5 seconds'")
      case 9:
        return some[0] === undefined ? undefined : yield* end(one, some[0], "null")
      case 10:
        return yield* givenDue(yield* from(users), 40, shard, 20)
      case 11:
        return yield* givenDue(yield* from(users), yield* Random.nextIntBetween(1, 8), shard)
      case 12:
        return yield* Effect.forEach(runners, (each) => each.look(3, 2), { concurrency: "unbounded" })
      default:
        return yield* one.look(yield* Random.nextIntBetween(1, 6), 3)
    }
  })

  /** As many looks as it takes, at one moment: nothing waits for the look that goes all the way in any case. */
  const settle = Effect.gen(function*() {
    yield* Effect.forEach(runners, hear)
    const held = yield* query<{ n: number }>(
      "select count(*)::integer as n from cluster_locks where shard_id = any($1)",
      [
        shards.map((shard) => `default:${shard}`)
      ]
    )
    assert.strictEqual(held[0]?.n, shards.length)
    // What comes due while it looks may do so after the last look.
    const [begun] = yield* query<{ at: string }>("select clock_timestamp()::text as at")
    for (let round = 0; round < 12; round++) {
      for (const one of runners) {
        yield* one.letGoOfStale
        yield* one.look(40, 1000)
        yield* Effect.forEach([...one.active.values()], (claim) => end(one, claim, "null"))
      }
    }
    return yield* query("select shard, queued_by, runner, wake_at::text from actors where wake_at <= $1", [begun?.at])
  })

  yield* Effect.forEach(shards, (shard) => Effect.flatMap(from(runners), (one) => move(shard, one, true)))
  return { anything, settle }
})

inWorld("Claims of several runners", (test) => {
  for (const seed of ["a", "b"]) {
    test(
      `take each due task in the end and none twice, in whatever order shards move, runners fall and tasks come (${seed})`,
      Effect.gen(function*() {
        const cluster = yield* makeCluster
        for (let phase = 0; phase < 3; phase++) {
          for (let step = 0; step < 80; step++) yield* cluster.anything
          assert.deepStrictEqual(yield* cluster.settle, [])
        }
      }).pipe(Effect.withRandom(Random.make(seed)))
    )
  }
})
