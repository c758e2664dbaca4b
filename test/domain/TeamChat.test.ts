import { assert, it } from "@effect/vitest"
import { ChatReplyJson, chatReplyText, threadHalves, threadKey } from "@troupe/domain/TeamChat"
import { FastCheck as fc, Schema } from "effect"

const decode = Schema.decodeSync(ChatReplyJson)

it("A chat thread has a key, and a conversation without threads has another", () => {
  assert.strictEqual(threadKey("C1", "1.2"), "C1/1.2")
  assert.strictEqual(threadKey("D1", null), "D1")
})

it("Where a task replies in the chat is read as earlier versions stored it", () => {
  assert.deepStrictEqual(decode(`{"channel":"C1","thread_ts":"1.2","user":"U1"}`), { thread: "C1/1.2", user: "U1" })
  assert.deepStrictEqual(decode(`{"channel":"D1","thread_ts":null,"user":null}`), { thread: "D1", user: null })
})

it.prop("A key of any platform is stored and read as it is", [fc.string()], ([thread]) => {
  assert.deepStrictEqual(decode(chatReplyText({ thread, user: null })), { thread, user: null })
  const { channel, thread: rest } = threadHalves(thread)
  assert.strictEqual(threadKey(channel, rest), thread)
})
