import type { SqlClient } from "@effect/sql"
import { assert, describe, it, layer, type Vitest } from "@effect/vitest"
import { MemoryId } from "@troupe/domain/Memory"
import { normalised } from "@troupe/domain/Vector"
import { Effect, FastCheck, Layer, Random } from "effect"
import { v7 } from "uuid"
import { MemoryIndex } from "../../src/Memory/MemoryIndex.ts"
import { MemoryRepo, type Space } from "../../src/Memory/MemoryRepo.ts"
import { roundingError } from "../../src/Memory/ScanIndex.ts"
import { SearchStatements } from "../../src/Runtime/Database/SearchStatements.ts"
import * as Sql from "../../src/Runtime/Database/Sql.ts"
import { busyAtFirst } from "../support/BusyDatabase.ts"
import * as Database from "../support/Database.ts"
import { runsOf } from "../support/PropertyRuns.ts"
import { withPgvector } from "./pgvector.ts"
import { given, memoriesOf, nearest, removeMemory } from "./rows.ts"

type Store = MemoryIndex | MemoryRepo | SqlClient.SqlClient

const withoutPgvector = Layer.orDie(Sql.layer({ maxConnections: 6 })).pipe(Layer.provide(Database.layer))

const scan = (cacheBytes: number) =>
  MemoryIndex.layerScan({ cacheBytes }).pipe(Layer.provideMerge(MemoryRepo.layer), Layer.provideMerge(withoutPgvector))

/** Every way in which memories are searched. */
const paths: Readonly<Record<string, Layer.Layer<Store>>> = {
  "the scan": scan(10_000_000),
  "the scan with room for nothing": scan(0),
  pgvector: MemoryIndex.layerPgvector.pipe(Layer.provideMerge(MemoryRepo.layer), Layer.provideMerge(withPgvector))
}

const space: Space = { model: "test/vectors", dimensions: 3 }

interface Rows extends ReadonlyArray<{ readonly id: MemoryId; readonly vector: Float32Array }> {}

/** By the definition alone. */
const scoreOf = (vector: Float32Array, query: Float32Array) =>
  vector.reduce((sum, value, at) => sum + value * (query[at] ?? 0), 0)

const direction = FastCheck.tuple(FastCheck.nat(6), FastCheck.nat(6), FastCheck.nat(6)).map(([x, y, z]) => [
  x - 3,
  y - 3,
  z - 3
])

/** The fifth and the sixth are equally near, but for how the sums round. */
const tiedAtTheLimit = { query: [2, 2, 2], vectors: [[1, 1, 1], [2, 2, 1], [3, 3, 2], [3, 2, 2], [3, 2, 1], [3, 1, 2]] }

/** Sums in another order, and stored vectors, differ in their last digits. */
const tolerance = 1e-4

/**
 * Found are as many as there are, with the greatest scores, best first, and each has the score that is returned for it. Which
 * of those come first whose scores differ in the last digits only, or which of them the limit cuts off, is left open.
 */
const isNearest = (
  found: ReadonlyArray<{ readonly id: string; readonly score: number }>,
  rows: Rows,
  query: Float32Array,
  limit: number
) => {
  const scores = new Map<string, number>(rows.map(({ id, vector }) => [id, scoreOf(vector, query)]))
  const best = [...scores.values()].filter((score) => score > roundingError).toSorted((one, other) => other - one)
    .slice(
      0,
      limit
    )
  assert.lengthOf(found, best.length)
  assert.strictEqual(new Set(found.map(({ id }) => id)).size, found.length)
  for (const [at, { id, score }] of found.entries()) {
    assert.closeTo(score, best[at] ?? Number.NaN, tolerance)
    assert.closeTo(score, scores.get(id) ?? Number.NaN, tolerance)
  }
}

/** What every way to search promises. */
const memoryIndexSuite = (it: Vitest.MethodsNonLive<Store>): void => {
  const findsTheNearest = ({ query, vectors }: typeof tiedAtTheLimit) =>
    Effect.gen(function*() {
      const { rows, user } = yield* given(vectors.map((vector) => Float32Array.from(vector)), space)
      const asked = normalised(Float32Array.from(query))
      isNearest(yield* nearest(user, space, asked, 5), rows, asked, 5)
    })

  it.effect.prop(
    "finds exactly the nearest, best first",
    { vectors: FastCheck.array(direction, { minLength: 1, maxLength: 12 }), query: direction },
    findsTheNearest,
    { fastCheck: { numRuns: runsOf(15) } }
  )

  it.effect("finds either of two that are equally near at the limit", () => findsTheNearest(tiedAtTheLimit))

  it.effect("finds the newest first of those that are equally near", () =>
    Effect.gen(function*() {
      const { rows, user } = yield* given(Array.from({ length: 6 }, () => Float32Array.of(0, 1, 0)), space)
      const found = yield* nearest(user, space, Float32Array.of(0, 1, 0), 4)
      assert.deepStrictEqual(found.map(({ id }) => id), rows.map(({ id }) => id).toReversed().slice(0, 4))
    }))

  it.effect("finds the nearest of many, and what is changed later", () =>
    Effect.gen(function*() {
      const repo = yield* MemoryRepo
      const wide: Space = { model: "test/wide", dimensions: 2_048 }
      const vectors = yield* Effect.replicateEffect(
        Effect.map(Effect.replicateEffect(Random.nextRange(-1, 1), 2_048), (values) => Float32Array.from(values)),
        66
      )
      const { rows, user } = yield* given(vectors, wide, 3)
      const asked = normalised(vectors[65] ?? new Float32Array())
      isNearest(yield* nearest(user, wide, asked, 3), rows, asked, 3)
      const [moved, gone] = [rows[5], rows[65]]
      if (moved === undefined || gone === undefined) return assert.fail("There are too few rows")
      yield* repo.write(user, {
        version: 3,
        space: wide,
        rows: [{ ...moved, vector: asked, isNew: false }],
        tasks: []
      })
      const [first, second] = yield* nearest(user, wide, asked, 3)
      assert.deepStrictEqual([first?.id, second?.id], [gone.id, moved.id])
      yield* removeMemory(user, gone.id)
      assert.strictEqual((yield* nearest(user, wide, asked, 3))[0]?.id, moved.id)
      assert.deepStrictEqual(yield* nearest(user, { ...wide, model: "test/other" }, asked, 3), [])
      assert.deepStrictEqual(yield* nearest(user, space, Float32Array.of(1, 0, 0), 3), [])
    }).pipe(Effect.withRandom(Random.make("memories"))))

  it.effect("follows what other processes save, remove and give to another model", () =>
    Effect.gen(function*() {
      const repo = yield* MemoryRepo
      const { rows: [first, second], user } = yield* given(
        [0.9, 0.8, 0.7].map((cosine, side) => atCosine(cosine, side + 1)),
        flat
      )
      if (first === undefined || second === undefined) return assert.fail("There are too few rows")
      const found = Effect.map(nearest(user, flat, axis(0), 9), (found) => found.map(({ id }) => id))
      assert.strictEqual((yield* found).length, 3)
      const added = { ...first, id: MemoryId.make(v7()), content: "x", tags: [], taskId: null, isNew: true }
      yield* removeMemory(user, first.id)
      yield* repo.write(user, { version: 2, space: flat, rows: [{ ...added, vector: atCosine(0.6, 7) }], tasks: [] })
      assert.deepStrictEqual((yield* found).indexOf(added.id), 2)
      yield* removeMemory(user, added.id)
      // As long as the other vectors, and still never compared with them.
      yield* repo.renew(user, { ...flat, model: "test/other" }, [{ id: second.id, version: 1, vector: axis(0) }])
      assert.deepStrictEqual(
        yield* found,
        (yield* memoriesOf(user)).map(({ id }) => id).filter((id) => id !== second.id)
      )
    }))

  it.effect("tells scores that are no more than rounding errors from those that are", () =>
    Effect.gen(function*() {
      const { rows, user } = yield* given(
        [atCosine(roundingError / 2, 1), atCosine(-0.5, 2), atCosine(roundingError * 3, 3)],
        flat
      )
      assert.deepStrictEqual((yield* nearest(user, flat, axis(0), 3)).map(({ id }) => id), [rows[2]?.id])
    }))
}

const flat: Space = { model: "test/flat", dimensions: 10 }
const axis = (at: number) => Float32Array.from({ length: 10 }, (_, index) => index === at ? 1 : 0)

/** A vector at this cosine with the first axis, beside the axis at `side`. */
const atCosine = (cosine: number, side: number) =>
  axis(0).map((_, at) => at === 0 ? cosine : at === side ? Math.sqrt(1 - cosine ** 2) : 0)

// In one file, because PostgreSQL with pgvector takes seconds to start.
for (const [path, store] of Object.entries(paths)) layer(store)(`The memory index over ${path}`, memoryIndexSuite)

describe("The memory index", () => {
  it.scoped("is the scan where the database has no pgvector to offer", () =>
    Effect.gen(function*() {
      const index = yield* MemoryIndex
      assert.strictEqual(index.kind, "scan")
    }).pipe(Effect.provide(
      MemoryIndex.layer({ cacheBytes: 1 }).pipe(
        Layer.provide(MemoryRepo.layer),
        Layer.provide([SearchStatements.layer({ maxConnections: 2 }), Sql.layer({ maxConnections: 2 })]),
        Layer.provide(Database.layer)
      )
    )))

  it.scopedLive("tries again when a start gets no connection to look for pgvector", () =>
    Layer.build(
      MemoryIndex.layer({ cacheBytes: 1_000 }).pipe(
        Layer.provide(busyAtFirst()),
        Layer.provide(Sql.layer({ maxConnections: 1 })),
        Layer.provide([Layer.mock(MemoryRepo, {}), Layer.mock(SearchStatements, {}), Database.layer])
      )
    ))
})
