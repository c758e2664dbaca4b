import { assert, describe, it } from "@effect/vitest"
import { MemoryId } from "@troupe/domain/Memory"
import { FastCheck } from "effect"
import { makeSieve } from "../../src/Memory/Sieve.ts"
import { noise } from "../../src/Memory/Vectors.ts"

const idOf = (number: number) => MemoryId.make(`00000000-0000-4000-8000-${String(number).padStart(12, "0")}`)

/** Memories of which only this is known: the score is within `slack` of `told`. */
const memory = FastCheck.record({
  score: FastCheck.integer({ min: -20, max: 20 }),
  slack: FastCheck.nat(6),
  off: FastCheck.integer({ min: -6, max: 6 })
}).map(({ off, score, slack }) => ({ score, slack, told: score + Math.sign(off) * Math.min(Math.abs(off), slack) }))

describe("The sieve", () => {
  it.prop(
    "lets through all that are among the nearest, the most promising first",
    [FastCheck.array(memory, { maxLength: 40 }), FastCheck.integer({ min: 1, max: 6 })],
    ([memories, limit]) => {
      const sieve = makeSieve(limit)
      for (const [number, { slack, told }] of memories.entries()) sieve.add(idOf(number), told, slack)
      const through = sieve.candidates()
      const least = memories.map(({ score }) => score).toSorted((one, other) => other - one)[limit - 1] ?? noise
      for (const [number, { score }] of memories.entries()) {
        if (score > noise && score >= least) assert.isTrue(through.some(({ id }) => id === idOf(number)))
      }
      const bounds = through.map(({ most }) => most)
      assert.deepStrictEqual(bounds, bounds.toSorted((one, other) => other - one))
      assert.isAtMost(sieve.threshold(), Math.max(noise, least))
    }
  )

  it("holds back what can't be among them, and what has nothing in common", () => {
    const sieve = makeSieve(2)
    for (const [number, score] of [0.1, 0.5, 0.3, 0.49, -0.2, 0].entries()) sieve.add(idOf(number), score, 0.02)
    assert.deepStrictEqual(sieve.candidates().map(({ id }) => id), [idOf(1), idOf(3)])
    assert.closeTo(sieve.threshold(), 0.47, 1e-9)
    const few = makeSieve(9)
    few.add(idOf(1), -0.5, 0.1)
    assert.deepStrictEqual(few.candidates(), [])
  })
})
