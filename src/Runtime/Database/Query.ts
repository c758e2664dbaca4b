import { SqlError } from "@effect/sql/SqlError"
import { Array, Effect, Option, Schema, SchemaAST } from "effect"
import { ArrayFormatter, type ParseError } from "effect/ParseResult"

/** The column of the first row that does not fit, in one line. */
const misfit = (schema: Schema.Schema.All, error: ParseError): string => {
  const { message, path: [row = 0, ...path] } = ArrayFormatter.formatErrorSync(error)[0] ??
    { message: "unknown", path: [] }
  const name = Option.getOrElse(SchemaAST.getIdentifierAnnotation(schema.ast), () => "its schema")
  return `Row ${String(row)} of the statement does not fit ${name}: ${[...path, message].map(String).join(": ")}`
}

/** Decodes the rows of a statement. A database that fails and a row of another form are defects: no caller can act on them. */
export const rowsOf = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknown(Schema.Array(schema))
  return <E, R>(
    statement: Effect.Effect<ReadonlyArray<unknown>, E, R>
  ): Effect.Effect<ReadonlyArray<A>, Exclude<E, Extract<E, SqlError>>, R> =>
    statement.pipe(
      Effect.catchIf((error): error is Extract<E, SqlError> => error instanceof SqlError, Effect.die),
      Effect.flatMap((rows) => Effect.catchAll(decode(rows), (error) => Effect.dieMessage(misfit(schema, error))))
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
export const theRow = <A, R>(rows: Effect.Effect<ReadonlyArray<A>, SqlError, R>): Effect.Effect<A, never, R> =>
  Effect.orDie(Effect.flatMap(rows, Array.head))
