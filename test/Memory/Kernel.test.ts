import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck } from "effect"
import { readFileSync } from "node:fs"
import wabt from "wabt"
import { kernelCode, makeKernel } from "../../src/Memory/Kernel.ts"
import { sketchOf, sketchQuery, sketchShape, sketchSlack } from "../../src/Memory/Sketch.ts"
import { dot, normalised } from "../../src/Memory/Vectors.ts"

const source = new URL("../../src/Memory/Kernel.wat", import.meta.url)

/** Vectors of length 1, with the peaks that some models' have; `[]` for two that have no direction. */
const vectors = FastCheck.integer({ min: 1, max: 200 }).chain((dimensions) =>
  FastCheck.array(
    FastCheck.array(FastCheck.oneof(FastCheck.integer({ min: -9, max: 9 }), FastCheck.constantFrom(-900, 0, 900)), {
      minLength: dimensions,
      maxLength: dimensions
    }).map((numbers) => normalised(Float32Array.from(numbers))),
    { minLength: 2, maxLength: 9 }
  )
)

/** What the bytes of a sketch say, by their definition alone. */
const readSketch = (sketch: Uint8Array, dimensions: number) => {
  const { head } = sketchShape(dimensions)
  const view = new DataView(sketch.buffer, sketch.byteOffset)
  return {
    left: view.getFloat32(0, true),
    vector: Float64Array.from(
      { length: dimensions },
      (_, at) => view.getInt8(head + at) * view.getFloat32(4 + 4 * Math.floor(at / 64), true)
    )
  }
}

describe("The kernel", () => {
  it.effect("is Kernel.wat, assembled", () =>
    Effect.gen(function*() {
      const { parseWat } = yield* Effect.promise(() => wabt())
      const { buffer } = parseWat("Kernel.wat", readFileSync(source, "utf8"), { simd: true }).toBinary({})
      assert.strictEqual(Buffer.from(kernelCode).toString("base64"), Buffer.from(buffer).toString("base64"))
    }))

  it.prop("gives the dot products of the digits", [vectors], ([[first, ...others]]) => {
    const asked = first ?? new Float32Array()
    const shape = sketchShape(asked.length)
    const query = sketchQuery(asked)
    const sketches = others.map(sketchOf)
    const scores = makeKernel().scores(query, shape, Buffer.concat(sketches), sketches.length)
    for (const [row, sketch] of sketches.entries()) {
      const { vector } = readSketch(sketch, asked.length)
      const score = vector.reduce((sum, number, at) => sum + number * (query.digits[at] ?? 0) * query.scale, 0)
      assert.closeTo(scores[row] ?? Number.NaN, score, 1e-6)
    }
  })

  it.prop("is off from the vectors' own dot products by the slack at most", [vectors], ([[first, ...others]]) => {
    const asked = first ?? new Float32Array()
    const query = sketchQuery(asked)
    const sketches = others.map(sketchOf)
    const scores = makeKernel().scores(query, sketchShape(asked.length), Buffer.concat(sketches), sketches.length)
    for (const [row, other] of others.entries()) {
      const { left } = readSketch(sketchOf(other), asked.length)
      const slack = sketchSlack(query, left)
      assert.isAtMost(Math.abs((scores[row] ?? Number.NaN) - dot(asked, other)), slack)
      assert.isBelow(slack, 0.04)
    }
  })

  it("compares more than fits in the memory that it began with, and then a few again", () => {
    const kernel = makeKernel()
    const vector = normalised(Float32Array.from({ length: 1_536 }, (_, at) => Math.sin(at)))
    const query = sketchQuery(vector)
    const many = kernel.scores(query, sketchShape(1_536), Buffer.concat(Array(300).fill(sketchOf(vector))), 300)
    assert.strictEqual(many.length, 300)
    assert.isTrue(many.every((score) => Math.abs(score - 1) < 1e-3))
    const opposite = sketchOf(vector.map((number) => -number))
    assert.closeTo(kernel.scores(query, sketchShape(1_536), opposite, 1)[0] ?? 0, -1, 1e-3)
    assert.strictEqual(kernel.scores(query, sketchShape(1_536), opposite, 0).length, 0)
  })
})
