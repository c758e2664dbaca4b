import { assert, describe, it } from "@effect/vitest"
import type { Message } from "@troupe/domain/Message"
import type { Step } from "@troupe/domain/Step"
import { Effect } from "effect"
import { makeLoop } from "../Agent/loop.ts"
import { modelLayer, question, request } from "../Model/remote.ts"
import { makeModelServer } from "../support/ModelServer.ts"
import { call } from "../support/ScriptedModel.ts"
import { answers, bodiesOf, refusal } from "./modelAnswers.ts"

const asked = (id: string): Step => ({
  kind: "model",
  message: { role: "assistant", content: "", tool_calls: [call(id, "echo", { text: "hi" })] },
  tokens: [1, 1],
  millis: 1
})

const answered = (id: string, content = "hi"): Step => ({
  kind: "results",
  results: [{ message: { role: "tool", tool_call_id: call(id, "echo").id, name: "echo", content }, millis: 1 }]
})

const said = (text: string): Step => ({ kind: "steered", messages: [{ text, by: null }] })

const cut = (content: string, opaque?: unknown): Step => ({
  kind: "model",
  message: { role: "assistant", content, tool_calls: [], ...(opaque === undefined ? {} : { opaque }) },
  tokens: [1, 1],
  millis: 1,
  cut: true
})

const compacted: Step = {
  kind: "compacted",
  because: "messages",
  upto: 3,
  summary: "So far.",
  tokens: [1, 1],
  millis: 1
}

const reasoned = {
  dialect: "chat",
  provider: "local",
  model: "fake-r3",
  fields: { reasoning_content: "They count." },
  calls: []
}

/** What the journal of a running task may hold when the model is called. */
const journals: ReadonlyArray<readonly [string, ReadonlyArray<Step>]> = [
  ["a person's message during a call", [asked("call_1"), said("Hurry, please."), answered("call_1")]],
  ["two messages of a person", [asked("call_1"), answered("call_1"), said("Hurry!"), said("Please.")]],
  ["a message before the first answer", [said("In French, please.")]],
  ["an answer that was cut off twice", [cut("One, "), cut("two, ")]],
  ["an answer that was cut off twice, with reasoning", [cut("One, ", reasoned), cut("two, ", reasoned)]],
  ["a result without a text", [asked("call_1"), answered("call_1", "")]],
  ["a summary in front of a message", [asked("call_1"), answered("call_1"), compacted, said("Hurry!")]],
  ["a summary in front of a call", [
    asked("call_1"),
    answered("call_1"),
    compacted,
    asked("call_2"),
    answered("call_2")
  ]]
]

describe.each(["local", "gemini", "openai", "anthropic"] as const)("A strict order of roles at %s", (provider) => {
  it.scopedLive.each(journals)("does not refuse %s", ([, journal]) =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* server.script({ text: "Done." })
      const model = modelLayer(server.settings(provider, { maxRetries: 0 }))
      const loop = makeLoop({ turns: [], model, journal })
      yield* loop.run
      const bodies = (yield* server.requests).map(({ body }) => body)
      const last = loop.outcomes.at(-1)?.step
      assert.strictEqual(last?.kind, "model", JSON.stringify(last))
      for (const step of journal) {
        if (step.kind === "steered") { for (const { text } of step.messages) assert.include(bodies.at(-1), text) }
      }
    }))
})

describe("A message that a provider refuses for its form", () => {
  const calling = {
    role: "assistant" as const,
    content: "",
    tool_calls: [call("call_PTLP8xhu3uwZk4l3nlnrrJha", "count")]
  }
  const messages: ReadonlyArray<Message> = [
    question,
    calling,
    { role: "tool", tool_call_id: calling.tool_calls[0]?.id ?? call("", "").id, name: "count", content: "2" }
  ]

  it.scopedLive("has ids of nine letters and digits once Mistral asks for them", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* server.script(
        refusal("Tool call id was call_PTLP8xhu3uwZk4l3nlnrrJha but must be a-z, A-Z, 0-9, with a length of 9."),
        { text: "One." },
        { text: "Two." }
      )
      assert.deepStrictEqual(yield* answers(server.settings("local"), 2, { ...request, messages }), ["One.", "Two."])
      const [first, second, third] = (yield* server.requests).map(({ body }) => body)
      assert.include(first, "call_PTLP8xhu3uwZk4l3nlnrrJha")
      assert.lengthOf(second?.match(/"(?:tool_call_)?id":"[a-zA-Z0-9]{9}"/g) ?? [], 2)
      assert.strictEqual(third, second)
    }))

  it.scopedLive("has an empty text instead of null once a server asks for a text", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer({ strict: false })
      yield* server.script(refusal("invalid message content type: <nil>"), { text: "One." })
      assert.deepStrictEqual(yield* answers(server.settings("local"), 1, { ...request, messages }), ["One."])
      const [first, second] = (yield* server.requests).map(({ body }) => body)
      assert.include(first, "\"role\":\"assistant\",\"content\":null")
      assert.include(second, "\"role\":\"assistant\",\"content\":\"\"")
    }))

  it.scopedLive("is the user's where a model has no system role", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      // llama.cpp answers a chat template's complaint with 500.
      yield* server.script(refusal("Jinja Exception: System role not supported", 500), { text: "One." }, {
        text: "Two."
      })
      assert.deepStrictEqual(yield* answers(server.settings("local", { maxRetries: 0 }), 2), ["One.", "Two."])
      const bodies = yield* bodiesOf(server)
      assert.deepStrictEqual(bodies[2]?.["messages"], [{ role: "user", content: "Be brief.\n\nHow many?" }])
    }))
})
