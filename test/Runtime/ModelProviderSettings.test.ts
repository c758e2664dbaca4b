import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { embeddingProviderOf } from "../../src/Model/ModelSettings.ts"
import * as Format from "../../src/Runtime/Settings/SettingFormats.ts"
import { read, type Values } from "./settings.ts"

describe("the model provider", () => {
  const provider = (values: Values) => Effect.map(read(values), ({ model }) => model)

  it.effect("is Google before a local server before OpenAI", () =>
    Effect.gen(function*() {
      const openAi = { OPENAI_API_KEY: "k" }
      const local = { ...openAi, USE_LOCAL_MODEL: "yes", LOCAL_MODEL_URL: "http://127.0.0.1:11434" }
      const gemini = { USE_LOCAL_MODEL: "yes", USE_GEMINI: "1", GEMINI_API_KEY: "k" }
      assert.deepInclude((yield* provider(openAi)).provider, { _tag: "openai", baseUrl: "https://api.openai.com/v1" })
      assert.deepInclude((yield* provider(local)).provider, { _tag: "local", baseUrl: "http://127.0.0.1:11434/v1" })
      assert.deepInclude((yield* provider(gemini)).provider, {
        _tag: "gemini",
        apiKey: Option.some(Redacted.make("k")),
        baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai"
      })
    }))

  it.effect("is Anthropic where OpenAI is not configured, or where it is preferred", () =>
    Effect.gen(function*() {
      const anthropic = { ANTHROPIC_API_KEY: "k" }
      const both = { ...anthropic, OPENAI_API_KEY: "o", OPENAI_EMBEDDING_MODEL: "e" }
      const alone = yield* provider(anthropic)
      assert.deepInclude(alone.provider, { _tag: "anthropic", embeddings: Option.none(), model: "claude-sonnet-4-5" })
      assert.deepStrictEqual([alone.temperature, alone.contextTokens], [1, 200_000])
      assert.strictEqual((yield* provider(both)).provider._tag, "openai")
      const { provider: preferred } = yield* provider({ ...both, MODEL_PROVIDER: "anthropic" })
      assert.strictEqual(preferred._tag, "anthropic")
      assert.deepInclude(embeddingProviderOf(preferred), { _tag: "openai", embeddingModel: "e" })
      assert.isNull(embeddingProviderOf(alone.provider))
      const gemini = { USE_GEMINI: "1", GEMINI_API_KEY: "k" }
      assert.strictEqual((yield* provider({ ...anthropic, ...gemini })).provider._tag, "gemini")
    }))

  it.effect("is a compatible server when only its address is given", () =>
    Effect.gen(function*() {
      const { provider: found } = yield* provider({ OPENAI_BASE_URL: "http://127.0.0.1:4010/v1/" })
      assert.deepInclude(found, { _tag: "openai", baseUrl: "http://127.0.0.1:4010/v1", apiKey: Option.none() })
    }))

  it.effect("has the key of a local server, and the API of a compatible one", () =>
    Effect.gen(function*() {
      const local = { USE_LOCAL_MODEL: "true", LOCAL_MODEL_URL: "http://127.0.0.1:8080", LOCAL_MODEL_API_KEY: "k" }
      const { provider: keyed } = yield* provider(local)
      assert.deepInclude(keyed, { _tag: "local", apiKey: Option.some(Redacted.make("k")) })
      assert.deepInclude(embeddingProviderOf(keyed), { apiKey: Option.some(Redacted.make("k")) })
      const openAi = { OPENAI_BASE_URL: "https://models.example.org/v1/chat/completions" }
      assert.deepInclude((yield* provider(openAi)).provider, { baseUrl: "https://models.example.org/v1", api: "auto" })
      assert.deepInclude((yield* provider({ ...openAi, OPENAI_API: "chat" })).provider, { api: "chat" })
      for (
        const [path, right] of [["/v1/models", "/v1"], ["/models", "/models"], ["/models/chat/completions", "/models"]]
      ) {
        const { provider: found } = yield* provider({ OPENAI_BASE_URL: `https://models.example.org${path}` })
        assert.deepInclude(found, { baseUrl: `https://models.example.org${right}` })
      }
    }))

  it("takes the address of a model server without its scheme, but no single word", () => {
    const found = (text: string) => Option.getOrNull(Format.modelBaseUrl.parse(text))
    const expected = {
      "127.0.0.1:11434/v1": "http://127.0.0.1:11434/v1",
      "localhost:11434": "http://localhost:11434/v1",
      "localhost": "http://localhost/v1",
      "[::1]:8080/v1/": "http://[::1]:8080/v1",
      "10.0.0.7:8080": "http://10.0.0.7:8080/v1",
      "models:8000/v1": "http://models:8000/v1",
      "models.internal/v1": "http://models.internal/v1",
      "models.example.org/v1/chat/completions": "https://models.example.org/v1",
      "models.example.org:8443": "https://models.example.org:8443/v1",
      "sk-office-7731": null,
      "office-large": null,
      "ftp://models.example.org": null,
      "me:hunter2@models.example.org": null,
      "mailto:me@example.org": null,
      "models.example.org v1": null
    }
    assert.deepStrictEqual(Object.fromEntries(Object.keys(expected).map((text) => [text, found(text)])), expected)
  })

  it.effect("decides the temperature unless one is given", () =>
    Effect.gen(function*() {
      const local = { USE_LOCAL_MODEL: "true", LOCAL_MODEL_URL: "http://127.0.0.1:11434/v1" }
      const gemini = { USE_GEMINI: "true", GEMINI_API_KEY: "k" }
      const all = [{}, gemini, { OPENAI_API_KEY: "k" }, local, { ...local, MODEL_TEMPERATURE: "0.7" }]
      const temperatures = Effect.forEach(
        all,
        (values) => Effect.map(provider(values), ({ temperature }) => temperature)
      )
      assert.deepStrictEqual(yield* temperatures, [1, 1, 1, 0, 0.7])
    }))
})
