import { assert, describe, it } from "@effect/vitest"
import { TaskId } from "@troupe/domain/Ids"
import type { Step } from "@troupe/domain/Step"
import { Effect } from "effect"
import type { ToolOutcome } from "../../src/Tool/AgentTool.ts"
import { askHuman, dispatchSubagent } from "../../src/Tool/ParkingTools.ts"
import { textTool } from "../support/FakeTool.ts"
import { asks, call, says } from "../support/ScriptedModel.ts"
import { answered, echo, id, type Loop, resultsIn, runLoop } from "./loop.ts"

describe("ToolStep, calls that need approval", () => {
  const approvalOf = (call: string): Step => ({ kind: "results", results: [], approved: [id(call)] })

  /** Asks for approval of its arguments, and says with which approvals it ran. */
  const guarded = (ran: Array<string>) =>
    textTool(
      "guarded",
      (text, { approval, callId }) =>
        Effect.sync((): ToolOutcome => {
          const digest = `digest of ${text}`
          ran.push(`${callId} ${approval === digest}`)
          return approval === digest
            ? { _tag: "Answered", content: `did ${callId}` }
            : { _tag: "Asked", content: `May ${callId}?`, choices: ["Send", "Don't send"], digest }
        })
    )

  it.effect("are asked one at a time, and each runs with the approval of its own question alone", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const tools = [guarded(ran), askHuman, echo]
      const turns = [
        asks(
          call("a", "guarded", { text: "1" }),
          call("q", "ask_human", { question: "Which?" }),
          call("b", "guarded", { text: "1" }),
          call("e", "echo", { text: "x" })
        )
      ]
      const first = yield* runLoop({ turns, tools })
      assert.strictEqual(questionOf(first), "May a?")
      assert.include(first.journal.at(-1), { kind: "results" })
      const second = yield* runLoop({ turns: [], tools, journal: [...first.journal, approvalOf("a")] })
      assert.deepStrictEqual(answered(second.journal), [["e", "echo x"], ["a", "did a"]])
      assert.strictEqual(questionOf(second), "Which?")
      const third = yield* runLoop({ turns: [], tools, journal: [...second.journal, answerTo(second)] })
      assert.strictEqual(questionOf(third), "May b?", "the same arguments, but another call")
      const end = yield* runLoop({ turns: [says("Done")], tools, journal: [...third.journal, approvalOf("b")] })
      assert.deepStrictEqual(resultsIn(end.scripted.requests[0]?.messages ?? []), [
        ["a", "did a"],
        ["q", "answer to Which?"],
        ["b", "did b"],
        ["e", "echo x"]
      ])
      assert.deepStrictEqual(ran.filter((one) => one.endsWith("true")), ["a true", "b true"])
    }))

  it.effect("run again after a crash with the approval, but are asked again after a retry", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const tools = [guarded(ran)]
      const asked = yield* runLoop({ turns: [asks(call("a", "guarded", { text: "1" }))], tools })
      const journal = [...asked.journal, approvalOf("a")]
      for (const _ of [1, 2]) {
        const crashed = yield* runLoop({ turns: [says("Done")], tools, journal })
        assert.deepStrictEqual(answered(crashed.journal), [["a", "did a"]])
      }
      const failed: ReadonlyArray<Step> = [{ kind: "failed", error: "x" }, { kind: "retried" }]
      const again = yield* runLoop({ turns: [], tools, journal: [...journal, ...failed] })
      assert.strictEqual(questionOf(again), "May a?")
    }))

  it.effect("are asked beside subtasks, which are awaited after the answer", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const task = TaskId.make("019a0000-0000-7000-8000-0000000000a1")
      const options = {
        tools: [guarded(ran), dispatchSubagent],
        dependencies: { subtasks: { newIds: () => Effect.succeed([task]), ended: () => Effect.succeed([]) } }
      }
      const turn = asks(call("a", "guarded", { text: "1" }), call("d", "dispatch_subagent", { task_description: "x" }))
      const asked = yield* runLoop({ turns: [turn], ...options })
      assert.strictEqual(questionOf(asked), "May a?")
      const waiting = yield* runLoop({ turns: [], ...options, journal: [...asked.journal, approvalOf("a")] })
      assert.deepStrictEqual(answered(waiting.journal), [["a", "did a"]])
      assert.deepStrictEqual(waiting.outcomes.at(-1)?.event, { _tag: "DispatchedSubagents", toolCallIds: ["d"] })
    }))
})

/** The question with which the loop ended. */
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
