import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { serverToolsOf } from "../../src/ToolServer/ServerTool.ts"
import { generate, request } from "../Model/remote.ts"
import { makeModelServer } from "../support/ModelServer.ts"
import { answers, refusal } from "./modelAnswers.ts"

describe("A tool server's schema", () => {
  const tag = {
    name: "tag",
    description: "Tag a ticket",
    inputSchema: {
      type: "object",
      properties: {
        tags: { type: "array" },
        options: { type: "object", properties: { more: { type: "array" } } }
      },
      required: ["tags"]
    }
  }
  const definition = (given: unknown) => {
    const { tools: [tool] } = serverToolsOf("crm", [given])
    return { name: `crm__${tool?.name}`, description: "Described", parameters: tool?.parameters ?? {} }
  }
  const count = request.tools.tools

  it.scopedLive.each(["local", "gemini", "openai", "anthropic"] as const)(
    "with arrays without items fails no task of %s",
    (provider) =>
      Effect.gen(function*() {
        const server = yield* makeModelServer()
        yield* server.script({ text: "Done." })
        const tools = { tools: [...count, definition(tag)] }
        const { message } = yield* generate(server.settings(provider), { ...request, tools })
        assert.strictEqual(message.content, "Done.")
      })
  )

  it.scopedLive.each(
    [
      ["local", "Invalid schema for function 'crm__tag': In context=('properties', 'tags'), schema is odd."],
      ["openai", "Invalid value for tools[1].parameters."],
      ["anthropic", "tools.1.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12"],
      ["gemini", "Invalid value at 'tools[0].function_declarations[1].parameters.properties[0].value' (oneof kind)"]
    ] as const
  )("that %s refuses for a reason of its own costs that tool alone", ([provider, complaint]) =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* server.script(refusal(complaint), { text: "One." }, { text: "Two." })
      const given = { ...request, tools: { tools: [...count, definition(tag)] } }
      assert.deepStrictEqual(yield* answers(server.settings(provider), 2, given), ["One.", "Two."])
      const found = (yield* server.requests).map(({ body }) =>
        ["\"count\"", "\"crm__tag\""].map((name) => body.includes(name))
      )
      assert.deepStrictEqual(found, [[true, true], [true, false], [true, false]])
    }))

  it.scopedLive("with a description that is too long has a shorter one from then on", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer()
      yield* server.script(
        refusal(
          "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024, but got a string with length 3000 instead.",
          400,
          { param: "tools[0].function.description", code: "string_above_max_length" }
        ),
        { text: "One." }
      )
      const tools = { tools: [{ ...definition(tag), description: "x".repeat(3_000) }] }
      assert.deepStrictEqual(yield* answers(server.settings("local"), 1, { ...request, tools }), ["One."])
      assert.include((yield* server.requests)[1]?.body, `"description":"${"x".repeat(1_024)}"`)
    }))
})
