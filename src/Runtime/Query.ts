import { SqlError } from "@effect/sql/SqlError"
import * as SqlSchema from "@effect/sql/SqlSchema"
import { Effect, flow, Schema } from "effect"

/** A statement with its input and its rows. Its failure is a defect, because no caller can act on it. */
interface Query<Input, EncodedInput, Row, EncodedRow> {
  readonly Request: Schema.Schema<Input, EncodedInput>
  readonly Result: Schema.Schema<Row, EncodedRow>
  readonly execute: (input: EncodedInput) => Effect.Effect<ReadonlyArray<unknown>, SqlError>
}

export const findAll = <Input, EncodedInput, Row, EncodedRow>(query: Query<Input, EncodedInput, Row, EncodedRow>) =>
  flow(SqlSchema.findAll(query), Effect.orDie)

export const findOne = <Input, EncodedInput, Row, EncodedRow>(query: Query<Input, EncodedInput, Row, EncodedRow>) =>
  flow(SqlSchema.findOne(query), Effect.orDie)

export const single = <Input, EncodedInput, Row, EncodedRow>(query: Query<Input, EncodedInput, Row, EncodedRow>) =>
  flow(SqlSchema.single(query), Effect.orDie)

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
