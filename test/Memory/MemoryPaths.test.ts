import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { MemoryIndex } from "../../src/Memory/MemoryIndex.ts"
import * as MemoryIndexLayer from "../../src/Memory/MemoryIndexLayer.ts"
import { MemoryRepo } from "../../src/Memory/MemoryRepo.ts"
import { SearchStatements } from "../../src/Runtime/Database/SearchStatements.ts"
import * as Sql from "../../src/Runtime/Database/Sql.ts"
import * as Database from "../support/Database.ts"
import { memoriesOfProcessesSuite } from "./memoriesOfProcessesSuite.ts"
import { memoriesSuite } from "./memoriesSuite.ts"
import { memoryIndexSuite } from "./memoryIndexSuite.ts"
import { paths } from "./paths.ts"

// In one file, because PostgreSQL with pgvector takes seconds to start.
for (const [path, store] of Object.entries(paths)) {
  layer(store)(`Over ${path}`, (it) => {
    describe("the memory index", () => memoryIndexSuite(it))
    // Where nothing is kept, all else is as in the scan.
    if (path === "the scan with room for nothing") return
    describe("memories", () => memoriesSuite(it))
    describe("memories of several processes", () => memoriesOfProcessesSuite(it))
  })
}

describe("The memory index", () => {
  it.scoped("is the scan where the database has no pgvector to offer", () =>
    Effect.gen(function*() {
      const index = yield* MemoryIndex
      assert.strictEqual(index.kind, "scan")
    }).pipe(Effect.provide(
      MemoryIndexLayer.layer({ cacheBytes: 1 }).pipe(
        Layer.provide(MemoryRepo.layer),
        Layer.provide([SearchStatements.layer({ maxConnections: 2 }), Sql.layer({ maxConnections: 2 })]),
        Layer.provide(Database.layer)
      )
    )))
})
