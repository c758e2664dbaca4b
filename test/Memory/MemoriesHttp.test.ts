import { HttpClient } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import * as TroupeClient from "@troupe/client/TroupeClient"
import { UserId } from "@troupe/domain/Ids"
import { MemoryId, MemoryRecord } from "@troupe/domain/Memory"
import { Effect, Layer, Schema } from "effect"
import { v7 } from "uuid"
import { Shutdown } from "../../src/Http/NodeServer.ts"
import { Memories } from "../../src/Memory/Memories.ts"
import { MemoryIndex } from "../../src/Memory/MemoryIndex.ts"
import { MemoryRecords } from "../../src/Memory/MemoryRecords.ts"
import { MemoryRepo } from "../../src/Memory/MemoryRepo.ts"
import { UserRepo } from "../../src/People/User/UserRepo.ts"
import { Users } from "../../src/People/User/Users.ts"
import { SearchStatements } from "../../src/Runtime/Database/SearchStatements.ts"
import * as Sql from "../../src/Runtime/Database/Sql.ts"
import { makeFakes } from "../Http/Fakes.ts"
import { app, layerSettings } from "../Http/TestServer.ts"
import * as Database from "../support/Database.ts"
import { makeEmbeddings } from "./embeddings.ts"

const rooms = Layer.mergeAll(MemoryRecords.layer, Memories.layer({ maxPerUser: 2_000 })).pipe(
  Layer.provide(MemoryIndex.layerScan({ cacheBytes: 10_000_000 })),
  Layer.provide([MemoryRepo.layer, makeEmbeddings().layer, SearchStatements.layer({ maxConnections: 2 })]),
  Layer.provideMerge(Users.layer.pipe(Layer.provide(UserRepo.layer))),
  Layer.provideMerge(Layer.orDie(Sql.layer({ maxConnections: 3 }))),
  Layer.provideMerge(Database.layer)
)
const server = app(makeFakes(), rooms).pipe(
  Layer.provideMerge(NodeHttpServer.layerTest),
  Layer.provide([Shutdown.layer, layerSettings({ ALLOWED_HOSTS: "0.0.0.0" })]),
  Layer.provideMerge(rooms)
)

const get = (path: string) => Effect.flatMap(HttpClient.HttpClient, (http) => http.get(path))

/** A user with these memories, the oldest first. */
const given = (...contents: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const memories = yield* Memories
    const { ensureExists } = yield* Users
    const user = UserId.make(`user-${v7()}`)
    yield* ensureExists(user)
    for (const content of contents) yield* memories.save(user, { content, tags: ["Angle"] })
    return user
  })

const decode = Schema.decode(Schema.parseJson(MemoryRecord))

const contentsOf = (records: ReadonlyArray<MemoryRecord>) => records.map(({ content }) => content)

layer(server, { excludeTestServices: true })("Memories over HTTP", (it) => {
  it.effect("are listed page by page, the newest first, and found by a text in them or in a tag", () =>
    Effect.gen(function*() {
      const client = yield* TroupeClient.make()
      const user = yield* given("@10 invoices", "@40 Coffee", "@70 coffee cups")
      yield* given("@10 of somebody else")
      const path = { user_id: user }
      const [first, response] = yield* client.memories.list({ path, urlParams: { limit: 2 }, withResponse: true })
      assert.deepStrictEqual(contentsOf(first), ["@70 coffee cups", "@40 Coffee"])
      assert.deepInclude(first[0], { user_id: user, tags: ["angle"], task_id: null })
      const [, next = ""] = /<(.+)>; rel="next"/.exec(response.headers["link"] ?? "") ?? []
      assert.include(yield* Effect.flatMap(get(next), ({ text }) => text), "@10 invoices")
      const search = (q: string) => Effect.map(client.memories.list({ path, urlParams: { q } }), contentsOf)
      assert.deepStrictEqual(yield* search("COFFEE"), ["@70 coffee cups", "@40 Coffee"])
      assert.strictEqual((yield* search("angle")).length, 3)
      assert.deepStrictEqual(yield* search("somebody"), [])
    }))

  it.effect("are searched some thousand a page, which may find nothing and still have a next one", () =>
    Effect.gen(function*() {
      const user = yield* given("@10 An ox")
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into memories (user_id, id, content, model, dimensions, vector, version, created_at, updated_at)
select ${user}, ('ffff0000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, 'A cow', 'm', 1, '{1}', 1, now(), now()
from generate_series(1, 8100) i`
      const pages: Array<ReadonlyArray<string>> = []
      let next = `/users/${user}/memories?q=OX`
      while (next !== "") {
        const response = yield* get(next)
        pages.push(contentsOf(yield* Effect.flatMap(response.json, Schema.decodeUnknown(Schema.Array(MemoryRecord)))))
        next = /<(.+)>; rel="next"/.exec(response.headers["link"] ?? "")?.[1] ?? ""
      }
      assert.deepStrictEqual(pages, [[], [], ["@10 An ox"]])
    }))

  it.effect("are removed one by one, and agents no longer find them", () =>
    Effect.gen(function*() {
      const client = yield* TroupeClient.make()
      const memories = yield* Memories
      const [user, other] = [yield* given("@10 a", "@50 b"), yield* given("@10 a")]
      assert.strictEqual((yield* memories.search(user, "@0", 5)).length, 2)
      const [, one] = yield* client.memories.list({ path: { user_id: user }, urlParams: {} })
      const path = { user_id: user, memory_id: one?.id ?? "" }
      assert.strictEqual(
        (yield* Effect.flip(client.memories.remove({ path: { ...path, user_id: other } })))._tag,
        "MemoryNotFound"
      )
      yield* client.memories.remove({ path })
      assert.deepStrictEqual((yield* memories.search(user, "@0", 5)).map(({ content }) => content), ["@50 b"])
      for (const memory_id of [path.memory_id, "nope"]) {
        assert.strictEqual(
          (yield* Effect.flip(client.memories.remove({ path: { ...path, memory_id } })))._tag,
          "MemoryNotFound"
        )
      }
    }))

  it.effect("are removed all at once, twice with the same result, and new ones are found again", () =>
    Effect.gen(function*() {
      const client = yield* TroupeClient.make()
      const memories = yield* Memories
      const [user, other] = [yield* given("@10 a", "@50 b"), yield* given("@10 a")]
      assert.strictEqual((yield* memories.search(user, "@0", 5)).length, 2)
      const path = { user_id: user }
      yield* client.memories.removeAll({ path })
      yield* client.memories.removeAll({ path })
      assert.deepStrictEqual(yield* client.memories.list({ path, urlParams: {} }), [])
      assert.deepStrictEqual(yield* memories.search(user, "@0", 5), [])
      assert.strictEqual((yield* memories.search(other, "@0", 5)).length, 1)
      yield* memories.save(user, { content: "@20 c", tags: [] })
      assert.deepStrictEqual((yield* memories.search(user, "@0", 5)).map(({ content }) => content), ["@20 c"])
    }))

  it.effect("are exported as lines of JSON, however many", () =>
    Effect.gen(function*() {
      const user = yield* given("@10 a")
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into memories (id, user_id, content, model, dimensions, vector, version, created_at, updated_at)
        select gen_random_uuid(), ${user}, 'More', 'm', 1, '{1}', 1, now(), now() from generate_series(1, 1000)`
      const response = yield* get(`/users/${user}/memories/export`)
      assert.include(response.headers["content-type"], "application/x-ndjson")
      assert.include(response.headers["content-disposition"], "memories.jsonl")
      const lines = (yield* response.text).trimEnd().split("\n")
      const records = yield* Effect.forEach(lines, (line) => decode(line))
      assert.strictEqual(new Set(records.map(({ id }) => id)).size, 1_001)
      assert.deepStrictEqual(records.map(({ id }) => id), records.map(({ id }) => id).toSorted().toReversed())
      const empty = yield* given()
      assert.strictEqual(yield* Effect.flatMap(get(`/users/${empty}/memories/export`), ({ text }) => text), "")
    }))

  it.effect("of an unknown user are not found", () =>
    Effect.gen(function*() {
      const client = yield* TroupeClient.make()
      for (const user_id of ["nobody", "a b"]) {
        const path = { user_id }
        for (
          const error of [
            yield* Effect.flip(client.memories.list({ path, urlParams: {} })),
            yield* Effect.flip(client.memories.export({ path })),
            yield* Effect.flip(client.memories.removeAll({ path }))
          ]
        ) assert.strictEqual(error._tag, "UserNotFound")
        assert.strictEqual((yield* get(`/users/${user_id}/memories?limit=0`)).status, 400)
      }
      const path = { user_id: "nobody", memory_id: MemoryId.make(v7()) }
      assert.strictEqual((yield* Effect.flip(client.memories.remove({ path })))._tag, "MemoryNotFound")
    }))
})
