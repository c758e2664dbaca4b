import { assert, describe, it } from "@effect/vitest"
import { TaskId } from "@troupe/domain/Ids"
import { openCalls, type Turn } from "@troupe/domain/Run"
import type { EndedSubtask } from "@troupe/domain/Subtask"
import { Clock, Deferred, Effect, Fiber, TestClock } from "effect"
import type { ToolOutcome } from "../../src/Tool/AgentTool.ts"
import { askHuman, dispatchSubagent, wait } from "../../src/Tool/ParkingTools.ts"
import { asks, call, says } from "../support/ScriptedModel.ts"
import { answered, echo, id, makeLoop, resultsIn, runLoop, settle, tool } from "./loop.ts"

describe("ToolStep, calls with a later result", () => {
  it.effect("let the task sleep until the result is due and show the model nothing before", () =>
    Effect.gen(function*() {
      const turns = [asks(call("w", "wait", { seconds: 3_600 }))]
      const asleep = yield* runLoop({ turns, tools: [wait] })
      assert.deepStrictEqual(asleep.outcomes.at(-1)?.event, null)
      assert.strictEqual(asleep.outcomes.at(-1)?.sleepUntil, 3_600_000)
      assert.strictEqual(asleep.scripted.requests.length, 1)
      assert.isNotNull(asleep.state().turn)

      yield* TestClock.adjust("59 minutes")
      const tooEarly = yield* runLoop({ turns: [], journal: asleep.journal, tools: [wait] })
      assert.strictEqual(tooEarly.outcomes.at(-1)?.sleepUntil, 3_600_000)
      assert.isEmpty(tooEarly.scripted.requests)

      yield* TestClock.adjust("1 minute")
      const awake = yield* runLoop({ turns: [says("Good morning")], journal: asleep.journal, tools: [wait] })
      assert.deepStrictEqual(resultsIn(awake.scripted.requests[0]?.messages ?? []), [["w", "Waited 3600 seconds."]])
      assert.include(awake.journal.at(-1), { end: "answered" })
    }))

  it.effect("let the task sleep until the last result is due; the other results are journalled at once", () =>
    Effect.gen(function*() {
      const asleep = yield* runLoop({
        turns: [
          asks(
            call("long", "wait", { seconds: 600 }),
            call("now", "echo", { text: "now" }),
            call("short", "wait", { seconds: 60 })
          )
        ],
        tools: [wait, echo]
      })
      assert.deepStrictEqual(answered(asleep.journal), [["now", "echo now"]])
      assert.strictEqual(asleep.outcomes.at(-1)?.sleepUntil, 600_000)

      yield* TestClock.adjust("1 minute")
      const half = yield* runLoop({ turns: [], journal: asleep.journal, tools: [wait, echo] })
      assert.deepStrictEqual(answered(half.journal), [["now", "echo now"], ["short", "Waited 60 seconds."]])
      assert.strictEqual(half.outcomes.at(-1)?.sleepUntil, 600_000)

      yield* TestClock.adjust("9 minutes")
      const awake = yield* runLoop({ turns: [says("Done")], journal: half.journal, tools: [wait, echo] })
      assert.deepStrictEqual(resultsIn(awake.scripted.requests[0]?.messages ?? []), [
        ["long", "Waited 600 seconds."],
        ["now", "echo now"],
        ["short", "Waited 60 seconds."]
      ])
    }))

  it.effect("let the task sleep only after calls with external effects have ended", () =>
    Effect.gen(function*() {
      const fast = yield* Deferred.make<string>()
      const slow = yield* Deferred.make<string>()
      const loop = makeLoop({
        turns: [asks(call("w", "later"), call("fast", "fast"), call("slow", "slow"))],
        tools: [
          tool("later", "read", deferredFor(600)),
          tool("fast", "outside", Deferred.await(fast)),
          tool("slow", "outside", Deferred.await(slow))
        ]
      })
      const fiber = yield* Effect.fork(loop.run)
      // The answer that comes later is known by then.
      yield* Effect.repeatN(Effect.yieldNow(), 5_000)
      yield* Deferred.succeed(fast, "fast done")
      yield* settle(() => answered(loop.journal).length === 1)
      assert.isNull(loop.outcomes.at(-1)?.sleepUntil, "the actor still works: the task must stay due")
      yield* Deferred.succeed(slow, "slow done")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(loop.outcomes.map(({ sleepUntil }) => sleepUntil), [null, null, null, 600_000])
    }))
})

describe("ToolStep, questions to a human", () => {
  const question = (id: string, text: string, more: object = {}) => call(id, "ask_human", { question: text, ...more })

  it.effect("let the task wait with the question, after the results of the other calls", () =>
    Effect.gen(function*() {
      const { journal, outcomes, scripted, state } = yield* runLoop({
        turns: [
          asks(
            call("e", "echo", { text: "1" }),
            question("q", "Which one?", { choices: ["This", "That"] }),
            call("o", "send")
          )
        ],
        tools: [askHuman, echo, tool("send", "outside", Effect.succeed("sent"))]
      })
      assert.deepStrictEqual([...answered(journal)].sort(), [["e", "echo 1"], ["o", "sent"]])
      assert.deepStrictEqual(outcomes.at(-1)?.event, {
        _tag: "AskedHuman",
        question: "Which one?",
        toolCallId: "q"
      })
      assert.deepInclude(outcomes.at(-1)?.step, {
        asked: { id: id("q"), question: "Which one?", choices: ["This", "That"] }
      })
      assert.strictEqual(scripted.requests.length, 1)
      assert.deepStrictEqual(openCalls(state().turn ?? closed).map(({ id }) => id), [id("q")])
    }))
})

describe("ToolStep, subtasks", () => {
  const dispatch = (id: string) => call(id, "dispatch_subagent", { task_description: id })
  const ids = ["019a0000-0000-7000-8000-0000000000a1", "019a0000-0000-7000-8000-0000000000b2"].map((id) =>
    TaskId.make(id)
  )
  const one = (task: TaskId): EndedSubtask => ({
    task,
    tokens: 1,
    outcome: { _tag: "Completed", end: { by: "answer", detail: null }, text: "1", files: [] }
  })
  const turn = (ended: ReadonlyArray<TaskId>) => {
    let steps = 0
    return runLoop({
      turns: [asks(dispatch("a"), call("e", "echo", { text: "1" }), dispatch("b"))],
      tools: [dispatchSubagent, echo],
      dependencies: {
        mayContinue: () => ++steps < 10,
        subtasks: { newIds: () => Effect.succeed(ids), ended: () => Effect.succeed(ended.map(one)) }
      }
    })
  }

  it.effect("are awaited together, after the other calls, unless all have ended by then", () =>
    Effect.gen(function*() {
      for (const ended of [[], ids.slice(0, 1), ids.slice(1)]) {
        const { journal, outcomes, scripted } = yield* turn(ended)
        assert.deepStrictEqual(outcomes.at(-1)?.event, { _tag: "DispatchedSubagents", toolCallIds: ["a", "b"] })
        assert.deepStrictEqual(answered(journal), [["e", "echo 1"]])
        assert.strictEqual(scripted.requests.length, 1)
      }
      const { journal } = yield* turn(ids)
      assert.deepStrictEqual(answered(journal).map(([id]) => id), ["e", "a", "b"])
      assert.include(journal.at(-1), { end: "answered" })
    }))
})

const closed: Turn = { calls: [], results: new Map(), started: new Set(), deferred: new Map(), dispatched: new Map() }

/** A call whose answer comes after so many seconds. */
const deferredFor = (seconds: number): Effect.Effect<ToolOutcome> =>
  Effect.map(Clock.currentTimeMillis, (now) => ({
    _tag: "Deferred",
    until: now + seconds * 1_000,
    content: "late"
  }))
