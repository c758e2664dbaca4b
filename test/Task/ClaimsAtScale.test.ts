import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { escapeLiteral } from "pg"
import { keyedPlans } from "../../src/Runtime/PreparedStatements.ts"
import { inWorld, type Sent, Wire } from "../support/TaskWorld.ts"
import { givenDue, lock, names, nobody, runner, shard } from "./claims.ts"

inWorld("Claims among very many tasks", (test) => {
  test(
    "pass over a thousand users who only sleep at the cost of a look into the index",
    Effect.gen(function*() {
      yield* lock([shard])
      const line = yield* Wire
      const claims = yield* runner()
      yield* line.query(
        `insert into actors (task_id, shard, creator, updated_at, wake_at)
         select gen_random_uuid(), $1, 'asleep' || i, now(), now() + interval '1 hour' from generate_series(1, 1000) i`,
        [shard]
      )
      yield* givenDue("zoe", 1)
      assert.deepStrictEqual(names(yield* claims.take({ free: 1, perUser: 1, after: "", active: nobody })), ["zoe.1"])
      assert.isBelow(yield* buffersOf(line.sent.at(-1)), 200)
    })
  )

  test(
    "leave out what has been due for longer than asked for, at no cost, even for twenty thousand of other runners",
    Effect.gen(function*() {
      yield* lock([shard])
      const line = yield* Wire
      const claims = yield* runner()
      const take = (since?: number) =>
        claims.take({ free: 1, perUser: 1, after: "", active: nobody, ...(since === undefined ? {} : { since }) })
      yield* givenDue("flood", 20_000, 302, 60_000)
      yield* givenDue("zoe", 1, shard, 50_000)
      yield* givenDue("zora", 1)
      assert.deepStrictEqual(names(yield* take(30)), ["zora.1"])
      assert.isBelow(yield* buffersOf(line.sent.at(-1)), 100)
      assert.deepStrictEqual(names(yield* take()), ["zoe.1"])
    })
  )

  test(
    "cost the same with twenty thousand due tasks of one user, and leave room for the one of another",
    Effect.gen(function*() {
      yield* lock([shard])
      const line = yield* Wire
      const claims = yield* runner()
      const take = claims.take({ free: 16, perUser: 12, after: "", active: nobody })
      yield* givenDue("flood", 100, shard, 50_000)
      yield* givenDue("zoe", 1)
      yield* take
      const small = yield* buffersOf(line.sent.at(-1))

      yield* givenDue("flood", 20_000, shard, 40_000)
      yield* givenDue("zora", 1)
      const taken = yield* take
      assert.include(names(taken), "zora.1")
      assert.strictEqual(taken.length, 14, "twelve of one, and one each of the two others")
      const large = yield* buffersOf(line.sent.at(-1))
      assert.isBelow(large, 2 * small, "buffers that the claim touched, of many against of few")
    })
  )
})

const Plan = Schema.Tuple(Schema.Struct({
  "QUERY PLAN": Schema.Tuple(Schema.Struct({
    Plan: Schema.Struct({ "Shared Hit Blocks": Schema.Int, "Shared Read Blocks": Schema.Int })
  }))
}))

/** How many pages a statement touches, planned as the service's connections plan; what it changes is undone. */
const buffersOf = (statement: Sent | undefined) =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    if (statement === undefined) return yield* Effect.dieMessage("Nothing was sent")
    yield* query("begin")
    for (const [name, value] of Object.entries(keyedPlans)) yield* query(`set local ${name} = ${value}`)
    yield* query(`prepare measured as ${statement.text}`)
    const explained = yield* query(
      `explain (analyze, buffers, format json) execute measured(${statement.values.map(literal).join(", ")})`
    )
    yield* query("deallocate measured")
    yield* query("rollback")
    const [{ "QUERY PLAN": [{ Plan: plan }] }] = yield* Schema.decodeUnknown(Plan)(explained)
    return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
  })

const literal = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? `'{${value.join(",")}}'` : escapeLiteral(String(value))
