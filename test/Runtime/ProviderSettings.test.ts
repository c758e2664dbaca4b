import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { embeddingProviderOf } from "../../src/Model/ModelSettings.ts"
import { namesOf, read, type Values } from "./settings.ts"

describe("the model provider", () => {
  const provider = (values: Values) => Effect.map(read(values), ({ model }) => model)

  it.effect("is Google before a local server before OpenAI", () =>
    Effect.gen(function*() {
      const openAi = { OPENAI_API_KEY: "k" }
      const local = { ...openAi, USE_LOCAL_MODEL: "yes", LOCAL_MODEL_URL: "http://127.0.0.1:11434" }
      const gemini = { ...local, USE_GEMINI: "1", GEMINI_API_KEY: "k" }
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
      assert.deepStrictEqual(yield* namesOf({ MODEL_PROVIDER: "anthropic" }), ["ANTHROPIC_API_KEY"])
    }))

  it.effect("is a compatible server when only its address is given", () =>
    Effect.gen(function*() {
      const { provider: found } = yield* provider({ OPENAI_BASE_URL: "http://127.0.0.1:4010/v1/" })
      assert.deepInclude(found, { _tag: "openai", baseUrl: "http://127.0.0.1:4010/v1", apiKey: Option.none() })
    }))

  it.effect("decides the temperature unless one is given", () =>
    Effect.gen(function*() {
      const local = { USE_LOCAL_MODEL: "true", LOCAL_MODEL_URL: "http://127.0.0.1:11434/v1" }
      const gemini = { USE_GEMINI: "true", GEMINI_API_KEY: "k" }
      for (const values of [{}, gemini, { OPENAI_API_KEY: "k" }]) {
        assert.strictEqual((yield* provider(values)).temperature, 1)
      }
      assert.strictEqual((yield* provider(local)).temperature, 0)
      assert.strictEqual((yield* provider({ ...local, MODEL_TEMPERATURE: "0.7" })).temperature, 0.7)
    }))

  it.effect("that is chosen needs its key or its address", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* namesOf({ USE_GEMINI: "true" }), ["GEMINI_API_KEY"])
      assert.deepStrictEqual(yield* namesOf({ USE_LOCAL_MODEL: "true" }), ["LOCAL_MODEL_URL"])
      const both = { USE_GEMINI: "true", GEMINI_API_KEY: "k", USE_LOCAL_MODEL: "true" }
      assert.strictEqual((yield* provider(both)).provider._tag, "gemini")
    }))
})

describe("the mail server", () => {
  it.effect("has the usual port of its encryption, and a sender", () =>
    Effect.gen(function*() {
      const smtp = (values: Values) =>
        Effect.map(
          read({ SMTP_HOST: "mail.example.org", SMTP_FROM: "Troupe <t@Example.org>", ...values }),
          ({ mail }) => Option.getOrThrow(mail.smtp)
        )
      assert.deepInclude(yield* smtp({}), {
        port: 587,
        secure: "starttls",
        from: { name: "Troupe", address: "t@example.org" }
      })
      assert.strictEqual((yield* smtp({ SMTP_SECURE: "true" })).port, 465)
      assert.strictEqual((yield* smtp({ SMTP_SECURE: "false" })).port, 25)
      assert.strictEqual((yield* smtp({ SMTP_PORT: "1025" })).port, 1025)
      const { login } = yield* smtp({ SMTP_USER: "t", SMTP_PASSWORD: "secret" })
      assert.notInclude(JSON.stringify(login), "secret")
      assert.isTrue(Option.isSome(login))
      assert.isTrue(Option.isNone((yield* read({})).mail.smtp))
    }))

  it.effect("needs a sender, and a name and password or neither", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* namesOf({ SMTP_HOST: "m", SMTP_USER: "t" }), ["SMTP_FROM", "SMTP_PASSWORD"])
      assert.deepStrictEqual(yield* namesOf({ SMTP_PASSWORD: "x" }), ["SMTP_USER"])
      assert.deepStrictEqual(yield* namesOf({ SMTP_FROM: "a, b", SMTP_SECURE: "maybe" }), ["SMTP_FROM", "SMTP_SECURE"])
    }))
})
