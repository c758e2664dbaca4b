import { assert, describe, it } from "@effect/vitest"
import type { ElicitResult } from "@modelcontextprotocol/client"
import { ToolCallId } from "@troupe/domain/Ids"
import type { CallInput, ServerAnswer } from "@troupe/domain/ServerQuestion"
import { Deferred, Duration, Effect, Fiber, TestClock } from "effect"
import { makeLiveCalls } from "../../src/ToolServer/LiveCalls.ts"

const failures = { timedOut: () => "timed out", gone: () => "gone" }
const question = { message: "Sure?", requestedSchema: { type: "object", properties: { go: { type: "boolean" } } } }
const minute = Duration.minutes(1)

const inputOf = (answer: ServerAnswer): CallInput => ({
  id: ToolCallId.make("one"),
  questions: [],
  live: true,
  before: 0,
  answers: new Map([["1", answer]])
})

const textsOf = ({ content }: Readonly<Record<string, unknown>>): string => JSON.stringify(content)

/** A call that asks once and returns the answer that it got. */
const makeAsking = Effect.gen(function*() {
  const calls = yield* makeLiveCalls<string>("shop", failures)
  const begun: Array<string> = []
  const call = Effect.suspend(() => {
    begun.push("call")
    return Effect.promise(() => calls.onQuestion(question))
  }).pipe(Effect.map((answer: ElicitResult) => ({ content: [{ type: "text", text: answer.action }] })))
  return { ...calls, begun, call }
})

describe("A call that asks while it goes on", () => {
  it.scoped("ends its step with the question, and goes on with the answer as the same call", () =>
    Effect.gen(function*() {
      const { begun, call, run } = yield* makeAsking
      const asked = yield* run(call, minute, { id: "t one", input: undefined, expired: Effect.void })
      assert.deepInclude(asked, { resultType: "input_required", live: true })
      const input = inputOf({ action: "accept", content: { go: true } })
      const result = yield* run(call, minute, { id: "t one", input, expired: Effect.void })
      assert.include(textsOf(result), "accept")
      assert.lengthOf(begun, 1)
    }))

  it.scoped("is declined after five minutes; the task is woken, and the result says so", () =>
    Effect.gen(function*() {
      const { call, run } = yield* makeAsking
      const expired = yield* Deferred.make<void>()
      yield* run(call, minute, { id: "t one", input: undefined, expired: Deferred.succeed(expired, undefined) })
      yield* TestClock.adjust("299 seconds")
      assert.isFalse(yield* Deferred.isDone(expired))
      yield* TestClock.adjust("1 second")
      yield* Deferred.await(expired)
      const input = inputOf({ action: "decline", expired: true })
      const result = textsOf(yield* run(call, minute, { id: "t one", input, expired: Effect.void }))
      assert.include(result, "decline")
      assert.include(result, "Nobody answered a question of the server within 5m")
    }))

  it.scoped("wakes its task for the question that nobody answered, also if that is not its first", () =>
    Effect.gen(function*() {
      const { onQuestion, run } = yield* makeAsking
      const ask = Effect.promise(() => onQuestion(question))
      const call = Effect.as(Effect.zipRight(ask, ask), { content: [] })
      const woken: Array<string> = []
      const expired = (which: string) => Effect.sync(() => void woken.push(which))
      yield* run(call, minute, { id: "t one", input: undefined, expired: expired("first") })
      yield* run(call, minute, {
        id: "t one",
        input: inputOf({ action: "accept", content: { go: true } }),
        expired: expired("second")
      })
      yield* TestClock.adjust("6 minutes")
      assert.deepStrictEqual(woken, ["second"])
    }))

  it.scoped("is declined as soon as its task is cancelled", () =>
    Effect.gen(function*() {
      const { onQuestion, run } = yield* makeAsking
      const [cancelled, said] = yield* Effect.all([Deferred.make<void>(), Deferred.make<string>()])
      const call = Effect.promise(() => onQuestion(question)).pipe(
        Effect.tap(({ action }) => Deferred.succeed(said, action)),
        Effect.uninterruptible,
        Effect.as({ content: [] })
      )
      const woken = Effect.dieMessage("a cancelled task is not woken")
      yield* run(call, minute, {
        id: "t one",
        input: undefined,
        expired: woken,
        cancelled: Deferred.await(cancelled)
      })
      yield* Deferred.succeed(cancelled, undefined)
      assert.strictEqual(yield* Deferred.await(said), "decline")
      assert.strictEqual(
        yield* Effect.flip(run(call, minute, { id: "t one", input: inputOf({ action: "decline" }), expired: woken })),
        "gone"
      )
    }))

  it.scoped("can't be answered in another process", () =>
    Effect.gen(function*() {
      const { call, run } = yield* makeAsking
      const input = inputOf({ action: "accept", content: { go: true } })
      assert.strictEqual(yield* Effect.flip(run(call, minute, { id: "t one", input, expired: Effect.void })), "gone")
    }))

  it.scoped("of a subagent, or beside another call, is declined at once", () =>
    Effect.gen(function*() {
      const { call, run } = yield* makeAsking
      assert.include(textsOf(yield* run(call, minute)), "a subagent can't ask a person")
      const other = yield* Effect.fork(run(Effect.never, minute))
      yield* Effect.yieldNow()
      const asking = { id: "t one", input: undefined, expired: Effect.void }
      const both = textsOf(yield* run(call, minute, asking))
      assert.include(both, "several calls run, and it does not say to which it belongs")
      yield* TestClock.adjust(minute)
      assert.strictEqual(yield* Effect.flip(Fiber.join(other)), "timed out")
    }))
})
