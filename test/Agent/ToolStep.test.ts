import { assert, describe, it } from "@effect/vitest"
import type { Step } from "@troupe/domain/Step"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { asks, call, says } from "../support/ScriptedModel.ts"
import { answered, echo, id, kinds, makeLoop, resultsIn, runLoop, settle, tool } from "./loop.ts"

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
      const higher = yield* runLoop({
        turns: [asks(...echoes(7)), says("Done")],
        settings: { maxParallelToolCalls: 7 }
      })
      assert.notInclude(JSON.stringify(higher.journal), "skipped")
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
})

describe("ToolStep, calls with external effects", () => {
  it.effect("are journalled before they run; reads are not", () =>
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

  it.effect("have each result journalled at once, while other calls still run", () =>
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

  it.effect("are uncertain and not repeated after a crash; reads run again", () =>
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

  it.effect("keep the results that were journalled before a crash; only the others run", () =>
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
