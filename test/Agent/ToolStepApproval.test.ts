import { assert, describe, it } from "@effect/vitest"
import { Rule } from "@troupe/domain/Policy"
import { unseen } from "@troupe/domain/SeenContext"
import type { Step } from "@troupe/domain/Step"
import { Effect, Layer, Schema } from "effect"
import { Policies } from "../../src/Policy/Policies.ts"
import type { AgentTool } from "../../src/Tool/AgentTool.ts"
import { askHuman } from "../../src/Tool/ParkingTools.ts"
import { textTool } from "../support/FakeTool.ts"
import { asks, call, says } from "../support/ScriptedModel.ts"
import { answered, echo, id, type Loop, resultsIn, runLoop } from "./loop.ts"

const outside = { ...unseen, outside: { since: 0, because: "a webhook" } }

/** A tool of a server that notes its calls. */
const guarded = (ran: Array<string>, more: Partial<AgentTool> = {}): AgentTool => ({
  ...textTool("srv__guarded", (text, { callId }) =>
    Effect.sync(() => {
      ran.push(`${callId} ${text}`)
      return `did ${callId}`
    })),
  changes: "outside",
  effect: () => "outside",
  server: { name: "srv", binding: "b", isOpenWorld: true },
  ...more
})

const rules = (...given: ReadonlyArray<unknown>) =>
  Policies.layerOf({ rules: given.map((one) => Schema.decodeUnknownSync(Rule)(one)) })

/** What the actor journals for decisions. */
const approvalOf = (calls: ReadonlyArray<string>, edits: ReadonlyArray<readonly [string, object]> = []): Step => ({
  kind: "results",
  results: [],
  approved: calls.map((call) => id(call)),
  edits: edits.map(([call, args]) => ({ id: id(call), arguments: JSON.stringify(args) }))
})

const asking = ({ journal }: Loop) => {
  const last = journal.at(-1)
  return last?.kind === "results" ? last.asking?.map((one) => one.id) ?? [] : []
}

const decidedIn = (journal: ReadonlyArray<Step>) =>
  journal.flatMap((step) =>
    step.kind === "results" ? step.decided?.calls.map((one) => [one.id, one.effect, one.cause] as const) ?? [] : []
  )

describe("ToolStep, calls that need approval", () => {
  const turn = asks(
    call("a", "srv__guarded", { text: "1" }),
    call("b", "srv__guarded", { text: "2" }),
    call("e", "echo", { text: "x" })
  )

  it.effect("are one question with a row each, beside those that run at once", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const loop = yield* runLoop({ turns: [turn], tools: [guarded(ran), echo], seen: outside })
      assert.deepStrictEqual(asking(loop), ["a", "b"])
      assert.deepStrictEqual(answered(loop.journal), [["e", "echo x"]])
      assert.deepStrictEqual(ran, [])
      assert.deepInclude(loop.outcomes.at(-1)?.event, { _tag: "AskedHuman", toolCallId: "[\"a\",\"b\"]" })
      assert.deepStrictEqual(decidedIn(loop.journal), [
        ["a", "ask", "preset"],
        ["b", "ask", "preset"],
        ["e", "allow", "preset"]
      ])
    }))

  it.effect("run in the order of the turn once all are decided, each journalled before and after, and once", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const tools = [guarded(ran), echo]
      const asked = yield* runLoop({ turns: [turn], tools, seen: outside })
      const done = yield* runLoop({
        turns: [says("Done")],
        tools,
        seen: outside,
        journal: [...asked.journal, approvalOf(["b", "a"])]
      })
      assert.deepStrictEqual(ran, ["a 1", "b 2"])
      assert.deepStrictEqual(
        done.outcomes.map(({ step }) => step.kind === "started" ? `started ${step.calls.join()}` : step.kind),
        ["started a", "results", "started b", "results", "model"]
      )
      // Killed between any two of these steps, nothing runs twice: what had begun is reported as uncertain.
      for (let kept = 0; kept < 4; kept++) {
        const before = ran.length
        const journal = [
          ...asked.journal,
          approvalOf(["a", "b"]),
          ...done.outcomes.slice(0, kept).map(({ step }) => step)
        ]
        const again = yield* runLoop({ turns: [says("Done")], tools, seen: outside, journal })
        assert.lengthOf(ran.slice(before), [2, 1, 1, 0][kept] ?? 0, `killed after ${kept} steps`)
        assert.strictEqual(again.outcomes.at(-1)?.event?._tag, "Completed")
      }
    }))

  it.effect("run as a person has edited them, and the model is given the result", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const tools = [guarded(ran)]
      const asked = yield* runLoop({
        turns: [asks(call("a", "srv__guarded", { text: "1" }))],
        tools,
        seen: outside
      })
      const journal = [...asked.journal, approvalOf(["a"], [["a", { text: "other" }]])]
      const done = yield* runLoop({ turns: [says("Done")], tools, seen: outside, journal })
      assert.deepStrictEqual(ran, ["a other"])
      assert.deepStrictEqual(resultsIn(done.scripted.requests[0]?.messages ?? []), [["a", "did a"]])
    }))

  it.effect("are asked anew if an edit makes them such about which only others may decide", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const tools = [guarded(ran)]
      const policies = rules({
        effect: "ask",
        tool: "srv__*",
        when: { args: { "/text": { is: "much" } } },
        who: ["admin"]
      })
      const editedTo = (journal: ReadonlyArray<Step>, text: string) =>
        runLoop({
          turns: [says("Done")],
          tools,
          seen: outside,
          policies,
          journal: [...journal, approvalOf(["a"], [["a", { text }]])]
        })
      const turns = [asks(call("a", "srv__guarded", { text: "little" }))]
      const { journal } = yield* runLoop({ turns, tools, seen: outside, policies })
      const again = yield* editedTo(journal, "much")
      assert.deepStrictEqual([asking(again), ran], [["a"], []])
      const last = again.journal.at(-1)
      assert.deepInclude(last?.kind === "results" ? last.asking?.[0] : undefined, {
        arguments: JSON.stringify({ text: "much" }),
        who: ["admin"]
      })
      yield* editedTo(again.journal, "much")
      yield* editedTo(journal, "less")
      assert.deepStrictEqual(ran, ["a much", "a less"])
    }))

  it.effect("are asked anew if the tool, its server or what the call would do has changed", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const turns = [asks(call("a", "srv__guarded", { text: "1" }))]
      const asked = yield* runLoop({ turns, tools: [guarded(ran)], seen: outside })
      const journal = [...asked.journal, approvalOf(["a"])]
      const moved = guarded(ran, { server: { name: "srv", binding: "another place", isOpenWorld: true } })
      const again = yield* runLoop({ turns: [], tools: [moved], seen: outside, journal })
      assert.deepStrictEqual(asking(again), ["a"])
      assert.deepStrictEqual(ran, [])
      const approved = yield* runLoop({
        turns: [says("Done")],
        tools: [moved],
        seen: outside,
        journal: [...again.journal, approvalOf(["a"])]
      })
      assert.deepStrictEqual(ran, ["a 1"])
      assert.strictEqual(approved.outcomes.at(-1)?.event?._tag, "Completed")
    }))

  it.effect("are not made if a rule denies them that was added after the approval", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const tools = [guarded(ran)]
      const asked = yield* runLoop({ turns: [asks(call("a", "srv__guarded", { text: "1" }))], tools, seen: outside })
      const denied = yield* runLoop({
        turns: [says("Done")],
        tools,
        seen: outside,
        journal: [...asked.journal, approvalOf(["a"])],
        policies: rules({ effect: "deny", tool: "srv__*", because: "Frozen." })
      })
      assert.deepStrictEqual(ran, [])
      assert.match(answered(denied.journal)[0]?.[1] ?? "", /^Error: srv__guarded was not called: rule 1 .*: Frozen\./)
    }))

  it.effect("come before the agent's own question, which follows after the decision", () =>
    Effect.gen(function*() {
      const tools = [guarded([]), askHuman]
      const turns = [asks(call("q", "ask_human", { question: "Which?" }), call("a", "srv__guarded", { text: "1" }))]
      const asked = yield* runLoop({ turns, tools, seen: outside })
      assert.deepStrictEqual(asking(asked), ["a"])
      const next = yield* runLoop({ turns: [], tools, seen: outside, journal: [...asked.journal, approvalOf(["a"])] })
      assert.deepInclude(next.outcomes.at(-1)?.event, { _tag: "AskedHuman", question: "Which?", toolCallId: "q" })
    }))

  it.effect("are asked again after a retry", () =>
    Effect.gen(function*() {
      const tools = [guarded([])]
      const asked = yield* runLoop({ turns: [asks(call("a", "srv__guarded", { text: "1" }))], tools, seen: outside })
      const failed: ReadonlyArray<Step> = [approvalOf(["a"]), { kind: "failed", error: "x" }, { kind: "retried" }]
      const again = yield* runLoop({ turns: [], tools, seen: outside, journal: [...asked.journal, ...failed] })
      assert.deepStrictEqual(asking(again), ["a"])
    }))

  it.effect("of a subagent are errors that tell it to report what it would have done", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const loop = yield* runLoop({
        turns: [asks(call("a", "srv__guarded", { text: "1" })), says("Done")],
        tools: [guarded(ran)],
        seen: outside,
        task: { type: "subtask" }
      })
      assert.deepStrictEqual(ran, [])
      assert.match(answered(loop.journal)[0]?.[1] ?? "", /^Error: .*a subagent can't ask.*what you would have done/)
    }))
})

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
