import { assert, describe, it } from "@effect/vitest"
import type { Step } from "@troupe/domain/Step"
import { Effect } from "effect"
import { askHuman } from "../../src/Tool/ParkingTools.ts"
import { asks, call, says } from "../support/ScriptedModel.ts"
import { asking, decidedIn, guarded, outside, rules } from "./guardedStep.ts"
import { answered, echo, id, resultsIn, runLoop } from "./loop.ts"

/** What the actor journals for decisions. */
const approvalOf = (calls: ReadonlyArray<string>, edits: ReadonlyArray<readonly [string, object]> = []): Step => ({
  kind: "results",
  results: [],
  approved: calls.map((call) => id(call)),
  edits: edits.map(([call, args]) => ({ id: id(call), arguments: JSON.stringify(args) }))
})

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
