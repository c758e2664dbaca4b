import { assert, describe, it } from "@effect/vitest"
import { systemUser } from "@troupe/domain/Ids"
import { unseen } from "@troupe/domain/SeenContext"
import { signInCallOf } from "@troupe/domain/SignInWait"
import type { Step } from "@troupe/domain/Step"
import { Effect } from "effect"
import type { AgentTool, ToolEffect } from "../../src/Tool/AgentTool.ts"
import { asks, call, says } from "../support/ScriptedModel.ts"
import { answered, id, resultsIn, runLoop, task, tool } from "./loop.ts"

/** A tool of a server that takes nothing, because somebody has to sign in first; whether that is known before. */
const unsent = (effect: ToolEffect, { isKnown = false, isPerUser = false } = {}): AgentTool => ({
  ...tool("srv__count", effect, Effect.succeed({ _tag: "Unauthorized", content: "it needs a sign-in" })),
  server: {
    name: "srv",
    binding: "one",
    isOpenWorld: false,
    signIn: {
      isDone: () => !isKnown,
      isMissing: () => Effect.succeed(isKnown),
      isPerUser: () => isPerUser
    }
  }
})

describe("ToolStep, calls that need a sign-in", () => {
  for (const effect of ["read", "outside"] as const) {
    it.effect(`let a subtask look again later, which can't ask, and say so once: ${effect}`, () =>
      Effect.gen(function*() {
        const given = {
          turns: [asks(call("one", "srv__count"))],
          tools: [unsent(effect)],
          task: { type: "subtask" }
        } as const
        const { journal, outcomes } = yield* runLoop(given)
        const last = outcomes.at(-1)
        const noticesIn = ({ step }: { readonly step: Step }) => step.kind === "results" ? step.notices ?? [] : []
        const [notice, ...more] = outcomes.flatMap(noticesIn)
        assert.match(notice ?? "", /^The tool server srv needs a sign-in\. An owner or admin/)
        assert.deepStrictEqual(more, [])
        const again = yield* runLoop({ ...given, turns: [], journal })
        assert.deepInclude(again.outcomes.at(-1)?.step, { paused: signInCallOf({ server: "srv", user: null }) })
        assert.deepStrictEqual(again.outcomes.flatMap(noticesIn), [])
        assert.isNull(last?.event)
        assert.strictEqual(last?.sleepUntil, 60_000)
        assert.deepInclude(last.step, { kind: "results", paused: signInCallOf({ server: "srv", user: null }) })
      }))
  }

  it.effect("let the task of a person wait, and fail where each person signs in and the task works for nobody", () =>
    Effect.gen(function*() {
      const tools = [unsent("outside", { isKnown: true, isPerUser: true })]
      const asked = yield* runLoop({ turns: [asks(call("one", "srv__count"))], tools })
      assert.deepInclude(asked.outcomes.at(-1)?.event, {
        _tag: "AskedHuman",
        toolCallId: signInCallOf({ server: "srv", user: task.creator })
      })
      const { journal, scripted } = yield* runLoop({
        turns: [asks(call("one", "srv__count")), says("It could not be done.")],
        tools,
        task: { creator: systemUser }
      })
      assert.include(journal.at(-1), { end: "answered" })
      const [[, said] = []] = resultsIn(scripted.requests[1]?.messages ?? [])
      assert.include(said, "Error: each person signs in at the tool server srv, and this task works for nobody.")
      assert.lengthOf(answered(journal), 1)
    }))

  it.effect("are asked about once, also if several were approved", () =>
    Effect.gen(function*() {
      const turns = [asks(call("a", "srv__count"), call("b", "srv__count"))]
      const seen = { ...unseen, outside: { since: 0, because: "a webhook" } }
      const tools = [unsent("outside")]
      const { journal } = yield* runLoop({ turns, tools, seen })
      const approved: Step = { kind: "results", results: [], approved: [id("a"), id("b")] }
      const { outcomes } = yield* runLoop({ turns: [], tools, seen, journal: [...journal, approved] })
      const results = outcomes.flatMap(({ step }) => step.kind === "results" ? [step] : [])
      assert.deepStrictEqual(
        results.map(({ unsent }) => unsent),
        [["a"], ["b"]].map((calls) => calls.map((one) => id(one)))
      )
      assert.deepStrictEqual(results.map(({ asked }) => asked?.signIn), [undefined, "srv"])
    }))
})
