import { Reactivity } from "@effect/experimental"
import { SqlClient } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { SqlError } from "@effect/sql/SqlError"
import { PGlite } from "@electric-sql/pglite"
import { vector } from "@electric-sql/pglite/vector"
import { Context, Effect, Layer, Stream } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { createTable } from "../../src/Runtime/Database/Migrations.ts"
import type { Row } from "../../src/Runtime/Database/PreparedStatements.ts"
import { SearchStatements } from "../../src/Runtime/Database/SearchStatements.ts"

const migrations = new URL("../../migrations/", import.meta.url)

/** PostgreSQL with pgvector from npm: one session, in this process. */
export const withPgvector = Layer.scopedContext(
  Effect.gen(function*() {
    const database = yield* Effect.acquireRelease(
      Effect.promise(() => PGlite.create({ extensions: { vector } })),
      (database) => Effect.promise(() => database.close())
    )
    yield* Effect.promise(async () => {
      await database.exec("create extension vector")
      await database.exec(createTable)
      for (const name of readdirSync(migrations).filter((file) => file.endsWith(".sql")).toSorted()) {
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
      Context.add(SearchStatements, {
        execute: ({ text, values }) => execute(text, values)
      })
    )
  })
).pipe(Layer.provide(Reactivity.layer))
