import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Option, TestClock } from "effect"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import { PreparedStatements } from "../../src/Runtime/Database/PreparedStatements.ts"
import { RateLimits } from "../../src/Runtime/RateLimits.ts"
import * as Database from "../support/Database.ts"

const perMinute = 6

const takes = (caller: string, count: number) =>
  Effect.flatMap(RateLimits, ({ take }) => Effect.all(Array.from({ length: count }, () => take(caller))))

const shared = RateLimits.layer({ perMinute }).pipe(
  Layer.provide(PreparedStatements.layer({ maxConnections: 4 })),
  Layer.provideMerge(Database.layer)
)

const rested = (seconds: number) =>
  Effect.flatMap(
    Effect.serviceOption(DatabaseUrl),
    Option.match({
      onNone: () => TestClock.adjust(`${seconds} seconds`),
      onSome: (url) =>
        Database.query(url, `update rate_limits set full_at = full_at - interval '${seconds} seconds'`).pipe(
          // The process remembers whom it has refused.
          Effect.zipRight(TestClock.adjust(`${seconds} seconds`))
        )
    })
  )

/** The shared one goes by the database's clock, which moves on during the test. */
const isAbout = (actual: number | undefined, expected: number) => {
  assert.isAtMost(actual ?? Infinity, expected)
  assert.isAbove(actual ?? 0, expected - 5)
}

for (const [name, limits] of [["in a process", RateLimits.layerMemory({ perMinute })], ["shared", shared]] as const) {
  it.effect(`A caller gets its requests at once, then one at a time as they refill (${name})`, () =>
    Effect.gen(function*() {
      const first = yield* takes("ann", perMinute)
      assert.deepStrictEqual(first.map((one) => one?.retrySeconds), first.map(() => 0))
      assert.deepStrictEqual(first.map((one) => one?.remaining), [5, 4, 3, 2, 1, 0])
      isAbout(first.at(-1)?.resetSeconds, 60)
      for (const refused of yield* takes("ann", 2)) {
        assert.deepInclude(refused, { perMinute, remaining: 0 })
        isAbout(refused?.retrySeconds, 10)
      }
      assert.deepInclude((yield* takes("bob", 1))[0], { remaining: 5, retrySeconds: 0 })
      yield* rested(10)
      const [allowed, next] = yield* takes("ann", 2)
      assert.strictEqual(allowed?.retrySeconds, 0)
      isAbout(next?.retrySeconds, 10)
      yield* rested(60)
      assert.deepInclude((yield* takes("ann", 1))[0], { retrySeconds: 0, remaining: 5 })
    }).pipe(Effect.provide(limits)))
}

it.effect("Two processes share a caller's requests, also when they come at the same time", () =>
  Effect.gen(function*() {
    const process = Layer.fresh(
      RateLimits.layer({ perMinute: 60 }).pipe(
        Layer.provide(PreparedStatements.layer({ maxConnections: 4 }))
      )
    )
    const processes = yield* Effect.all([Layer.build(process), Layer.build(process)])
    const found = yield* Effect.forEach(
      Array.from({ length: 100 }, (_, index) => processes[index % 2 === 0 ? 0 : 1]),
      (context) => Context.get(context, RateLimits).take("ann"),
      { concurrency: 8 }
    )
    const allowed = found.filter((one) => one?.retrySeconds === 0).length
    // While the test runs some requests refill.
    assert.isAtLeast(allowed, 60)
    assert.isAtMost(allowed, 70)
  }).pipe(Effect.scoped, Effect.provide(Database.layer)))

it.effect("A process removes the caller whose last request is the oldest", () =>
  Effect.gen(function*() {
    const { take } = yield* RateLimits
    const retries = yield* Effect.forEach(["a", "b", "a", "c", "b", "a"], take)
    assert.deepStrictEqual(retries.map((one) => one?.retrySeconds), [0, 0, 60, 0, 60, 0])
  }).pipe(Effect.provide(RateLimits.layerMemory({ perMinute: 1, maxCallers: 2 }))))

it.effect("Requests are not limited while the database fails", () =>
  Effect.gen(function*() {
    const url = yield* DatabaseUrl
    yield* Database.query(url, "drop table rate_limits")
    assert.deepStrictEqual(yield* takes("ann", 2), [null, null])
  }).pipe(Effect.provide(shared)))
