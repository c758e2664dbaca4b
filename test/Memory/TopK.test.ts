import { assert, describe, it } from "@effect/vitest"
import { MemoryId } from "@troupe/domain/Memory"
import { FastCheck } from "effect"
import { makeTopK } from "../../src/Memory/TopK.ts"
import { roundingError } from "../../src/Memory/Vectors.ts"

const idOf = (number: number) => MemoryId.make(`00000000-0000-7000-8000-${String(number).padStart(12, "0")}`)

describe("The best of many scores", () => {
  it.prop(
    "are the greatest, best first, the newest first of equal ones, in whatever order they come",
    [
      FastCheck.shuffledSubarray(Array.from({ length: 30 }, (_, number) => number)),
      FastCheck.array(FastCheck.integer({ min: -3, max: 9 }), { minLength: 30, maxLength: 30 }),
      FastCheck.integer({ min: 1, max: 9 })
    ],
    ([order, scores, limit]) => {
      const topK = makeTopK(limit)
      const all = order.map((number) => ({ id: idOf(number), score: (scores[number] ?? 0) / 10 }))
      for (const { id, score } of all) topK.add(id, score)
      const expected = all.filter(({ score }) => score > roundingError)
        .toSorted((one, other) => other.score - one.score || (one.id < other.id ? 1 : -1)).slice(0, limit)
      assert.deepStrictEqual(topK.neighbours(), expected)
    }
  )
})
