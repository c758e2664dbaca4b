import { assert, type Vitest } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { MemoryId } from "@troupe/domain/Memory"
import { normalised } from "@troupe/domain/Vector"
import { Effect, FastCheck, Random } from "effect"
import { v7 } from "uuid"
import { MemoryIndex, roundingError, type Space } from "../../src/Memory/MemoryIndex.ts"
import { MemoryRepo } from "../../src/Memory/MemoryRepo.ts"
import type { Store } from "./paths.ts"
import { removeMemory } from "./rows.ts"

const space: Space = { model: "test/vectors", dimensions: 3 }

/** Saves vectors as memories of a user who had none. */
const given = (vectors: ReadonlyArray<Float32Array>, space: Space, rounds = 1) =>
  Effect.gen(function*() {
    const repo = yield* MemoryRepo
    const user = UserId.make(`user-${v7()}`)
    const rows = vectors.map((vector) => ({
      id: MemoryId.make(v7()),
      content: "x",
      tags: [],
      taskId: null,
      vector: normalised(vector),
      isNew: true
    }))
    for (let round = 0; round < rounds; round++) {
      const size = Math.ceil(rows.length / rounds)
      const isWritten = yield* repo.write(user, {
        version: round,
        space,
        rows: rows.slice(round * size, (round + 1) * size),
        tasks: []
      })
      assert.isTrue(isWritten)
    }
    return { user, rows }
  })

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
export const memoryIndexSuite = (it: Vitest.MethodsNonLive<Store>): void => {
  const findsTheNearest = ({ query, vectors }: typeof tiedAtTheLimit) =>
    Effect.gen(function*() {
      const index = yield* MemoryIndex
      const { rows, user } = yield* given(vectors.map((vector) => Float32Array.from(vector)), space)
      const asked = normalised(Float32Array.from(query))
      isNearest(yield* index.nearest(user, space, asked, 5), rows, asked, 5)
    })

  it.effect.prop(
    "finds exactly the nearest, best first",
    { vectors: FastCheck.array(direction, { minLength: 1, maxLength: 12 }), query: direction },
    findsTheNearest,
    { fastCheck: { numRuns: 15 } }
  )

  it.effect("finds either of two that are equally near at the limit", () => findsTheNearest(tiedAtTheLimit))

  it.effect("finds the newest first of those that are equally near", () =>
    Effect.gen(function*() {
      const index = yield* MemoryIndex
      const { rows, user } = yield* given(Array.from({ length: 6 }, () => Float32Array.of(0, 1, 0)), space)
      const found = yield* index.nearest(user, space, Float32Array.of(0, 1, 0), 4)
      assert.deepStrictEqual(found.map(({ id }) => id), rows.map(({ id }) => id).toReversed().slice(0, 4))
    }))

  it.effect("finds the nearest of many, and what is changed later", () =>
    Effect.gen(function*() {
      const index = yield* MemoryIndex
      const repo = yield* MemoryRepo
      const wide: Space = { model: "test/wide", dimensions: 2_048 }
      const vectors = yield* Effect.replicateEffect(
        Effect.map(Effect.replicateEffect(Random.nextRange(-1, 1), 2_048), (values) => Float32Array.from(values)),
        150
      )
      const { rows, user } = yield* given(vectors, wide, 3)
      const asked = normalised(vectors[77] ?? new Float32Array())
      isNearest(yield* index.nearest(user, wide, asked, 3), rows, asked, 3)
      const [moved, gone] = [rows[5], rows[77]]
      if (moved === undefined || gone === undefined) return assert.fail("There are too few rows")
      yield* repo.write(user, {
        version: 3,
        space: wide,
        rows: [{ ...moved, vector: asked, isNew: false }],
        tasks: []
      })
      const [first, second] = yield* index.nearest(user, wide, asked, 3)
      assert.deepStrictEqual([first?.id, second?.id], [gone.id, moved.id])
      yield* removeMemory(user, gone.id)
      assert.strictEqual((yield* index.nearest(user, wide, asked, 3))[0]?.id, moved.id)
      assert.deepStrictEqual(yield* index.nearest(user, { ...wide, model: "test/other" }, asked, 3), [])
      assert.deepStrictEqual(yield* index.nearest(user, space, Float32Array.of(1, 0, 0), 3), [])
    }).pipe(Effect.withRandom(Random.make("memories"))))
}
