import { assert, it } from "@effect/vitest"
import { chatThreadKey } from "@troupe/domain/TeamChat"

it("A chat thread has a key, and a direct message without threads has another", () => {
  assert.strictEqual(chatThreadKey({ channel: "C1", thread_ts: "1.2" }), "C1/1.2")
  assert.strictEqual(chatThreadKey({ channel: "D1", thread_ts: null }), "D1")
})
