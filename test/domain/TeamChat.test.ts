import { assert, describe, it } from "@effect/vitest"
import { ChatReplyJson, chatReplyText, chatThreadKey } from "@troupe/domain/TeamChat"
import { Effect, Schema } from "effect"

describe("A reply in a chat thread", () => {
  it.effect("is read as it was written", () =>
    Effect.gen(function*() {
      const reply = { channel: "C1", thread_ts: "1700000000.000100", user: "U1" }
      assert.deepStrictEqual(yield* Schema.decode(ChatReplyJson)(chatReplyText(reply)), reply)
    }))

  it("has a key for the thread, and one for a direct message without threads", () => {
    assert.strictEqual(chatThreadKey({ channel: "C1", thread_ts: "1.2" }), "C1/1.2")
    assert.strictEqual(chatThreadKey({ channel: "D1", thread_ts: null }), "D1")
  })
})
