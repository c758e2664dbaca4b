import * as Tool from "@effect/ai/Tool"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, type Duration, Effect, FastCheck as fc, Fiber, Logger, Schema } from "effect"
import { type AgentTool, ToolFailed, type ToolOutcome } from "../../src/Tool/AgentTool.ts"
import { makeToolbox } from "../../src/Tool/Toolbox.ts"
import { implement } from "../../src/Tool/ToolHandler.ts"
import { fakeTool } from "../support/FakeTool.ts"
import { callOf, contentOf, context } from "./calls.ts"

const parameters = {
  text: Schema.String.annotations({ description: "What to say" }),
  times: Schema.optionalWith(Schema.Int.pipe(Schema.between(1, 9)), { default: () => 1 }),
  tone: Schema.optional(Schema.Literal("kind", "stern"))
}

const say = implement(Tool.make("say", { description: "Say something", parameters }), {
  changes: "outside",
  effect: ({ times }) => (times > 1 ? "outside" : "idempotent"),
  timeout: "10 seconds",
  run: (args, { userId }) => Effect.succeed(`${userId}: ${args.text.repeat(args.times)}`)
})

const running = (
  name: string,
  run: Effect.Effect<ToolOutcome | string, ToolFailed>,
  timeout: Duration.DurationInput = "10 seconds"
): AgentTool => fakeTool(name, run, { effect: "outside", timeout })

describe("Toolbox.call", () => {
  const toolbox = makeToolbox([say])

  it.effect("decodes the arguments, fills in defaults and passes the context", () =>
    Effect.gen(function*() {
      const outcome = yield* toolbox.call(callOf("say", { text: "ho", times: 2 }), context)
      assert.deepStrictEqual(outcome, { _tag: "Answered", content: "alice: hoho" })
      assert.strictEqual(yield* contentOf(toolbox, "say", { text: "hi" }), "alice: hi")
    }))

  it.effect("treats null as a missing optional argument", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* contentOf(toolbox, "say", { text: "hi", times: null, tone: null }), "alice: hi")
      assert.match(yield* contentOf(toolbox, "say", { text: null }), /^Error: .*"text" must be a string, not null/)
    }))

  it.effect("answers an unknown tool with the names that may have been meant", () =>
    Effect.gen(function*() {
      const named = makeToolbox(
        ["read_file", "write_file", "memory_search"].map((name) => running(name, Effect.succeed("")))
      )
      const near = yield* contentOf(named, "ReadFile", {})
      assert.match(near, /^Error: there is no tool "ReadFile"\. Did you mean read_file/)
      assert.notInclude(near, "memory_search")
      assert.match(
        yield* contentOf(named, "fly", {}),
        /^Error: .*The tools are: read_file, write_file, memory_search\.$/
      )
      assert.isBelow((yield* contentOf(named, "x".repeat(1_000_000), {})).length, 1_000)
    }))

  it.effect("names each invalid argument and what it must be", () =>
    Effect.gen(function*() {
      const error = yield* contentOf(toolbox, "say", { times: 10, tone: "rude", loud: true })
      assert.match(error, /^Error: /)
      assert.include(error, "\"text\" must be a string and is missing")
      assert.include(error, "\"times\" must be a whole number of at least 1 and of at most 9, not 10")
      assert.include(error, "\"tone\" must be one of \"kind\", \"stern\", not \"rude\"")
      assert.include(error, "there is no parameter \"loud\"")
      assert.include(error, "The parameters are: text, times (optional), tone (optional).")
    }))

  it.effect("refuses arguments that are not a JSON object, and treats an empty text as one", () =>
    Effect.gen(function*() {
      for (const args of ["{", "[]", "\"text\"", "7", "nul", "{\"text\": \"a\"}}"]) {
        assert.match(yield* contentOf(toolbox, "say", args), /^Error: say: the arguments .*JSON/, args)
      }
      const empty = makeToolbox([running("ping", Effect.succeed("pong"))])
      for (const args of ["", " \n", "{}", "null"]) assert.strictEqual(yield* contentOf(empty, "ping", args), "pong")
    }))

  it.effect("survives arguments that are huge, deep, or hold NUL and prototype keys", () =>
    Effect.gen(function*() {
      for (const depth of [63, 64, 500_000]) {
        const deep = `{"text": ${"[".repeat(depth)}${"]".repeat(depth)}}`
        const wrong = depth < 64 ? /^Error: .*"text" must be a string/ : /^Error: .*nested deeper than the 64 levels/
        assert.match(yield* contentOf(toolbox, "say", deep), wrong)
      }
      assert.match(yield* contentOf(toolbox, "say", `"${"x".repeat(2_000_000)}"`), /^Error: .*at most/)
      assert.match(yield* contentOf(toolbox, "say", "{\"text\": \"a\", \"__proto__\": {}}"), /^Error: .*__proto__/)
      assert.strictEqual(yield* contentOf(toolbox, "say", "{\"text\": \"a\\u0000b\"}"), "alice: a\uFFFDb")
    }))

  it.effect.prop(
    "answers whatever a model may write",
    [fc.string(), fc.oneof(fc.string(), fc.json())],
    ([name, args]) =>
      Effect.gen(function*() {
        const outcome = yield* toolbox.call(callOf(name, args), context)
        assert.match(outcome.content, /^Error: /)
        const fitting = yield* toolbox.call(callOf("say", args), context)
        assert.strictEqual(fitting._tag, "Answered")
        assert.strictEqual(toolbox.effectOf(callOf("say", args)) === "read", fitting.content.startsWith("Error: "))
      })
  )

  it.effect("answers a tool's failure with its reason", () =>
    Effect.gen(function*() {
      const failing = running("mail", Effect.fail(new ToolFailed({ reason: "no server is set. Set SMTP_HOST." })))
      assert.strictEqual(
        yield* contentOf(makeToolbox([failing]), "mail", {}),
        "Error: no server is set. Set SMTP_HOST."
      )
    }))

  it.effect("interrupts and answers a call that takes too long", () =>
    Effect.gen(function*() {
      const interrupted = yield* Deferred.make<void>()
      const slow = running(
        "slow",
        Effect.never.pipe(Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))),
        "10 millis"
      )
      assert.match(
        yield* contentOf(makeToolbox([slow]), "slow", {}),
        /^Error: slow took longer than 10ms and was stopped\. It may have taken effect/
      )
      yield* Deferred.await(interrupted)
    }))

  it.effect("does not wait for a tool that can't be stopped", () =>
    Effect.gen(function*() {
      const release = yield* Deferred.make<void>()
      const stuck = running("stuck", Effect.uninterruptible(Effect.as(Deferred.await(release), "late")), "10 millis")
      assert.match(yield* contentOf(makeToolbox([stuck]), "stuck", {}), /^Error: stuck took longer/)
      yield* Deferred.succeed(release, undefined)
    }))

  it.effect("answers a defect without its internals, and logs it", () =>
    Effect.gen(function*() {
      const lines: Array<unknown> = []
      const log = Logger.replace(Logger.defaultLogger, Logger.make(({ cause }) => lines.push(cause)))
      const dying = makeToolbox([
        running("died", Effect.die(new Error("password=hunter2"))),
        running(
          "threw",
          Effect.suspend(() => {
            throw new Error("password=hunter2")
          })
        ),
        running("gave up", Effect.interrupt)
      ])
      for (const { name } of dying.tools) {
        const answer = yield* Effect.provide(contentOf(dying, name, {}), log)
        assert.match(answer, /^Error: .*fault inside the service/)
        assert.notInclude(answer, "hunter2")
      }
      assert.strictEqual(lines.length, 3)
    }))

  it.effect("passes an interruption on to the tool and ends as interrupted", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<void>()
      const interrupted = yield* Deferred.make<void>()
      const slow = running(
        "slow",
        Effect.zipRight(Deferred.succeed(started, undefined), Effect.never).pipe(
          Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
        )
      )
      const fiber = yield* Effect.fork(contentOf(makeToolbox([slow]), "slow", {}))
      yield* Deferred.await(started)
      const exit = yield* Fiber.interrupt(fiber)
      assert.isTrue(exit._tag === "Failure" && exit.cause._tag !== "Fail" && exit.cause._tag !== "Die")
      yield* Deferred.await(interrupted)
    }))

  it.effect("cuts what the model reads, now or later, and keeps the rest of an outcome and the questions to people", () =>
    Effect.gen(function*() {
      const long = "line\n".repeat(10_000)
      const outcomes: ReadonlyArray<ToolOutcome> = [
        { _tag: "Answered", content: long, attach: ["a.txt"] },
        { _tag: "Deferred", content: long, until: 5 }
      ]
      for (const outcome of outcomes) {
        const given = yield* makeToolbox([running("long", Effect.succeed(outcome))]).call(callOf("long", {}), context)
        assert.isBelow(given.content.length, 1_000)
        assert.deepStrictEqual({ ...given, content: "" }, { ...outcome, content: "" })
      }
      const asking = running("ask", Effect.succeed({ _tag: "Asked", content: long.slice(0, 15_000) }))
      assert.strictEqual(yield* contentOf(makeToolbox([asking]), "ask", {}), long.slice(0, 15_000))
      const failing = running("fails", Effect.fail(new ToolFailed({ reason: long })))
      assert.match(yield* contentOf(makeToolbox([failing]), "fails", {}), /^Error: line[^]*read_file/)
    }))

  it.effect("gives results that the database can store", () =>
    Effect.gen(function*() {
      const odd = running("odd", Effect.succeed("a\0b\uD800c\u{1F600}"))
      assert.strictEqual(yield* contentOf(makeToolbox([odd]), "odd", {}), "a\uFFFDb\uFFFDc\u{1F600}")
    }))
})

describe("Toolbox.effectOf", () => {
  const toolbox = makeToolbox([say])

  it("depends on the arguments where the tool says so", () => {
    assert.strictEqual(toolbox.effectOf(callOf("say", { text: "a" })), "idempotent")
    assert.strictEqual(toolbox.effectOf(callOf("say", { text: "a", times: 2 })), "outside")
  })

  it("is read for a call that would not run", () => {
    const calls = [callOf("shout", {}), callOf("say", "{"), callOf("say", { text: 1 })]
    for (const call of calls) assert.strictEqual(toolbox.effectOf(call), "read")
    const outside = makeToolbox([running("send", Effect.succeed(""))])
    assert.strictEqual(outside.effectOf(callOf("send", "")), "outside")
    assert.strictEqual(outside.effectOf(callOf("send", "[")), "read")
  })
})

describe("Toolbox.toolSet", () => {
  const toolbox = makeToolbox(["a", "b", "c"].map((name) => running(name, Effect.succeed(name))))
  const names = (set: ReturnType<typeof toolbox.toolSet>) => set.tools.map(({ name }) => name)

  it("selects by name, in the registry's order", () => {
    assert.deepStrictEqual(names(toolbox.toolSet()), ["a", "b", "c"])
    assert.deepStrictEqual(names(toolbox.toolSet(["c", "none", "a"])), ["a", "c"])
    assert.deepStrictEqual(names(toolbox.toolSet([])), [])
  })

  it("is the same object for the same tools, however they were selected", () => {
    const set = toolbox.toolSet(["a", "c"])
    assert.strictEqual(toolbox.toolSet(["c", "a", "a"]), set)
    assert.strictEqual(toolbox.toolSet(["a", "b", "c"]), toolbox.toolSet())
  })

  it("shows a model nothing but name, description and parameters", () => {
    const [tool] = makeToolbox([say]).toolSet().tools
    assert.deepStrictEqual(tool, { name: "say", description: "Say something", parameters: say.parameters })
  })

  it.effect("uses the first of two tools with the same name", () =>
    Effect.gen(function*() {
      const twice = makeToolbox([running("a", Effect.succeed("first")), running("a", Effect.succeed("second"))])
      assert.strictEqual(twice.tools.length, 1)
      assert.strictEqual(yield* contentOf(twice, "a", ""), "first")
    }))
})
