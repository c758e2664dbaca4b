import { SqlError } from "@effect/sql/SqlError"
import { Array, Effect, type Option, Schema } from "effect"

/** Decodes the rows of a statement. A database that fails and a row of another form are defects: no caller can act on them. */
export const rowsOf = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknown(Schema.Array(schema))
  return <E, R>(
    statement: Effect.Effect<ReadonlyArray<unknown>, E, R>
  ): Effect.Effect<ReadonlyArray<A>, Exclude<E, Extract<E, SqlError>>, R> =>
    statement.pipe(
      Effect.catchIf((error): error is Extract<E, SqlError> => error instanceof SqlError, Effect.die),
      Effect.flatMap((rows) => Effect.orDie(decode(rows)))
    )
}

/** As `rowsOf`, for statements of one row at most. */
export const rowOf = <A, I>(schema: Schema.Schema<A, I>) => {
  const rows = rowsOf(schema)
  return <R>(
    statement: Effect.Effect<ReadonlyArray<unknown>, SqlError, R>
  ): Effect.Effect<Option.Option<A>, never, R> => Effect.map(rows(statement), Array.head)
}

/** The only row of a statement that always has one. */
export const theRow = <A, E, R>(rows: Effect.Effect<ReadonlyArray<A>, E, R>): Effect.Effect<A, never, R> =>
  Effect.orDie(Effect.flatMap(rows, Array.head))
