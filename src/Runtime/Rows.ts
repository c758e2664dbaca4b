import { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"

const isSqlError = <E>(error: E): error is E & SqlError => error instanceof SqlError

/** Decodes the rows of a statement. A database that fails and a row of another form are defects: no caller can act on them. */
export const rowsOf = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknown(Schema.Array(schema))
  return <E, R>(
    statement: Effect.Effect<ReadonlyArray<unknown>, E, R>
  ): Effect.Effect<ReadonlyArray<A>, Exclude<E, E & SqlError>, R> =>
    statement.pipe(
      Effect.catchIf(isSqlError<E>, Effect.die),
      Effect.flatMap((rows) => Effect.orDie(decode(rows)))
    )
}
