import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { TaskId, UserId } from "@troupe/domain/Ids"
import { MemoryId } from "@troupe/domain/Memory"
import { Effect, Fiber, Layer } from "effect"
import { v7 } from "uuid"
import { MemoryRepo } from "../../src/Memory/MemoryRepo.ts"
import * as Sql from "../../src/Runtime/Database/Sql.ts"
import * as Database from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { memoriesOf } from "./rows.ts"

const user = UserId.make("anna")

const store = MemoryRepo.layer.pipe(
  Layer.provideMerge(Layer.orDie(Sql.layer({ maxConnections: 4 }))),
  Layer.provide(Database.layer)
)

const given = Effect.gen(function*() {
  const repo = yield* MemoryRepo
  const id = MemoryId.make(v7())
  const row = { id, content: "c", tags: [], taskId: TaskId.make(v7()), vector: Float32Array.of(1), isNew: true }
  const { version } = yield* repo.owner(user)
  yield* repo.write(user, { version, space: { model: "m", dimensions: 1 }, rows: [row], tasks: [] })
  return id
})

/** Runs the change while another transaction holds the owner's row, and asks for the memory's row meanwhile. */
const whileOwnerIsLocked = <A>(id: MemoryId, change: Effect.Effect<A>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const locked = yield* Effect.makeLatch(false)
    const done = yield* Effect.makeLatch(false)
    const holder = yield* sql`select from memory_owners where user_id = ${user} for update`.pipe(
      Effect.zipRight(locked.open),
      Effect.zipRight(done.await),
      sql.withTransaction,
      Effect.fork
    )
    yield* locked.await
    const changing = yield* Effect.fork(change)
    const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    yield* eventually(waiting, ({ length }) => length === 1)
    const free = yield* sql`select from memories where id = ${id}::uuid for update skip locked`
    yield* done.open
    yield* Fiber.join(holder)
    yield* Fiber.join(changing)
    return free.length === 1
  })

layer(store, { excludeTestServices: true })("The removal of memories", (it) => {
  it.effect("locks the owner's row before the memory's, as a save does", () =>
    Effect.gen(function*() {
      const repo = yield* MemoryRepo
      const changes = [
        (id: MemoryId) => repo.remove(user, id),
        () => repo.removeOldest(user, 1),
        () => repo.removeAll(user)
      ]
      for (const change of changes) {
        const id = yield* given
        assert.isTrue(yield* whileOwnerIsLocked(id, change(id)))
        assert.deepStrictEqual(yield* memoriesOf(user), [])
        assert.strictEqual((yield* repo.owner(user)).memories, 0)
      }
    }))
})
