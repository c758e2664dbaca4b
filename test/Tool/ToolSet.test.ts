import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { makeToolbox } from "../../src/Tool/Toolbox.ts"
import { callOf, contentOf } from "./calls.ts"
import { running, say } from "./toolbox.ts"

const silent = Logger.remove(Logger.defaultLogger)

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
    }).pipe(Effect.provide(silent)))
})
