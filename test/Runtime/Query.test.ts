import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Option, Schema } from "effect"
import { rowsOf } from "../../src/Runtime/Database/Query.ts"

const TaskRow = Schema.Struct({ id: Schema.String, budget: Schema.NullOr(Schema.Int) }).annotations({
  identifier: "TaskRow"
})

describe("A row that does not fit its schema", () => {
  it.effect("is a defect that names the schema and the column in one line", () =>
    Effect.gen(function*() {
      const messageOf = (...rows: ReadonlyArray<unknown>) =>
        Effect.map(Effect.exit(rowsOf(TaskRow)(Effect.succeed(rows))), (exit) =>
          Exit.isFailure(exit) ? Option.map(Cause.dieOption(exit.cause), String) : Option.none())
      assert.deepStrictEqual(
        yield* messageOf({ id: "a", budget: 1 }, { id: "b" }),
        Option.some("RuntimeException: Row 1 of the statement does not fit TaskRow: budget: is missing")
      )
      assert.isTrue(Option.isNone(yield* messageOf({ id: "a", budget: null })))
    }))
})
