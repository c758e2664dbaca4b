import { SqlError } from "@effect/sql/SqlError"
import { assert, describe, it } from "@effect/vitest"
import { SearchUnfinished } from "@troupe/domain/Search"
import { Context, type Duration, Effect, Fiber, Layer, Redacted } from "effect"
import { Client } from "pg"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import { SearchStatements } from "../../src/Runtime/Database/SearchStatements.ts"
import { freshDatabase } from "../support/Database.ts"

/** Searches over one connection, and a statement that takes until it is let go. */
const fixture = (
  options: {
    readonly timeout?: Duration.DurationInput
    readonly waitTimeout?: Duration.DurationInput
    readonly maxWaiting?: number
  }
) =>
  Effect.gen(function*() {
    const url = yield* freshDatabase
    const searches = Context.get(
      yield* Layer.build(
        SearchStatements.layer({ maxConnections: 1, timeout: "1 minute", ...options }).pipe(
          Layer.provide(Layer.succeed(DatabaseUrl, url))
        )
      ),
      SearchStatements
    )
    const holder = yield* Effect.acquireRelease(
      Effect.promise(() => {
        const client = new Client({ connectionString: Redacted.value(url) })
        return client.connect().then(() => client.query("select pg_advisory_lock(1)")).then(() => client)
      }),
      (client) => Effect.promise(() => client.end())
    )
    const run = (text: string) => searches.execute({ name: "test", text, values: [] })
    return {
      run,
      held: run("select 1 as answer, pg_advisory_xact_lock(1)"),
      letGo: Effect.promise(() => holder.query("select pg_advisory_unlock(1)"))
    }
  })

const slow = new SearchUnfinished({ reason: "slow" })
const busy = new SearchUnfinished({ reason: "busy" })

describe("SearchStatements", () => {
  it.scopedLive("cancels what runs too long, or waits too long for a lock", () =>
    Effect.gen(function*() {
      const { held, run } = yield* fixture({ timeout: "400 millis" })
      assert.deepStrictEqual(yield* Effect.flip(run("select pg_sleep(60)")), slow)
      assert.deepStrictEqual(yield* Effect.flip(held), slow)
      assert.deepStrictEqual(yield* run("select 2 as answer"), [{ answer: 2 }])
    }))

  it.scopedLive("lets statements wait for a connection for a while", () =>
    Effect.gen(function*() {
      const { held, letGo, run } = yield* fixture({ waitTimeout: "1 second" })
      const first = yield* Effect.fork(held)
      yield* Effect.yieldNow()
      assert.deepStrictEqual(yield* Effect.flip(run("select 2 as answer")), busy)
      yield* letGo
      assert.lengthOf(yield* Fiber.join(first), 1)
      assert.deepStrictEqual(yield* run("select 2 as answer"), [{ answer: 2 }])
    }))

  it.scopedLive("lets a burst of 300 statements wait", () =>
    Effect.gen(function*() {
      const { held, letGo, run } = yield* fixture({ waitTimeout: "1 minute" })
      const first = yield* Effect.fork(held)
      yield* Effect.yieldNow()
      const burst = yield* Effect.forkAll(Array.from({ length: 300 }, () => run("select 2 as answer")))
      yield* Effect.yieldNow()
      yield* letGo
      yield* Fiber.join(first)
      assert.lengthOf(yield* Fiber.join(burst), 300)
    }))

  it.scopedLive("refuses at once what finds as many others waiting as may wait", () =>
    Effect.gen(function*() {
      const { held, letGo, run } = yield* fixture({ waitTimeout: "1 minute", maxWaiting: 32 })
      const waiting = yield* Effect.forkAll(Array.from({ length: 33 }, () => held))
      yield* Effect.yieldNow()
      assert.deepStrictEqual(yield* Effect.flip(run("select 2 as answer")), busy)
      yield* letGo
      assert.lengthOf(yield* Fiber.join(waiting), 33)
    }))

  it.scopedLive("refuses to write, and says what else is wrong", () =>
    Effect.gen(function*() {
      const { run } = yield* fixture({})
      for (const statement of ["create table t ()", "select 1 from nowhere"]) {
        assert.instanceOf(yield* Effect.flip(run(statement)), SqlError)
      }
    }))
})
