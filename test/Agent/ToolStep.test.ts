import { assert, describe, it } from "@effect/vitest"
import { openCalls, type Turn } from "@troupe/domain/Run"
import type { Step } from "@troupe/domain/Step"
import { Clock, Deferred, Effect, Exit, Fiber, TestClock } from "effect"
import { askHuman } from "../../src/Tool/AskHuman.ts"
import type { ToolOutcome } from "../../src/Tool/Tool.ts"
import { wait } from "../../src/Tool/Wait.ts"
import { asks, call, says } from "../support/ScriptedModel.ts"
import { echo, id, kinds, type Loop, makeLoop, resultsIn, runLoop, tool } from "./loop.ts"

const echoes = (count: number) =>
  Array.from({ length: count }, (_, index) => call(`c${index + 1}`, "echo", { text: `${index + 1}` }))

const skipped = "Error: skipped because of too many simultaneous requests: at most 5 tool calls run in one turn. "
  + "Call it again in a later turn if it is still needed."

const uncertain = (name: string) =>
  `Error: uncertain. The service stopped while ${name} was running, so it may or may not have taken effect. `
  + "It was not run again. Check the outcome before you decide whether to repeat it."

describe("ToolStep", () => {
  it.effect("answers the calls beyond MAX_PARALLEL_TOOL_CALLS as skipped, in the order of the calls", () =>
    Effect.gen(function*() {
      const { scripted } = yield* runLoop({ turns: [asks(...echoes(7)), says("Done")] })
      assert.deepStrictEqual(resultsIn(scripted.requests[1]?.messages ?? []), [
        ["c1", "echo 1"],
        ["c2", "echo 2"],
        ["c3", "echo 3"],
        ["c4", "echo 4"],
        ["c5", "echo 5"],
        ["c6", skipped],
        ["c7", skipped]
      ])
    }))

  it.effect("skips none at the limit, and none of a limit that is set higher", () =>
    Effect.gen(function*() {
      for (const limit of [1, 5, 8]) {
        const { journal } = yield* runLoop({
          turns: [asks(...echoes(limit)), says("Done")],
          settings: { maxParallelToolCalls: limit }
        })
        assert.notInclude(JSON.stringify(journal), "skipped")
      }
    }))

  it.effect("runs the calls of a turn at the same time and keeps their order, whichever ends first", () =>
    Effect.gen(function*() {
      const first = yield* Deferred.make<string>()
      const second = yield* Deferred.make<string>()
      const { scripted } = yield* runLoop({
        turns: [asks(call("1", "first"), call("2", "second"), call("3", "echo", { text: "3" })), says("Done")],
        tools: [
          echo,
          tool("first", "read", Effect.zipLeft(Deferred.await(second), Deferred.succeed(first, "after the second"))),
          tool("second", "read", Effect.zipRight(Deferred.succeed(second, "before the first"), Deferred.await(first)))
        ]
      })
      assert.deepStrictEqual(resultsIn(scripted.requests[1]?.messages ?? []), [
        ["1", "before the first"],
        ["2", "after the second"],
        ["3", "echo 3"]
      ])
    }))

  it.effect("answers an unknown tool and bad arguments as errors to the model, which goes on", () =>
    Effect.gen(function*() {
      const { journal, scripted } = yield* runLoop({
        turns: [
          asks(
            call("1", "ecco", { text: "?" }),
            call("2", "echo", "not JSON"),
            call("3", "echo", { text: 5 }),
            call("4", "echo", { text: "fine" })
          ),
          says("Done")
        ]
      })
      const results = resultsIn(scripted.requests[1]?.messages ?? [])
      assert.deepStrictEqual(results.map(([, content]) => content.slice(0, 6)), [
        "Error:",
        "Error:",
        "Error:",
        "echo f"
      ])
      assert.match(results[0]?.[1] ?? "", /no tool "ecco".*Did you mean echo\?/)
      assert.match(results[1]?.[1] ?? "", /not valid JSON/)
      assert.match(results[2]?.[1] ?? "", /"text" must be .*not 5/)
      assert.include(journal.at(-1), { end: "answered" })
    }))

  it.effect("answers a tool that dies as an error to the model, which goes on", () =>
    Effect.gen(function*() {
      const { scripted } = yield* runLoop({
        turns: [asks(call("1", "broken"), call("2", "echo", { text: "2" })), says("Done")],
        tools: [echo, tool("broken", "read", Effect.die(new Error("secret detail")))]
      })
      const results = resultsIn(scripted.requests[1]?.messages ?? [])
      assert.match(results[0]?.[1] ?? "", /^Error: broken failed/)
      assert.notInclude(results[0]?.[1], "secret detail")
      assert.strictEqual(results[1]?.[1], "echo 2")
    }))
})

describe("ToolStep, calls that reach outside", () => {
  it.effect("journals that they begin before they run, and never so for reads", () =>
    Effect.gen(function*() {
      const seen: Array<Step | undefined> = []
      const look = Effect.sync(() => {
        seen.push(loop.journal.at(-1))
        return "sent"
      })
      const loop = makeLoop({
        turns: [
          asks(call("r", "echo", { text: "" }), call("o1", "send"), call("i", "put"), call("o2", "send")),
          says("Done")
        ],
        tools: [echo, tool("send", "outside", look), tool("put", "idempotent", Effect.succeed("put"))]
      })
      yield* loop.run
      assert.deepStrictEqual(seen, [
        { kind: "started", calls: [id("o1"), id("o2")] },
        { kind: "started", calls: [id("o1"), id("o2")] }
      ])
      assert.strictEqual(kinds(loop.journal).filter((kind) => kind === "started").length, 1)
    }))

  it.effect("journals each result as soon as it is there, while other calls still run", () =>
    Effect.gen(function*() {
      const slow = yield* Deferred.make<string>()
      const loop = makeLoop({
        turns: [asks(call("slow", "slow"), call("fast", "fast")), says("Done")],
        tools: [tool("slow", "outside", Deferred.await(slow)), tool("fast", "outside", Effect.succeed("fast done"))]
      })
      const fiber = yield* Effect.fork(loop.run)
      yield* settle(() => loop.journal.length === 3)
      assert.deepStrictEqual(kinds(loop.journal), ["model", "started", "results"])
      assert.deepStrictEqual(answered(loop.journal), [["fast", "fast done"]])
      yield* Deferred.succeed(slow, "slow done")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(answered(loop.journal), [["fast", "fast done"], ["slow", "slow done"]])
      assert.deepStrictEqual(resultsIn(loop.scripted.requests[1]?.messages ?? []), [
        ["slow", "slow done"],
        ["fast", "fast done"]
      ])
    }))

  it.effect("answers a call that a crash cut off as uncertain and does not run it again, but reads run again", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const counted = (name: string, effect: "read" | "idempotent" | "outside", body: Effect.Effect<string>) =>
        tool(name, effect, Effect.zipRight(Effect.sync(() => void ran.push(name)), body))
      const calls = asks(call("o", "send"), call("r", "look"), call("i", "put"))
      const crashed = makeLoop({
        turns: [calls],
        tools: [
          counted("send", "outside", Effect.never),
          counted("look", "read", Effect.never),
          counted("put", "idempotent", Effect.never)
        ]
      })
      const fiber = yield* Effect.fork(crashed.run)
      yield* settle(() => ran.length === 3)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(fiber)))
      assert.deepStrictEqual(kinds(crashed.journal), ["model", "started"])

      const restored = yield* runLoop({
        turns: [says("Done")],
        journal: crashed.journal,
        tools: [
          counted("send", "outside", Effect.succeed("sent twice")),
          counted("look", "read", Effect.succeed("seen")),
          counted("put", "idempotent", Effect.succeed("put again"))
        ]
      })
      assert.deepStrictEqual(ran.sort(), ["look", "look", "put", "put", "send"])
      assert.deepStrictEqual(resultsIn(restored.scripted.requests[0]?.messages ?? []), [
        ["o", uncertain("send")],
        ["r", "seen"],
        ["i", "put again"]
      ])
    }))

  it.effect("keeps the results that were journalled before a crash and runs only what has none", () =>
    Effect.gen(function*() {
      const done = yield* Deferred.make<string>()
      const crashed = makeLoop({
        turns: [asks(call("done", "send"), call("open", "hang"), call("read", "echo", { text: "again" }))],
        tools: [echo, tool("send", "outside", Deferred.await(done)), tool("hang", "outside", Effect.never)]
      })
      const fiber = yield* Effect.fork(crashed.run)
      yield* Deferred.succeed(done, "sent once")
      yield* settle(() => answered(crashed.journal).some(([call]) => call === "done"))
      yield* Fiber.interrupt(fiber)

      const restored = yield* runLoop({
        turns: [says("Done")],
        journal: crashed.journal,
        tools: [
          echo,
          tool("send", "outside", Effect.die("ran twice")),
          tool("hang", "outside", Effect.die("ran twice"))
        ]
      })
      assert.deepStrictEqual(resultsIn(restored.scripted.requests[0]?.messages ?? []), [
        ["done", "sent once"],
        ["open", uncertain("hang")],
        ["read", "echo again"]
      ])
    }))
})

describe("ToolStep, calls that are answered later", () => {
  it.effect("puts the task to sleep until the time of the answer and shows the model nothing before it", () =>
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

  it.effect("waits a few seconds in place", () =>
    Effect.gen(function*() {
      const loop = makeLoop({ turns: [asks(call("w", "wait", { seconds: 5 })), says("Done")], tools: [wait] })
      const fiber = yield* Effect.fork(loop.run)
      // The tool may not have gone to sleep yet when the clock is first moved on.
      yield* settle(() => fiber.unsafePoll() !== null, TestClock.adjust("1 second"))
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(loop.outcomes.map(({ sleepUntil }) => sleepUntil), [null, null, null])
    }))

  it.effect("journals the other results of the turn at once and sleeps until the last answer is due", () =>
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

  it.effect("stays awake while a call that reaches outside still runs, and sleeps in one step afterwards", () =>
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

  it.effect("lets the task wait with the question, after what the other calls of the turn came to", () =>
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
        question: "Which one?\n- This\n- That",
        toolCallId: "q"
      })
      assert.strictEqual(scripted.requests.length, 1)
      assert.deepStrictEqual(openCalls(state().turn ?? closed).map(({ id }) => id), [id("q")])
    }))

  it.effect("puts one question at a time, and runs no call again for it", () =>
    Effect.gen(function*() {
      let sent = 0
      const tools = [
        askHuman,
        tool(
          "send",
          "outside",
          Effect.sync(() => {
            sent += 1
            return "sent"
          })
        )
      ]
      const turns = [asks(question("q1", "First?"), call("o", "send"), question("q2", "Second?"))]
      const first = yield* runLoop({ turns, tools })
      const second = yield* runLoop({ turns: [], tools, journal: [...first.journal, answerTo(first)] })
      const end = yield* runLoop({ turns: [says("Done")], tools, journal: [...second.journal, answerTo(second)] })
      assert.sameMembers([questionOf(first), questionOf(second)], ["First?", "Second?"])
      assert.deepStrictEqual(resultsIn(end.scripted.requests[0]?.messages ?? []), [
        ["q1", "answer to First?"],
        ["o", "sent"],
        ["q2", "answer to Second?"]
      ])
      assert.strictEqual(sent, 1)
    }))

  it.effect("goes on at once after a message that waits for no answer", () =>
    Effect.gen(function*() {
      const { journal } = yield* runLoop({
        turns: [asks(question("q", "Hello", { wait_for_answer: false })), says("Done")],
        tools: [askHuman]
      })
      assert.deepStrictEqual(journal.map(({ kind }) => kind), ["model", "results", "model"])
    }))
})

const closed: Turn = { calls: [], results: new Map(), started: new Set(), deferred: new Map() }

const questionOf = ({ outcomes }: Loop): string => {
  const event = outcomes.at(-1)?.event
  return event?._tag === "AskedHuman" ? event.question : ""
}

/** What the actor journals for an answer. */
const answerTo = (loop: Loop): Step => {
  const event = loop.outcomes.at(-1)?.event
  const asked = event?._tag === "AskedHuman" ? event.toolCallId : ""
  const content = `answer to ${questionOf(loop)}`
  return {
    kind: "results",
    results: [{ message: { role: "tool", tool_call_id: id(asked), name: "ask_human", content }, millis: 0 }]
  }
}

const answered = (steps: ReadonlyArray<Step>): ReadonlyArray<readonly [string, string]> =>
  steps.flatMap((step) => step.kind === "results" ? resultsIn(step.results.map(({ message }) => message)) : [])

/** A call whose answer comes after so many seconds. */
const deferredFor = (seconds: number): Effect.Effect<ToolOutcome> =>
  Effect.map(Clock.currentTimeMillis, (now) => ({
    _tag: "Deferred",
    until: now + seconds * 1_000,
    content: "late"
  }))

/** Lets the other fibers run until it is so, whatever they wait for, and does `each` in between. */
const settle = (condition: () => boolean, each: Effect.Effect<void> = Effect.void): Effect.Effect<void> =>
  Effect.iterate(0, {
    while: (rounds) => rounds < 10_000 && !condition(),
    body: (rounds) => Effect.as(Effect.zipRight(each, aTurnOfTheEventLoop), rounds + 1)
  }).pipe(Effect.zipRight(Effect.sync(() => assert.isTrue(condition()))))

const aTurnOfTheEventLoop = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
