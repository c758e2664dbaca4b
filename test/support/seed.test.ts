import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck } from "effect"
import { env } from "node:process"

// Not imported from where it is set: the set-up of all tests must have done it.
const seed = Number(env["PROPERTY_SEED"] ?? 1)

const number = FastCheck.integer()

/** What a property with this seed draws. */
const drawn: Array<number> = []
FastCheck.assert(FastCheck.property(number, (value) => void drawn.push(value)), { seed })

/** Fails where a property draws anything else. */
const compare = () => {
  const left = [...drawn]
  return (value: number) => assert.strictEqual(value, left.shift())
}

describe("The seed of all properties", () => {
  const [one, other] = [compare(), compare()]

  it.prop("is that of it.prop", [number], ([value]) => one(value))

  it.effect.prop("is that of it.effect.prop", { value: number }, ({ value }) => Effect.sync(() => other(value)))

  it("is that of fast-check's own functions", () => {
    FastCheck.assert(FastCheck.property(number, compare()))
    assert.deepStrictEqual(FastCheck.sample(number, 20), FastCheck.sample(number, { numRuns: 20, seed }))
  })
})
