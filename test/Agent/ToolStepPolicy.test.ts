import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Policies } from "../../src/Policy/Policies.ts"
import type { AgentTool } from "../../src/Tool/AgentTool.ts"
import { asks, call, says } from "../support/ScriptedModel.ts"
import { asking, decidedIn, guarded, outside, rules } from "./guardedStep.ts"
import { answered, runLoop } from "./loop.ts"

describe("ToolStep, the policy", () => {
  it.effect("lets calls run in a trusted context, and asks from the first result of a server on", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const tools = [guarded(ran, { shows: { outside: "the result of srv__guarded" } })]
      const loop = yield* runLoop({
        turns: [asks(call("a", "srv__guarded", { text: "1" })), asks(call("b", "srv__guarded", { text: "2" }))],
        tools
      })
      assert.deepStrictEqual(ran, ["a 1"])
      assert.deepStrictEqual(asking(loop), ["b"])
      const last = loop.journal.at(-1)
      assert.deepInclude(last?.kind === "results" ? last.asking?.[0] : undefined, {
        outsideSince: 3,
        privateSince: 3,
        class: "outside"
      })
    }))

  it.effect("asks for a destructive call in any context", () =>
    Effect.gen(function*() {
      const loop = yield* runLoop({
        turns: [asks(call("a", "srv__guarded", { text: "1" }))],
        tools: [guarded([], { class: "destructive" })]
      })
      assert.deepStrictEqual(asking(loop), ["a"])
    }))

  it.effect("gives an admin's class to a tool of a server", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const loop = yield* runLoop({
        turns: [asks(call("a", "srv__guarded", { text: "1" })), says("Done")],
        tools: [guarded(ran)],
        seen: outside,
        policies: Policies.layerOf({ classes: { "srv__*": "read" } })
      })
      assert.deepStrictEqual(ran, ["a 1"])
      assert.strictEqual(loop.outcomes.at(-1)?.event?._tag, "Completed")
    }))

  it.effect("denies by a rule with an error that names it, also a tool that only reads", () =>
    Effect.gen(function*() {
      const loop = yield* runLoop({
        turns: [asks(call("e", "echo", { text: "x" })), says("Done")],
        policies: rules({ effect: "allow", tool: "*" }, { effect: "deny", tool: "echo", because: "No echoes." })
      })
      assert.match(answered(loop.journal)[0]?.[1] ?? "", /^Error: echo was not called: rule 2 .*: No echoes\./)
      assert.deepStrictEqual(decidedIn(loop.journal), [["e", "deny", "rule"]])
    }))

  it.effect("propose a grant after five equal approvals, and a rule where they are destructive", () =>
    Effect.gen(function*() {
      const policies = Layer.effect(
        Policies,
        Effect.map(Policies, (one) =>
          Policies.of({
            ...one,
            approvalsFor: () =>
              Effect.succeed(
                ["1", "1", "1", "2", "1", "1"].map((text) => ({ arguments: { text }, isApproved: text === "1" }))
              )
          }))
      ).pipe(Layer.provide(Policies.layerOf()))
      const questionAbout = (text: string, more: Partial<AgentTool> = {}) =>
        Effect.map(
          runLoop({
            turns: [asks(call("a", "srv__guarded", { text }))],
            tools: [guarded([], more)],
            seen: outside,
            policies
          }),
          ({ outcomes }) => {
            const event = outcomes.at(-1)?.event
            return event?._tag === "AskedHuman" ? event.question : ""
          }
        )
      const alike =
        "5 of the last 6 calls of srv__guarded that a person decided about were like this one, with the same text"
      const granted = yield* questionAbout("1")
      assert.include(granted, alike)
      assert.include(granted, "a grant for calls with the same text would have covered these 5.")
      const destructive = yield* questionAbout("1", { class: "destructive" })
      assert.include(destructive, alike)
      assert.include(destructive, "An owner or admin can write a rule")
      assert.notInclude(yield* questionAbout("2"), "of the last", "one of these was denied")
    }))

  it.effect("does not ask where a grant covers the call", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const used: Array<string> = []
      const policies = Layer.succeed(Policies, {
        current: () => ({ revision: 1, preset: "balanced", rules: [], classes: {} }),
        isPresetLocked: true,
        save: () => Effect.die("unused"),
        approvalsFor: () => Effect.succeed([]),
        grantUsed: (grant) => Effect.sync(() => void used.push(grant)),
        grantsFor: (by) =>
          Effect.succeed([{
            id: "g",
            tool: "srv__guarded",
            binding: "b",
            covers: { scope: "task", task: by.task },
            values: { "/text": "1" },
            by: "alice",
            isByAdmin: false
          }])
      })
      const loop = yield* runLoop({
        turns: [asks(call("a", "srv__guarded", { text: "1" }), call("b", "srv__guarded", { text: "2" }))],
        tools: [guarded(ran)],
        seen: outside,
        policies
      })
      assert.deepStrictEqual(ran, ["a 1"])
      assert.deepStrictEqual(used, ["g"])
      assert.deepStrictEqual(asking(loop), ["b"])
    }))
})
