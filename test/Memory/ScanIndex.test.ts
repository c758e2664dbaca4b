import { assert, layer } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { MemoryId } from "@troupe/domain/Memory"
import { Context, Effect, Layer, Random } from "effect"
import { v7 } from "uuid"
import { MemoryIndex } from "../../src/Memory/MemoryIndex.ts"
import { MemoryRepo, type Space } from "../../src/Memory/MemoryRepo.ts"
import { sketchOf } from "../../src/Memory/Sketch.ts"
import { dot, noise, normalised } from "../../src/Memory/Vectors.ts"
import { PreparedStatements } from "../../src/Runtime/PreparedStatements.ts"
import * as Database from "../support/Database.ts"
import { memoriesOf, removeMemory } from "./rows.ts"

/** What happens before a statement of a name runs, and which were sent. */
class Meddler extends Context.Tag("troupe/test/Memory/ScanIndex.test/Meddler")<Meddler, {
  readonly hooks: Record<string, Effect.Effect<unknown, unknown>>
  readonly sent: Map<string, { readonly text: string; readonly values: ReadonlyArray<unknown> }>
}>() {}

const meddling = Layer.effect(
  PreparedStatements,
  Effect.gen(function*() {
    const { execute } = yield* PreparedStatements
    const { hooks, sent } = yield* Meddler
    return PreparedStatements.of({
      execute: (statement, values) => {
        sent.set(statement.name, { text: statement.text, values })
        return Effect.zipRight(Effect.orDie(hooks[statement.name] ?? Effect.void), execute(statement, values))
      }
    })
  })
).pipe(
  Layer.provide(PreparedStatements.layer({ maxConnections: 2 })),
  Layer.provideMerge(Layer.sync(Meddler, () => Meddler.of({ hooks: {}, sent: new Map() }))),
  Layer.provide(Database.layer)
)

const stores = {
  "with room": 10_000_000,
  "without room": 0
}

const near = (vector: Float32Array, distance: number) =>
  Effect.map(
    Effect.replicateEffect(Random.nextRange(-distance, distance), vector.length),
    (noises) => normalised(vector.map((number, at) => number + (noises[at] ?? 0)))
  )

const rowOf = (vector: Float32Array, id = MemoryId.make(v7())) => ({
  id,
  content: "x",
  tags: [],
  taskId: null,
  vector,
  isNew: true
})

const space: Space = { model: "test/wide", dimensions: 300 }
const axis = (at: number) => Float32Array.from({ length: 300 }, (_, index) => index === at ? 1 : 0)
/** A vector at this cosine with the first axis, beside the axis at `side`. */
const atCosine = (cosine: number, side: number) =>
  axis(0).map((_, at) => at === 0 ? cosine : at === side ? Math.sqrt(1 - cosine ** 2) : 0)

for (const [name, cacheBytes] of Object.entries(stores)) {
  layer(
    MemoryIndex.layerScan({ cacheBytes }).pipe(Layer.provideMerge(MemoryRepo.layer), Layer.provideMerge(meddling))
  )(`A scan ${name}`, (it) => {
    /** A new user's memories, and the same index as another process would ask it. */
    const given = (vectors: ReadonlyArray<Float32Array>) =>
      Effect.gen(function*() {
        const repo = yield* MemoryRepo
        const user = UserId.make(`user-${v7()}`)
        const rows = vectors.map((vector) => rowOf(vector))
        yield* repo.write(user, { version: 0, space, rows, tasks: [] })
        return { user, rows }
      })

    const idsNear = (user: UserId, vector: Float32Array, limit: number) =>
      Effect.flatMap(
        MemoryIndex,
        (index) => Effect.map(index.nearest(user, space, vector, limit), (found) => found.map(({ id }) => id))
      )

    it.effect("finds the nearest of many that their sketches can't tell apart, over all pages that they are read in", () =>
      Effect.gen(function*() {
        const vectors = yield* Effect.replicateEffect(near(axis(0), 0.001), 1_600)
        const { rows, user } = yield* given(vectors)
        const asked = yield* near(axis(0), 0.001)
        const expected = rows.map(({ id, vector }) => ({ id, score: dot(vector, asked) }))
          .toSorted((one, other) => other.score - one.score || (one.id < other.id ? 1 : -1))
        assert.isBelow((expected[0]?.score ?? 0) - (expected[1_599]?.score ?? 0), 0.001)
        const index = yield* MemoryIndex
        for (const limit of [1, 50]) {
          assert.deepStrictEqual(yield* index.nearest(user, space, asked, limit), expected.slice(0, limit))
        }
        for (const { id } of expected.slice(0, 1)) yield* removeMemory(user, id)
        assert.deepStrictEqual(yield* index.nearest(user, space, asked, 50), expected.slice(1, 51))
      }).pipe(Effect.withRandom(Random.make("near"))))

    it.effect("adds sketches to memories that have none, and finds them", () =>
      Effect.gen(function*() {
        const { execute } = yield* PreparedStatements
        const { rows, user } = yield* given([atCosine(0.4, 1), atCosine(0.9, 2), atCosine(0.6, 3)])
        const sketches = Effect.map(
          execute({
            name: "test_sketches",
            text: "select encode(sketch, 'hex') as sketch from memories where user_id = $1::text order by id"
          }, [user]),
          (found) => found.map(({ sketch }) => sketch)
        )
        const kept = yield* sketches
        assert.deepStrictEqual(kept, rows.map(({ vector }) => Buffer.from(sketchOf(vector)).toString("hex")))
        yield* execute({ name: "test_unsketch", text: "update memories set sketch = null where user_id = $1" }, [user])
        assert.deepStrictEqual(yield* idsNear(user, axis(0), 2), [rows[1]?.id, rows[2]?.id])
        assert.deepStrictEqual(yield* sketches, kept)
      }))

    it.effect("leaves the sketch of a memory that was changed while its old one was made", () =>
      Effect.gen(function*() {
        const { execute } = yield* PreparedStatements
        const repo = yield* MemoryRepo
        const { hooks } = yield* Meddler
        const { rows: [row], user } = yield* given([atCosine(0.4, 1)])
        if (row === undefined) return assert.fail("There are too few rows")
        const changed = { ...row, vector: atCosine(0.9, 2), isNew: false }
        yield* execute({ name: "test_unsketch", text: "update memories set sketch = null where user_id = $1" }, [user])
        hooks["memory_add_sketches"] = Effect.suspend(() => {
          delete hooks["memory_add_sketches"]
          return repo.write(user, { version: 1, space, rows: [changed], tasks: [] })
        })
        yield* idsNear(user, axis(0), 1)
        const [found] = yield* execute({
          name: "test_sketch",
          text: "select encode(sketch, 'hex') as sketch from memories where user_id = $1::text"
        }, [user])
        assert.strictEqual(found?.["sketch"], Buffer.from(sketchOf(changed.vector)).toString("hex"))
      }))

    it.effect("is not kept from the nearest by memories of another model, though their vectors are as long", () =>
      Effect.gen(function*() {
        const repo = yield* MemoryRepo
        const { rows: [first, second], user } = yield* given([atCosine(0.9, 1), atCosine(0.5, 2)])
        if (first === undefined || second === undefined) return assert.fail("There are too few rows")
        assert.deepStrictEqual(yield* idsNear(user, axis(0), 1), [first.id])
        yield* repo.renew(user, { ...space, model: "test/other" }, [{ ...first, version: 1 }])
        assert.deepStrictEqual(yield* idsNear(user, axis(0), 1), [second.id])
      }))

    it.effect("looks again when what was near is removed or changed while it looks", () =>
      Effect.gen(function*() {
        const repo = yield* MemoryRepo
        const { hooks } = yield* Meddler
        const { rows, user } = yield* given([0.95, 0.9, 0.5, 0.3].map((cosine, side) => atCosine(cosine, side + 1)))
        const [first, second, third, fourth] = rows
        if (first === undefined || second === undefined) return assert.fail("There are too few rows")
        const once = (change: Effect.Effect<unknown, unknown>) => {
          hooks["memory_vectors"] = Effect.suspend(() => {
            delete hooks["memory_vectors"]
            return change
          })
        }
        once(Effect.provide(removeMemory(user, first.id), yield* Effect.context<PreparedStatements>()))
        assert.deepStrictEqual(yield* idsNear(user, axis(0), 2), [second.id, third?.id])
        const moved = { ...second, vector: atCosine(0.1, 9), isNew: false }
        once(repo.write(user, { version: 2, space, rows: [moved], tasks: [] }))
        assert.deepStrictEqual(yield* idsNear(user, axis(0), 2), [third?.id, fourth?.id])
      }))

    it.effect("follows what others save, remove and give to another model", () =>
      Effect.gen(function*() {
        const repo = yield* MemoryRepo
        const { rows: [first, second], user } = yield* given(
          [0.9, 0.8, 0.7].map((cosine, side) => atCosine(cosine, side + 1))
        )
        if (first === undefined || second === undefined) return assert.fail("There are too few rows")
        assert.strictEqual((yield* idsNear(user, axis(0), 9)).length, 3)
        const added = rowOf(atCosine(0.6, 7))
        yield* removeMemory(user, first.id)
        yield* repo.write(user, { version: 2, space, rows: [added], tasks: [] })
        assert.deepStrictEqual((yield* idsNear(user, axis(0), 9)).indexOf(added.id), 2)
        yield* removeMemory(user, added.id)
        yield* repo.renew(user, { model: "test/other", dimensions: 2 }, [
          { id: second.id, version: 1, vector: Float32Array.of(1, 0) }
        ])
        assert.deepStrictEqual(
          yield* idsNear(user, axis(0), 9),
          (yield* memoriesOf(user))
            .map(({ id }) => id).filter((id) => id !== second.id)
        )
      }))

    it.effect("reads those it compares by their keys, also where it was planned while there were none", () =>
      Effect.gen(function*() {
        const { execute } = yield* PreparedStatements
        const repo = yield* MemoryRepo
        const { sent } = yield* Meddler
        const { rows: [row], user } = yield* given([atCosine(0.9, 1)])
        if (row === undefined) return assert.fail("There are too few rows")
        yield* idsNear(user, axis(0), 1)
        yield* repo.find(user, [row.id])
        for (const name of ["memory_vectors", "memory_find"]) {
          const { text, values } = sent.get(name) ?? { text: "", values: [] }
          const explain = { name: `test_${name}`, text: `explain (generic_plan, costs off) ${text}` }
          const plan = yield* execute(explain, values)
          const lines = plan.map((line) => String(line["QUERY PLAN"]).trim())
          const scan = lines.findIndex((line) => line.includes("Index Scan using memories_pkey"))
          assert.match(lines[scan + 1] ?? "", /^Index Cond: \(id = /, lines.join("\n"))
        }
      }))

    it.effect("tells scores that are no more than noise from those that are", () =>
      Effect.gen(function*() {
        const { rows, user } = yield* given([atCosine(noise / 2, 1), atCosine(-0.5, 2), atCosine(noise * 3, 3)])
        assert.deepStrictEqual(yield* idsNear(user, axis(0), 3), [rows[2]?.id])
      }))
  })
}
