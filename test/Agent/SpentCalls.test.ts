import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer } from "effect"
import { type ModelCallOf, SpendingLimit } from "../../src/Agent/Spending.ts"
import { Model, ModelUnavailable } from "../../src/Model/Model.ts"
import { withRetries } from "../../src/Model/ModelCalls.ts"
import { hanging, says, scriptedModel, type Turn } from "../support/ScriptedModel.ts"
import { makeLoop, settle } from "./loop.ts"

const noRetries = { maxRetries: 0, totalTimeout: Duration.minutes(1) }

type Counted = Pick<ModelCallOf, "model"> & { readonly cost: number | null }

/** What a task counts of its calls; its model is the stored `fast`, that of the settings is `gpt`. */
const loopOf = (turn: Turn, watched = false) => {
  const counted: Array<Counted> = []
  const { model } = scriptedModel(turn)
  const fast = { ...model, name: "fast", price: { input: 1_000, output: 0 } }
  const loop = makeLoop({
    turns: [],
    model: Layer.succeed(Model, {
      ...model,
      ofSettings: "gpt",
      choose: () => Effect.succeed({ ...fast, generate: withRetries(fast, noRetries) })
    }),
    dependencies: watched ? { onText: () => () => Effect.void } : {}
  })
  const run = Effect.provideService(loop.run, SpendingLimit, {
    reserve: () => ({ _tag: "Granted", reservation: null }),
    spent: ({ model }, cost) => void counted.push({ model, cost })
  })
  return { counted, run }
}

const answers = (more: object): Turn => (request) =>
  Effect.map(says("Done.")(request), (response) => ({ ...response, ...more }))

describe("Spending counts a call of a model", () => {
  it.effect("for the model that answered: a stored one by its name here, that of the settings by its own", () =>
    Effect.gen(function*() {
      for (const [more, model] of [[{ model: "cheap", cost: 2 }, "cheap"], [{ cost: 2 }, "gpt"]] as const) {
        const { counted, run } = loopOf(answers(more))
        yield* run
        assert.deepStrictEqual(counted, [{ model, cost: 2 }])
      }
    }))

  it.effect("for the model that was called, where all attempts failed after they had cost something", () =>
    Effect.gen(function*() {
      const error = new ModelUnavailable({ provider: "openai", reason: "It is down.", tokens: [3_000, 10] })
      const { counted, run } = loopOf(() => Effect.fail(error))
      yield* run
      assert.deepStrictEqual(counted, [{ model: "fast", cost: 3 }])
    }))

  it.effect("that was cut off, with what it had cost until then", () =>
    Effect.gen(function*() {
      const { seen, turn } = hanging()
      const { counted, run } = loopOf(
        ({ onText = () => Effect.void, ...rest }) => Effect.zipRight(onText("y".repeat(40)), turn(rest)),
        true
      )
      const fiber = yield* Effect.fork(run)
      yield* settle(() => seen.begun === 1)
      yield* Fiber.interrupt(fiber)
      assert.lengthOf(counted, 1)
      assert.strictEqual(counted[0]?.model, "fast")
      assert.isAbove(counted[0]?.cost ?? 0, 0)
    }))
})
