import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { missingIn, namesOneModel, pathOfModel } from "../../src/Model/ListedModels.ts"
import { Model } from "../../src/Model/Model.ts"
import type { RemoteProvider } from "../../src/Model/ModelSettings.ts"
import { makeModelServer } from "../support/ModelServer.ts"
import { modelLayer } from "./remote.ts"

const local = (model: string): RemoteProvider => ({
  _tag: "local",
  baseUrl: "http://127.0.0.1:11434/v1",
  apiKey: Option.none(),
  model,
  embeddingModel: "e"
})

const listOf = (owned_by: string, ...ids: ReadonlyArray<string>) =>
  JSON.stringify({ object: "list", data: ids.map((id) => ({ id, object: "model", owned_by })) })

const rows: ReadonlyArray<readonly [what: string, model: string, list: string, isMissing: boolean]> = [
  ["Ollama, pulled", "llama3.2", listOf("library", "qwen3:8b", "llama3.2:latest"), false],
  ["Ollama, with its tag", "qwen3:8b", listOf("library", "qwen3:8b"), false],
  ["Ollama, another size", "qwen3:14b", listOf("library", "qwen3:8b"), true],
  ["Ollama, not pulled", "llama3.2", listOf("library", "qwen3:8b"), true],
  ["Ollama, with no models", "llama3.2", JSON.stringify({ object: "list", data: null }), true],
  ["vLLM, served", "meta-llama/Llama-3.1-8B", listOf("vllm", "meta-llama/Llama-3.1-8B"), false],
  ["vLLM, another one", "llama", listOf("vllm", "meta-llama/Llama-3.1-8B"), true],
  ["llama.cpp, which answers under any name", "anything", listOf("llamacpp", "/models/qwen.gguf"), false],
  ["a server that says nothing of owners", "anything", JSON.stringify({ data: [{ id: "other" }] }), false],
  ["a server that answers with something else", "anything", "OK", false]
]

describe("A local model", () => {
  it.each(rows)("%s: is missing only where the server can't have it", (_, model, list, isMissing) => {
    assert.strictEqual(missingIn(local(model), list) !== null, isMissing)
  })

  it("that is missing is named with those that are there, and the setting", () => {
    const { message } = missingIn(local("llama3.2"), listOf("library", "a", "b", "c", "d", "e", "f")) ?? { message: "" }
    assert.strictEqual(
      message,
      "The local model server does not have the model llama3.2; it has a, b, c, d, e and 1 more. Add the model to the server, "
        + "or set LOCAL_MODEL to one that it has."
    )
  })

  it.scopedLive("that is missing fails the probe", () =>
    Effect.gen(function*() {
      const server = yield* makeModelServer({
        script: ({ kind }) =>
          kind === "models" ? { status: 200, body: JSON.parse(listOf("library", "qwen3:8b")) as object } : undefined
      })
      const probe = (model: string) =>
        Effect.flatMap(Model, (model) => model.probe).pipe(
          Effect.provide(modelLayer(server.settings("local", { model })))
        )
      yield* probe("qwen3:8b")
      assert.include((yield* Effect.flip(probe("llama3.2"))).message, "does not have the model llama3.2")
    }))
})

describe("A provider's own host", () => {
  it("is asked for the model by its name; other hosts are asked for their list", () => {
    const at = (_tag: "gemini" | "openai", baseUrl: string) => ({ ...local("gpt-5"), _tag, baseUrl })
    assert.isTrue(namesOneModel(at("openai", "https://api.openai.com/v1")))
    assert.isTrue(namesOneModel(at("gemini", "https://generativelanguage.googleapis.com/v1beta/openai/")))
    assert.isFalse(namesOneModel(at("openai", "https://team.openai.azure.com/openai/v1")))
    assert.isFalse(namesOneModel(at("openai", "https://openrouter.ai/api/v1")))
    assert.isFalse(namesOneModel(local("llama3.2")))
    assert.strictEqual(pathOfModel(local("models/gemini-2.5-flash")), "gemini-2.5-flash")
    assert.strictEqual(pathOfModel(local("ft:gpt-4o:team::1/2")), "ft%3Agpt-4o%3Ateam%3A%3A1%2F2")
  })
})
