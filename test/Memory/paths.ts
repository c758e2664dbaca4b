import { SqlError } from "@effect/sql/SqlError"
import { PGlite } from "@electric-sql/pglite"
import { vector } from "@electric-sql/pglite-pgvector"
import { Context, Effect, Layer } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { MemoryIndex } from "../../src/Memory/MemoryIndex.ts"
import { MemoryRepo } from "../../src/Memory/MemoryRepo.ts"
import { type Prepared, PreparedStatements, type Row } from "../../src/Runtime/PreparedStatements.ts"
import { SearchStatements } from "../../src/Runtime/SearchStatements.ts"
import * as Database from "../support/Database.ts"

export type Store = MemoryIndex | MemoryRepo | PreparedStatements

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
    const execute = ({ text }: Prepared, values: ReadonlyArray<unknown>) =>
      Effect.tryPromise({
        try: () => database.query<Row>(text, [...values]).then(({ rows }) => rows),
        catch: (cause) => new SqlError({ cause, message: "PGlite refused a statement" })
      })
    return Context.make(PreparedStatements, { execute }).pipe(Context.add(SearchStatements, { execute }))
  })
)

const withoutPgvector = Layer.merge(
  PreparedStatements.layer({ maxConnections: 6 }),
  SearchStatements.layer({ maxConnections: 3 })
).pipe(Layer.provide(Database.layer))

const scan = (cacheBytes: number) =>
  MemoryIndex.layerScan({ cacheBytes }).pipe(Layer.provideMerge(MemoryRepo.layer), Layer.provideMerge(withoutPgvector))

/** Every way in which memories are searched. */
export const paths: Readonly<Record<string, Layer.Layer<Store>>> = {
  "the scan": scan(10_000_000),
  "the scan with room for nothing": scan(0),
  pgvector: MemoryIndex.layerPgvector.pipe(Layer.provideMerge(MemoryRepo.layer), Layer.provideMerge(withPgvector))
}
