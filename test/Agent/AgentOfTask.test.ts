import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { IntentPreprocessing } from "../../src/Agent/IntentPreprocessing.ts"
import { offlineModel } from "../../src/Model/Offline.ts"
import { says } from "../support/ScriptedModel.ts"
import { makeLoop } from "./loop.ts"
import { creator, givenSkills, input, preparing, type } from "./preparing.ts"

const file = "---\ndescription: Of a test.\ntemperature: 0.3\n---\n\nInstructions of the agent.\n"

const agent = { agent: "tester", agentRevision: "0123456789ab", agentText: 7 }

const texts = {
  numberOf: () => undefined,
  store: () => Effect.void,
  keep: () => Effect.succeed(7),
  textOf: (number: number) => Effect.succeed(number === 7 ? file : "")
}

const persona = {
  name: "Ada",
  role: null,
  specialization: null,
  tone: null,
  instructions: "Instructions of the persona."
}

describe("The agent of a task", () => {
  it.effect("has its instructions in place of the service's, before those of the project's persona", () =>
    Effect.gen(function*() {
      const settings = { additionalInstructions: "Instructions of the service." }
      const of = (task: object, context = {}) =>
        Effect.gen(function*() {
          const loop = makeLoop({
            turns: [says("Done.")],
            settings,
            task,
            context,
            dependencies: { promptTexts: texts }
          })
          yield* loop.run
          return loop.scripted.requests[0]
        })
      const plain = yield* of({})
      assert.include(plain?.system, "Instructions of the service.")
      const request = yield* of(agent, { persona })
      const system = request?.system ?? ""
      assert.notInclude(system, "Instructions of the service.")
      assert.isBelow(system.indexOf("Instructions of the agent."), system.indexOf("Instructions of the persona."))
      assert.isAbove(system.indexOf("Instructions of the agent."), 0)
      assert.deepStrictEqual([plain?.temperature, request?.temperature], [undefined, 0.3])
    }))

  it.scoped("is given only its own skills, and no memories where it has none", () =>
    Effect.gen(function*() {
      const { layer } = preparing(yield* givenSkills, { recall: () => Effect.dieMessage("It was asked for memories") })
      yield* Effect.gen(function*() {
        const { prepare } = yield* IntentPreprocessing
        const skillsOf = (facts: object) =>
          Effect.map(
            prepare(
              { input, type, creator, tokenBudget: null, isWithoutMemory: true, ...facts },
              [],
              Effect.succeed(false),
              offlineModel
            ),
            (prepared) => prepared?.skills.map(({ name }): string => name) ?? []
          )
        assert.deepStrictEqual(yield* skillsOf({}), ["bread"])
        assert.deepStrictEqual(yield* skillsOf({ skills: ["bread"] }), ["bread"])
        assert.deepStrictEqual(yield* skillsOf({ skills: ["cake"] }), [])
        assert.deepStrictEqual(yield* skillsOf({ skills: [] }), [])
      }).pipe(Effect.provide(layer))
    }))
})
