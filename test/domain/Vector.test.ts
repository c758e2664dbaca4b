import { assert, describe, it } from "@effect/vitest"
import { cosineOfUnits, normalised } from "@troupe/domain/Vector"
import { FastCheck as fc } from "effect"

const anyVector = (length: number) =>
  fc.array(fc.float({ min: -1000, max: 1000, noNaN: true }), { minLength: length, maxLength: length }).map((values) =>
    Float32Array.from(values)
  )

const cosine = (one: Float32Array, other: Float32Array) => cosineOfUnits(normalised(one), normalised(other))

describe("cosine", () => {
  it.prop("lies between -1 and 1, whichever way round", [anyVector(5), anyVector(5)], ([one, other]) => {
    const value = cosine(one, other)
    assert.isTrue(value >= -1 && value <= 1)
    assert.strictEqual(value, cosine(other, one))
  })

  it("is 1 of the same direction, -1 of the opposite, and 0 of what can't be compared", () => {
    const vector = Float32Array.of(3, 4)
    assert.closeTo(cosine(vector, Float32Array.of(6, 8)), 1, 1e-6)
    assert.closeTo(cosine(vector, Float32Array.of(-3, -4)), -1, 1e-6)
    assert.strictEqual(cosine(vector, Float32Array.of(0, 0)), 0)
    assert.strictEqual(cosine(vector, Float32Array.of(1, 2, 3)), 0)
    assert.strictEqual(cosine(new Float32Array(), new Float32Array()), 0)
    assert.strictEqual(cosine(Float32Array.of(Number.NaN), Float32Array.of(1)), 0)
  })
})
