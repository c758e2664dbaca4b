import { SqlClient } from "@effect/sql"
import { assert, describe, it, layer } from "@effect/vitest"
import { MemoryId } from "@troupe/domain/Memory"
import { Context, Deferred, Effect, FastCheck, Fiber, Layer, TestClock } from "effect"
import { v7 } from "uuid"
import { MemoryHealth } from "../../src/Memory/MemoryHealth.ts"
import { MemoryIndex } from "../../src/Memory/MemoryIndex.ts"
import { MemoryRepo, type Space } from "../../src/Memory/MemoryRepo.ts"
import { makeTopK, roundingError } from "../../src/Memory/ScanIndex.ts"
import * as Sql from "../../src/Runtime/Database/Sql.ts"
import * as Database from "../support/Database.ts"
import { given, nearest } from "./rows.ts"

const space: Space = { model: "test/wide", dimensions: 300 }
const axis = (at: number) => Float32Array.from({ length: 300 }, (_, index) => index === at ? 1 : 0)
const database = Layer.orDie(Sql.layer({ maxConnections: 2 })).pipe(Layer.provide(Database.layer))

layer(MemoryRepo.layer.pipe(Layer.provideMerge(database)))("The health of memories", (it) => {
  const problemWith = (cacheBytes: number) =>
    Effect.provide(Effect.flatMap(MemoryHealth, ({ problem }) => problem), MemoryHealth.layer({ cacheBytes }))

  it.effect("names a user's memories that the cache can't hold, or that are too many to scan", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      assert.strictEqual(yield* problemWith(0), null)
      const { user } = yield* given([axis(0), axis(1)], space)
      assert.strictEqual(yield* problemWith(10_000), null)
      assert.include((yield* problemWith(3_000)) ?? "", "MEMORY_CACHE_MB")
      yield* sql`update memory_owners set memories = 50000 where user_id = ${user}`
      assert.strictEqual(yield* problemWith(100_000_000), null)
      yield* sql`update memory_owners set memories = 50001 where user_id = ${user}`
      assert.include((yield* problemWith(100_000_000)) ?? "", "A user has 50001 memories")
    }))

  it.effect("says for an hour that tasks began without memories, whichever process ran them", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const repo = yield* MemoryRepo
      yield* sql`update memory_owners set memories = 0`
      const { user } = yield* given([axis(0)], space)
      yield* repo.leftOut(user)
      const problem = (yield* problemWith(10_000)) ?? ""
      assert.match(
        problem,
        /^In the last hour tasks of 1 user began without their memories.*raise DATABASE_MAX_CONNECTIONS/
      )
      yield* sql`update memory_owners set left_out_at = now() - interval '61 minutes'`
      assert.strictEqual(yield* problemWith(10_000), null)
    }))

  it.effect("is found out once in 30 seconds", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { user } = yield* given([axis(0)], space)
      const { problem } = yield* Effect.provide(MemoryHealth, MemoryHealth.layer({ cacheBytes: 100_000_000 }))
      yield* sql`update memory_owners set memories = 0`
      assert.strictEqual(yield* problem, null)
      yield* sql`update memory_owners set memories = 60000 where user_id = ${user}`
      assert.strictEqual(yield* problem, null)
      yield* TestClock.adjust("30 seconds")
      assert.include((yield* problem) ?? "", "A user has 60000 memories")
    }))
})

layer(
  MemoryIndex.layerScan({ cacheBytes: 1_000_000 }).pipe(
    Layer.provideMerge(MemoryRepo.layer),
    Layer.provideMerge(Layer.orDie(Sql.layer({ maxConnections: 3 }))),
    Layer.provideMerge(Database.layer)
  )
)("Searches of one user at the same time", (it) => {
  it.scoped("each have their own result, also when the first ones are interrupted", () =>
    Effect.gen(function*() {
      const { rows, user } = yield* given(Array.from({ length: 60 }, (_, at) => axis(at)), space)
      const first = yield* Effect.fork(nearest(user, space, axis(0), 1))
      const searches = yield* Effect.fork(
        Effect.forEach(rows, (_, at) => nearest(user, space, axis(at), 1), { concurrency: "unbounded" })
      )
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(first)
      const found = yield* Fiber.join(searches)
      assert.deepStrictEqual(found.map((neighbours) => neighbours.map(({ id }) => id)), rows.map(({ id }) => [id]))
    }))

  it.scoped("know what was saved before each of them", () =>
    Effect.gen(function*() {
      const { rows: [old], user } = yield* given([axis(0)], space)
      const before = yield* Effect.fork(nearest(user, space, axis(1), 1))
      const added = { ...(old ?? (yield* Effect.dieMessage("No row"))), id: MemoryId.make(v7()), vector: axis(1) }
      yield* (yield* MemoryRepo).write(user, { version: 1, space, rows: [added], tasks: [] })
      const after = yield* Effect.all([0, 1].map((at) => nearest(user, space, axis(at), 1)), { concurrency: 2 })
      assert.deepStrictEqual(after.map(([found]) => found?.id), [old?.id, added.id])
      yield* Fiber.join(before)
    }))
})

layer(
  MemoryIndex.layerScan({ cacheBytes: 0 }).pipe(
    Layer.provideMerge(MemoryRepo.layer),
    Layer.provideMerge(Layer.orDie(Sql.layer({ maxConnections: 3 }))),
    Layer.provideMerge(Database.layer)
  )
)("Many scans at the same time", (it) => {
  it.scoped("leave a connection to others", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const users = yield* Effect.replicateEffect(given([axis(0)], space), 5)
      const other = Context.get(yield* Layer.build(Layer.fresh(Sql.layer({ maxConnections: 2 }))), SqlClient.SqlClient)
      const blocked = Effect.map(
        other<{ count: number }>`
select count(*)::integer as count from pg_locks where relation = 'memories'::regclass and not granted`,
        ([row]) => row?.count ?? 0
      )
      const [locked, checked] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const lock = yield* other`lock table memories`.pipe(
        Effect.zipRight(Deferred.succeed(locked, undefined)),
        Effect.zipRight(Deferred.await(checked)),
        other.withTransaction,
        Effect.fork
      )
      yield* Deferred.await(locked)
      const searches = yield* Effect.fork(
        Effect.forEach(users, ({ user }) => nearest(user, space, axis(0), 1), { concurrency: "unbounded" })
      )
      yield* Effect.repeat(blocked, { until: (count) => count >= 2 })
      yield* sql`select 1`
      assert.strictEqual(yield* blocked, 2)
      yield* Deferred.succeed(checked, undefined)
      yield* Fiber.join(lock)
      assert.deepStrictEqual(
        (yield* Fiber.join(searches)).map((found) => found.map(({ id }) => id)),
        users.map(({ rows }) => rows.map(({ id }) => id))
      )
    }))
})

const idOf = (number: number) => MemoryId.make(`00000000-0000-7000-8000-${String(number).padStart(12, "0")}`)

describe("The best of many scores", () => {
  it.prop(
    "are the greatest, best first, the newest first of equal ones, in whatever order they come",
    [
      FastCheck.shuffledSubarray(Array.from({ length: 30 }, (_, number) => number)),
      FastCheck.array(FastCheck.integer({ min: -3, max: 9 }), { minLength: 30, maxLength: 30 }),
      FastCheck.integer({ min: 1, max: 9 })
    ],
    ([order, scores, limit]) => {
      const topK = makeTopK(limit)
      const all = order.map((number) => ({ id: idOf(number), score: (scores[number] ?? 0) / 10 }))
      for (const { id, score } of all) topK.add(id, score)
      const expected = all.filter(({ score }) => score > roundingError)
        .toSorted((one, other) => other.score - one.score || (one.id < other.id ? 1 : -1)).slice(0, limit)
      assert.deepStrictEqual(topK.neighbours(), expected)
    }
  )
})
