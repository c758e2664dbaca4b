import { Reactivity } from "@effect/experimental"
import { SqlClient } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { SqlError } from "@effect/sql/SqlError"
import { PGlite } from "@electric-sql/pglite"
import { vector } from "@electric-sql/pglite-pgvector"
import { Context, Effect, Layer, Stream } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import type { MemoryIndex } from "../../src/Memory/MemoryIndex.ts"
import { layerPgvector } from "../../src/Memory/MemoryIndexLayer.ts"
import { MemoryRepo } from "../../src/Memory/MemoryRepo.ts"
import * as ScanIndex from "../../src/Memory/ScanIndex.ts"
import type { Row } from "../../src/Runtime/Database/PreparedStatements.ts"
import { SearchStatements } from "../../src/Runtime/Database/SearchStatements.ts"
import * as Sql from "../../src/Runtime/Database/Sql.ts"
import * as Database from "../support/Database.ts"

export type Store = MemoryIndex | MemoryRepo | SqlClient.SqlClient

const migrations = new URL("../../migrations/", import.meta.url)

/** PostgreSQL with pgvector from npm: one session, in this process. */
const withPgvector = Layer.scopedContext(
  Effect.gen(function*() {
    const database = yield* Effect.acquireRelease(
      Effect.promise(() => PGlite.create({ extensions: { vector } })),
      (database) => Effect.promise(() => database.close())
    )
    yield* Effect.promise(async () => {
      await database.exec("create extension vector")
      for (const name of readdirSync(migrations).toSorted()) {
        await database.exec(readFileSync(new URL(name, migrations), "utf8"))
      }
    })
    const execute = (text: string, values: ReadonlyArray<unknown>) =>
      Effect.tryPromise({
        try: () => database.query<Row>(text, [...values]).then(({ rows }) => rows),
        catch: (cause) => new SqlError({ cause, message: "PGlite refused a statement" })
      })
    const client = yield* SqlClient.make({
      acquirer: Effect.succeed({
        execute,
        executeRaw: execute,
        executeStream: () => Stream.dieMessage("PGlite is not asked for streams"),
        executeUnprepared: execute,
        executeValues: () => Effect.dieMessage("PGlite is not asked for values")
      }),
      compiler: PgClient.makeCompiler(),
      spanAttributes: []
    })
    return Context.make(SqlClient.SqlClient, client).pipe(
      Context.add(SearchStatements, { execute: ({ text }, values) => execute(text, values) })
    )
  })
).pipe(Layer.provide(Reactivity.layer))

const withoutPgvector = Layer.orDie(Sql.layer({ maxConnections: 6 })).pipe(Layer.provide(Database.layer))

const scan = (cacheBytes: number) =>
  ScanIndex.layer({ cacheBytes }).pipe(Layer.provideMerge(MemoryRepo.layer), Layer.provideMerge(withoutPgvector))

/** Every way in which memories are searched. */
export const paths: Readonly<Record<string, Layer.Layer<Store>>> = {
  "the scan": scan(10_000_000),
  "the scan with room for nothing": scan(0),
  pgvector: layerPgvector.pipe(Layer.provideMerge(MemoryRepo.layer), Layer.provideMerge(withPgvector))
}
