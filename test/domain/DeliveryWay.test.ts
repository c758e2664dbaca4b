import { assert, describe, it } from "@effect/vitest"
import { deliveryChannels, deliveryWays } from "@troupe/domain/DeliveryWay"

describe("A way by which messages leave", () => {
  it("has a mark of its own, so that the messages of one notification have different ids", () => {
    const marks = deliveryChannels.flatMap((way) => deliveryWays[way].mark ?? [])
    assert.includeMembers(marks, ["9", "a"])
    assert.strictEqual(new Set(marks).size, marks.length)
    // Events of tasks, and answers in chat.
    for (const mark of ["8", "b"]) assert.notInclude(marks, mark)
  })
})
