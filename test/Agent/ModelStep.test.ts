import { assert, describe, it } from "@effect/vitest"
import { emptyRun, type Limits, parentLimits, subagentLimits } from "@troupe/domain/Run"
import { Effect, TestClock } from "effect"
import { promptTime } from "../../src/Agent/PromptContext.ts"
import { systemPrompt } from "../../src/Agent/SystemPrompt.ts"
import { contextAt } from "../support/PromptContexts.ts"
import { asks, call, costing, says, type Turn } from "../support/ScriptedModel.ts"
import { runLoop, settings, task } from "./loop.ts"

const ask = (turn: number): Turn => asks(call(`call${turn}`, "echo", { text: "" }))

/** The same turn, at the price of this many tokens out. */
const writing = (tokens: number, turn: Turn): Turn => (request) =>
  Effect.map(turn(request), (answer) => ({ ...answer, inputTokens: 0, outputTokens: tokens }))

/** Which calls were made with the warning. */
const warnings = (systems: ReadonlyArray<string>) => systems.map((system) => system.includes("Wrap up now"))

describe("ModelStep", () => {
  it.effect("prompts with the layers of the task's own facts", () =>
    Effect.gen(function*() {
      const { scripted } = yield* runLoop({
        turns: [says("Done")],
        settings: { specialization: "cats", additionalInstructions: "Answer in French." }
      })
      assert.strictEqual(
        scripted.requests[0]?.system,
        systemPrompt(
          {
            settings: { ...settings, specialization: "cats", additionalInstructions: "Answer in French." },
            context: contextAt(promptTime(0, null)),
            skills: [],
            task
          },
          emptyRun(task.input),
          false
        )
      )
      assert.include(scripted.requests[0]?.system, "Answer in French.")
    }))

  it.effect("describes people and the project, whose persona overrides the settings", () =>
    Effect.gen(function*() {
      const { scripted } = yield* runLoop({
        turns: [says("Done")],
        settings: { specialization: "cats", additionalInstructions: "Answer in French." },
        context: {
          persona: { name: "Ada", role: null, tone: null, specialization: "reviews", instructions: "Answer in verse." },
          projectContext: "The project.",
          teamContext: "The team.",
          requester: "Alice A.",
          team: "Bob and Eve."
        }
      })
      const system = scripted.requests[0]?.system ?? ""
      assert.include(system, "Requested by: alice.\n\nAlice A.\n\nThe requester's team:\n\nBob and Eve.\n\nYou began")
      assert.match(system, /^You are Ada, an autonomous background agent\. Your specialization: reviews\./)
      assert.isTrue(system.endsWith("</task>\n\nAnswer in verse.\n\nThe project.\n\nThe team."))
      assert.notInclude(system, "French")
    }))

  const kindsOfAgent: ReadonlyArray<readonly [string, Limits]> = [["parent", parentLimits], [
    "subagent",
    subagentLimits
  ]]
  for (const [who, limits] of kindsOfAgent) {
    it.effect(`warns a ${who} to wrap up exactly from its soft limit on, with the count`, () =>
      Effect.gen(function*() {
        const { scripted } = yield* runLoop({
          turns: Array.from({ length: limits.hard }, (_, turn) => ask(turn)),
          task: { limits }
        })
        const systems = scripted.requests.map(({ system }) => system)
        assert.deepStrictEqual(
          warnings(systems),
          Array.from({ length: limits.hard }, (_, iterations) => iterations >= limits.soft)
        )
        assert.include(systems.at(-1), `Wrap up now: ${limits.hard - 1} of ${limits.hard} iterations are used.`)
      }))
  }

  it.effect("warns from 80% of the token budget on, with what is left, and not at 79%", () =>
    Effect.gen(function*() {
      const { scripted } = yield* runLoop({
        turns: [writing(79_000, ask(1)), writing(1_000, ask(2)), writing(10_000, ask(3)), says("Done")],
        task: { tokenBudget: 100_000 }
      })
      const systems = scripted.requests.map(({ system }) => system)
      assert.deepStrictEqual(warnings(systems), [false, false, true, true])
      assert.include(systems[2], "2 of 10 iterations are used and 20000 tokens of the budget are left.")
      assert.include(systems[3], "and 10000 tokens of the budget are left.")
    }))

  it.effect("neither warns of nor limits the tokens of a task without a budget", () =>
    Effect.gen(function*() {
      const { journal, scripted } = yield* runLoop({ turns: [costing(100_000_000, ask(1)), says("Done")] })
      assert.deepStrictEqual(warnings(scripted.requests.map(({ system }) => system)), [false, false])
      assert.include(journal.at(-1), { end: "answered" })
    }))

  it.effect("journals what the call cost in tokens and time", () =>
    Effect.gen(function*() {
      const slowly: Turn = (request) => Effect.zipRight(TestClock.adjust("1500 millis"), says("Done")(request))
      const { journal } = yield* runLoop({ turns: [slowly] })
      assert.deepInclude(journal[0], { tokens: [10, 5], millis: 1_500 })
    }))
})
