import { Effect, Schema } from "effect"
import { escapeLiteral } from "pg"
import { type Sent, Wire } from "./TaskWorld.ts"

const Plan = Schema.Tuple(Schema.Struct({
  "QUERY PLAN": Schema.Tuple(Schema.Struct({
    Plan: Schema.Struct({ "Shared Hit Blocks": Schema.Int, "Shared Read Blocks": Schema.Int })
  }))
}))

/**
 * How many pages a statement touches, planned as connections with these settings plan; what it changes is undone. Of two
 * runs the lower counts: whatever of the catalogue the server has to look up again by chance is counted, too.
 */
export const buffersOf = (statement: Omit<Sent, "name"> | undefined, settings: Readonly<Record<string, string>>) =>
  Effect.map(
    Effect.all([buffersOfOne(statement, settings), buffersOfOne(statement, settings)]),
    ([one, other]) => Math.min(one, other)
  )

const buffersOfOne = (statement: Omit<Sent, "name"> | undefined, settings: Readonly<Record<string, string>>) =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    if (statement === undefined) return yield* Effect.dieMessage("Nothing was sent")
    yield* query("begin")
    for (const [name, value] of Object.entries(settings)) yield* query(`set local ${name} = ${value}`)
    yield* query(`prepare measured as ${statement.text}`)
    const explained = yield* query(
      `explain (analyze, buffers, format json) execute measured${
        statement.values.length === 0 ? "" : `(${statement.values.map(literal).join(", ")})`
      }`
    )
    yield* query("deallocate measured")
    yield* query("rollback")
    const [{ "QUERY PLAN": [{ Plan: plan }] }] = yield* Schema.decodeUnknown(Plan)(explained)
    return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
  })

const literal = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? `'{${value.join(",")}}'` : escapeLiteral(String(value))
