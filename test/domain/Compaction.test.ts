import { assert, describe, it } from "@effect/vitest"
import { type Compacted, fallbackIndex, splitIndex, visible } from "@troupe/domain/Compaction"
import { ToolCallId } from "@troupe/domain/Ids"
import type { Message } from "@troupe/domain/Message"
import { FastCheck as fc } from "effect"

/** A conversation of whole turns: a user's message, then answers with any number of calls, each with its results. */
const anyConversation: fc.Arbitrary<ReadonlyArray<Message>> = fc.array(fc.integer({ min: 0, max: 5 }), {
  maxLength: 25
})
  .map((turns) => [
    { role: "user" as const, content: "go" },
    ...turns.flatMap((calls, turn): ReadonlyArray<Message> => {
      const ids = Array.from({ length: calls }, (_, call) => ToolCallId.make(`t${turn}c${call}`))
      return [
        {
          role: "assistant",
          content: `turn ${turn}`,
          tool_calls: ids.map((id) => ({ id, name: "read_file", arguments: "{}" }))
        },
        ...ids.map((id): Message => ({ role: "tool", tool_call_id: id, name: "read_file", content: "r" }))
      ]
    })
  ])

const anyLimits = fc.record({ threshold: fc.integer({ min: 2, max: 20 }), recent: fc.integer({ min: 1, max: 20 }) })
  .map(({ recent, threshold }) => ({ threshold, maxRecent: Math.min(recent, threshold) }))

/** Every result stands behind its call, and every call before the end has all its results. */
const isWellFormed = (messages: ReadonlyArray<Message>): boolean => {
  let expected: Array<string> = []
  for (const message of messages) {
    if (message.role === "tool") {
      if (expected.shift() !== message.tool_call_id) return false
    } else {
      if (expected.length > 0) return false
      expected = message.role === "assistant" ? message.tool_calls.map((call) => call.id) : []
    }
  }
  return expected.length === 0
}

describe("Compaction", () => {
  it.prop("never separates a call from its results, whatever the conversation and the limits", [
    anyConversation,
    anyLimits
  ], ([messages, limits]) => {
    const upto = splitIndex(messages, null, limits)
    if (upto === null) return
    assert.isTrue(isWellFormed(visible(messages, { summary: "s", upto }).slice(1)))
    assert.isTrue(isWellFormed(messages.slice(0, upto)))
  })

  it.prop("keeps the order and every message that is not summarised", [anyConversation, anyLimits], (
    [messages, limits]
  ) => {
    const upto = splitIndex(messages, null, limits) ?? 0
    const compacted: Compacted | null = upto === 0 ? null : { summary: "s", upto }
    const shown = visible(messages, compacted)
    assert.deepStrictEqual([...messages.slice(0, upto), ...shown.slice(compacted === null ? 0 : 1)], [...messages])
  })

  it.prop("keeps at least the recent messages, and moves on with each compaction", [anyConversation, anyLimits], (
    [messages, limits]
  ) => {
    const first = splitIndex(messages, null, limits)
    if (first === null) return
    assert.isAtLeast(messages.length - first, Math.min(limits.maxRecent, messages.length))
    const second = splitIndex(messages, { summary: "s", upto: first }, limits)
    assert.isTrue(second === null || second > first)
  })

  it.prop("falls back to recent messages that begin with no orphaned result", [anyConversation, anyLimits], (
    [messages, limits]
  ) => {
    assert.isTrue(isWellFormed(messages.slice(fallbackIndex(messages, limits))))
  })

  it("compacts above the threshold only", () => {
    const messages = Array.from({ length: 13 }, (): Message => ({ role: "user", content: "x" }))
    const limits = { threshold: 12, maxRecent: 8 }
    assert.strictEqual(splitIndex(messages.slice(0, 12), null, limits), null)
    assert.strictEqual(splitIndex(messages, null, limits), 5)
  })
})
