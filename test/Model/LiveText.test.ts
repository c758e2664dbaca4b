import { assert, describe, it } from "@effect/vitest"
import { Context, Duration, Effect, Layer } from "effect"
import { Model } from "../../src/Model/Model.ts"
import { makeModelServer, type ModelTurn } from "../support/ModelServer.ts"
import { modelLayer, request } from "./remote.ts"

const thinker = "org/Some-Reasoner-R1"

/** What a new process with this model shows live of an answer, in pieces. */
const shownOf = (model: string, ...turns: ReadonlyArray<ModelTurn>) =>
  Effect.gen(function*() {
    const server = yield* makeModelServer()
    const { generate } = Context.get(
      yield* Layer.build(modelLayer(server.settings("local", { model, requestTimeout: Duration.seconds(20) }))),
      Model
    )
    yield* server.script(...turns)
    const answers: Array<ReadonlyArray<string>> = []
    for (const _ of turns) {
      const shown: Array<string> = []
      const { message } = yield* generate({ ...request, onText: (delta) => Effect.sync(() => void shown.push(delta)) })
      assert.strictEqual(shown.join(""), message.content)
      answers.push(shown)
    }
    return answers
  })

/** An answer whose pieces arrive one by one. */
const slowly = (text: string): ModelTurn => ({ text, chunk: 5, packet: 200, pace: 5 })

describe("Thinking in the text of a stream", () => {
  it.scopedLive("is not shown live, also where no mark opens it", () =>
    Effect.gen(function*() {
      const marked = { text: "<think>They count.</think>Three.", chunk: 3 }
      const unopened = { text: "They count.</think>Three.", chunk: 3 }
      const shown = yield* shownOf(thinker, marked, unopened, { text: "Three.", chunk: 3 }, unopened)
      assert.deepStrictEqual(shown.map((parts) => parts.join("")), ["Three.", "Three.", "Three.", "Three."])
    }))

  it.scopedLive("lets the first answer be shown as it is written, unless the model may think without a mark", () =>
    Effect.gen(function*() {
      const long = slowly("One. Two. ".repeat(30))
      for (const model of ["llama3.1:8b", "my-model", "gpt-4o", "mistral-small"]) {
        const [shown = []] = yield* shownOf(model, long)
        assert.isAbove(shown.length, 5, model)
        assert.isBelow(shown[0]?.length ?? 0, 250, model)
      }
      const [first, second] = yield* shownOf(thinker, long, long)
      assert.lengthOf(first ?? [], 1)
      assert.isAbove(second?.length ?? 0, 5)
    }))

  it.scopedLive("is not shown of any model where it is short", () =>
    Effect.gen(function*() {
      const [shown] = yield* shownOf("my-model", slowly("They want it short.</think>Three."))
      assert.strictEqual(shown?.join(""), "Three.")
    }))

  it.scopedLive("holds nothing back where the server separates it", () =>
    Effect.gen(function*() {
      const [shown] = yield* shownOf(thinker, { thinking: "They count.", ...slowly("One. Two.") })
      assert.isAbove(shown?.length ?? 0, 1)
    }))

  it.scopedLive("is not taken for an answer where it was cut off", () =>
    Effect.gen(function*() {
      const cut: ModelTurn = { text: "They co", finish: "length" }
      const [, shown] = yield* shownOf(thinker, cut, slowly("They count.</think>Three."))
      assert.deepStrictEqual(shown?.join(""), "Three.")
    }))
})
