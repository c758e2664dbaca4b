import { assert, describe, it } from "@effect/vitest"
import { compact, fallbackIndex, splitIndex, visible } from "@troupe/domain/Compaction"
import { ToolCallId } from "@troupe/domain/Ids"
import type { Message } from "@troupe/domain/Message"
import type { Compacted } from "@troupe/domain/Step"
import { FastCheck as fc } from "effect"
import { isPaired } from "../support/Conversations.ts"

/** A user's message, then an answer with each number of calls, and their results. */
const conversationOf = (turns: ReadonlyArray<number>): ReadonlyArray<Message> => [
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
]

const turnsOf = (calls: number, count: number) => conversationOf(Array.from({ length: count }, () => calls))

const anyConversation = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 25 }).map(conversationOf)

const anyLimits = fc.record({ threshold: fc.integer({ min: 2, max: 20 }), recent: fc.integer({ min: 1, max: 20 }) })
  .map(({ recent, threshold }) => ({ threshold, maxRecent: Math.min(recent, threshold) }))

const step = (upto: number, more: Partial<Compacted> = {}): Compacted => ({
  kind: "compacted",
  because: "messages",
  upto,
  summary: "s",
  tokens: [1, 1],
  millis: 1,
  ...more
})

const summarised = (messages: ReadonlyArray<Message>, upto: number) => compact(messages, null, step(upto))

const users = (count: number) => Array.from({ length: count }, (): Message => ({ role: "user", content: "x" }))

describe("Compaction", () => {
  it.prop("separates no call from its results, keeps all that it does not cover, and moves on", [
    anyConversation,
    anyLimits
  ], ([messages, limits]) => {
    const upto = splitIndex(messages, null, limits)
    if (upto === null) return
    const compaction = summarised(messages, upto)
    const shown = visible(messages, compaction)
    assert.isTrue(isPaired(shown))
    assert.isTrue(isPaired(messages.slice(0, upto)))
    assert.deepStrictEqual([...messages.slice(0, upto), ...shown.slice(1)], [...messages])
    assert.isBelow(shown.length, messages.length)
    const recent = messages.slice(-limits.maxRecent)
    const wholeTurns = recent.slice(recent.findIndex(({ role }) => role !== "tool"))
    assert.isAtLeast(messages.length - upto, wholeTurns.length)
    const second = splitIndex(messages, compaction, limits)
    assert.isTrue(second === null || second > upto)
  })

  it.prop("falls back to at least one recent message, without orphaned results at the beginning", [
    anyConversation,
    anyLimits
  ], ([messages, limits]) => {
    const index = fallbackIndex(messages, limits)
    assert.isTrue(isPaired(messages.slice(index)))
    assert.isBelow(index, messages.length)
  })

  it("compacts above the threshold only", () => {
    const messages = users(13)
    const limits = { threshold: 12, maxRecent: 8 }
    assert.strictEqual(splitIndex(messages.slice(0, 12), null, limits), null)
    assert.strictEqual(splitIndex(messages, null, limits), 5)
  })

  it("summarises the first turn where the recent messages begin in it", () => {
    const limits = { threshold: 12, maxRecent: 8 }
    const messages = turnsOf(5, 2)
    assert.strictEqual(messages.length, 13)
    assert.strictEqual(splitIndex(messages, null, limits), 7)
  })

  it("never summarises the results that the model has not seen", () => {
    const limits = { threshold: 12, maxRecent: 8 }
    assert.isNull(splitIndex(turnsOf(12, 1), null, limits))
  })

  it("does not replace one message by one", () => {
    const messages = users(3)
    assert.isNull(splitIndex(messages, null, { threshold: 2, maxRecent: 2 }))
    assert.strictEqual(splitIndex(messages, null, { threshold: 2, maxRecent: 1 }), 2)
  })

  it("keeps the earlier summary when a new one fails, and says how many messages are not covered", () => {
    const messages = users(20)
    const before = summarised(messages, 5)
    const failed = compact(messages, before, step(12, { summary: null, failure: "no" }))
    assert.deepStrictEqual(visible(messages, failed)[0], {
      role: "system",
      content: "s\n\n[7 older messages are left out here: they could not be summarised.]"
    })
    assert.deepInclude(failed, { summarised: 5, upto: 12, failures: 1, failedAt: 20 })
    assert.deepInclude(compact(messages, failed, step(14)), { summarised: 14, upto: 14, failures: 0 })
  })
})
