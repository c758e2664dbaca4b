import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Either, FastCheck, Option, Redacted } from "effect"
import { readFileSync } from "node:fs"
import { sections, settingsExample } from "../../src/Runtime/Settings/SettingsCatalogue.ts"
import { dotEnv, expectedOf, namesOf, read, start, team, type Values } from "./settings.ts"

const catalogue = sections.flatMap(({ settings }) => settings)

describe("defaults", () => {
  it.effect("follow the settings they derive from", () =>
    Effect.gen(function*() {
      const settings = yield* read({ HOST: "0.0.0.0", PORT: "9000", DATA_DIR: "/srv/troupe" })
      assert.strictEqual(settings.http.publicUrl.href, "http://localhost:9000/")
      assert.strictEqual(settings.storage.path, "/srv/troupe/files")
    }))
})

describe("the report of what is in effect", () => {
  it.effect("has every setting, and of a secret only whether it is set", () =>
    Effect.gen(function*() {
      const { inEffect } = yield* read({
        PORT: "9000",
        OPENAI_API_KEY: "sk-of-the-test",
        WEBHOOK_SECRET_SHOP: "shop-secret-of-the-test",
        LOCAL_MODEL_URL: "http://ada:password-of-the-test@models.example.org/v1"
      })
      const settings = inEffect.flatMap(({ settings }) => settings)
      const valueOf = (name: string) => {
        const found = settings.find((setting) => setting.name === name)
        return [found?.is_set, found?.is_secret, found?.value]
      }
      assert.deepStrictEqual(valueOf("PORT"), [true, false, "9000"])
      assert.deepStrictEqual(valueOf("HOST"), [false, false, "127.0.0.1"])
      assert.deepStrictEqual(valueOf("LOCAL_STORAGE_PATH"), [false, false, null])
      assert.deepStrictEqual(valueOf("OPENAI_API_KEY"), [true, true, null])
      assert.deepStrictEqual(valueOf("SMTP_PASSWORD"), [false, true, null])
      assert.deepStrictEqual(valueOf("WEBHOOK_SECRET_SHOP"), [true, true, null])
      assert.isFalse(settings.some(({ name }) => name === "WEBHOOK_SECRET_<TYPE>"))
      assert.notInclude(JSON.stringify(inEffect), "of-the-test")
      assert.isTrue(catalogue.every(({ name }) => name.endsWith(">") || settings.some((one) => one.name === name)))
    }))
})

describe("values", () => {
  it.effect("are decoded into what the service works with", () =>
    Effect.gen(function*() {
      const settings = yield* read({
        DATABASE_URL: "postgresql://troupe:hunter2@db:5432/troupe",
        CORS_ORIGINS: "https://a.example.org, http://b.example.org:8080,",
        ALLOWED_HOSTS: "Troupe.Example.org,[::1]:8000",
        TRUSTED_PROXIES: "10.0.0.0/8,::1",
        RATE_LIMIT_PER_MINUTE: "60",
        STORAGE_QUOTA_GB: "0.5",
        AGENT_STEP_TIMEOUT: "1.5",
        LOG_LEVEL: "WARNING"
      })
      assert.deepStrictEqual(
        Option.map(settings.database.url, Redacted.value),
        Option.some("postgresql://troupe:hunter2@db:5432/troupe")
      )
      assert.deepStrictEqual(
        settings.http.corsOrigins,
        Option.some(["https://a.example.org", "http://b.example.org:8080"])
      )
      assert.deepStrictEqual(settings.http.allowedHosts, ["troupe.example.org", "[::1]:8000"])
      assert.deepStrictEqual(settings.http.trustedProxies, ["10.0.0.0/8", "::1"])
      assert.deepStrictEqual(settings.http.rateLimitPerMinute, Option.some(60))
      assert.strictEqual(settings.storage.quotaBytes, 2 ** 29)
      assert.strictEqual(Duration.toMillis(settings.agent.stepTimeout), 1500)
      assert.strictEqual(settings.log.level, "warning")
      assert.notInclude(JSON.stringify(settings), "hunter2")
    }))

  it.effect("leave connections free beside the event streams of one caller", () =>
    Effect.gen(function*() {
      const streams = (values: Values) =>
        Effect.map(read(values), ({ http }) => [http.maxEventStreamsPerCaller, http.maxConnections])
      assert.deepStrictEqual(yield* streams({}), [2_500, 5_000])
      assert.deepStrictEqual(yield* streams({ MAX_CONNECTIONS: "1" }), [1, 1])
      assert.deepStrictEqual(yield* streams({ MAX_EVENT_STREAMS_PER_CALLER: "4999" }), [4_999, 5_000])
      assert.deepStrictEqual(yield* streams({ DEPLOYMENT_MODE: "hosted", ...team }), [100, 5_000])
    }))

  it.effect("that are blank count as unset", () =>
    Effect.gen(function*() {
      const blank = Object.fromEntries(catalogue.map(({ name }) => [name, "  "]))
      assert.deepStrictEqual(yield* read(blank), yield* read({}))
    }))

  it.effect("of each setting are read: an impossible one is reported, or any text will do", () =>
    Effect.gen(function*() {
      const complete = ({ name }: { readonly name: string }) => name.replace(/<\w+>$/, "ORDERS")
      const reported = yield* namesOf(Object.fromEntries(catalogue.map((one) => [complete(one), "?"])))
      const anything = catalogue.filter(({ expected }) => ["a text", "a path"].includes(expected)).map(complete)
      assert.deepStrictEqual([...reported, ...anything].toSorted(), catalogue.map(complete).toSorted())
    }))

  it.effect.prop(
    "outside 1 to 65535 are no port",
    [FastCheck.integer({ min: -10, max: 70_000 })],
    ([port]) =>
      Effect.gen(function*() {
        const result = yield* Effect.either(read({ RUNNER_PORT: String(port) }))
        assert.strictEqual(Either.isRight(result), port >= 1 && port <= 65_535)
      })
  )

  it.effect("that are almost valid are refused", () =>
    Effect.gen(function*() {
      const wrong: Values = {
        PORT: "80 80",
        MAX_ACTIVE_TASKS: "1e3",
        AGENT_STEP_TIMEOUT: "5 minutes",
        MODEL_TEMPERATURE: "-1",
        MODEL_PRICES: `{"gpt-5.1": {"input": 1.25}}`,
        BACKEND_API_URL: "ftp://example.org",
        CORS_ORIGINS: "https://example.org/path",
        ALLOWED_HOSTS: "https://example.org",
        TRUSTED_PROXIES: "10.0.0.0/33",
        DATABASE_URL: "mysql://db/troupe",
        DATABASE_MAX_CONNECTIONS: "1",
        USE_GEMINI: "maybe",
        LOG_FORMAT: "xml"
      }
      assert.deepStrictEqual(yield* namesOf(wrong), Object.keys(wrong).toSorted())
    }))
})

describe("settings whose names are completed", () => {
  it.effect("are read by the rest of their names, and blank ones are not given", () =>
    Effect.gen(function*() {
      const { webhooks: { schemes, secrets } } = yield* read({
        WEBHOOK_SECRET_CODE_HOST: "s3cret",
        WEBHOOK_SECRET_ORDERS: " sixteen letters. ",
        WEBHOOK_SECRET_ORDERS_V2: "third",
        WEBHOOK_SECRET_EMPTY: " ",
        WEBHOOK_SCHEME_ORDERS: "Standard"
      })
      assert.deepStrictEqual(
        Array.from(secrets, ([name, secret]) => [name, Redacted.value(secret)]).toSorted(),
        [["CODE_HOST", "s3cret"], ["ORDERS", "sixteen letters."], ["ORDERS_V2", "third"]]
      )
      assert.deepStrictEqual([...schemes], [["ORDERS", "standard"]])
    }))

  it.effect("are read from .env too, and a mistake has the whole name", () =>
    Effect.gen(function*() {
      const { webhooks: { secrets } } = yield* start({}, dotEnv("WEBHOOK_SECRET_CODE_HOST=s3cret"))
      assert.deepStrictEqual([...secrets.keys()], ["CODE_HOST"])
      assert.deepStrictEqual(yield* namesOf({ WEBHOOK_SCHEME_CODE_HOST: "none" }), ["WEBHOOK_SCHEME_CODE_HOST"])
    }))

  it.effect("are refused under a name that nothing asks for", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* namesOf({ WEBHOOK_SECRET_gh: "x" }), ["WEBHOOK_SECRET_gh"])
      assert.include(yield* expectedOf({ WEBHOOK_SECRET_gh: "x" }), "spelled WEBHOOK_SECRET_GH")
      assert.include(yield* expectedOf({ "WEBHOOK_SECRET_code-host": "x" }), "spelled WEBHOOK_SECRET_CODE_HOST")
      for (const name of ["WEBHOOK_SECRET", "WEBHOOK_SECRET_"]) {
        assert.include(yield* expectedOf({ [name]: "x" }), "followed by a name", name)
      }
      yield* Effect.flip(start({}, dotEnv("WEBHOOK_SECRET_code-host=x")))
      assert.deepStrictEqual(yield* namesOf({ WEBHOOK_SCHEME_Orders: "standard" }), ["WEBHOOK_SCHEME_Orders"])
    }))

  it.effect("must have a secret where they say how webhooks are signed", () =>
    Effect.gen(function*() {
      for (const secret of [{}, { WEBHOOK_SECRET_ORDERS: " " }, { WEBHOOK_SECRET_ORDERS_V2: "x".repeat(16) }]) {
        assert.deepStrictEqual(yield* namesOf({ WEBHOOK_SCHEME_ORDERS: "standard", ...secret }), [
          "WEBHOOK_SCHEME_ORDERS"
        ])
      }
      assert.include(yield* expectedOf({ WEBHOOK_SCHEME_ORDERS: "standard" }), "WEBHOOK_SECRET_ORDERS")
      yield* read({ WEBHOOK_SCHEME_ORDERS: "standard", WEBHOOK_SECRET_ORDERS: "x".repeat(16) })
    }))

  it.effect("limit webhooks of team chat as a whole in hosted mode", () =>
    Effect.gen(function*() {
      const limits = (given: Readonly<Record<string, string>>) =>
        Effect.map(read(given), ({ webhooks }) => [webhooks.chatPerMinute, webhooks.chatInAllPerMinute])
      const hosted = { DEPLOYMENT_MODE: "hosted", ...team }
      assert.deepStrictEqual(yield* limits({}), [600, 0])
      assert.deepStrictEqual(yield* limits({ TEAM_CHAT_WEBHOOKS_PER_MINUTE: "7" }), [7, 0])
      assert.deepStrictEqual(yield* limits(hosted), [60, 60])
      assert.deepStrictEqual(yield* limits({ ...hosted, TEAM_CHAT_WEBHOOKS_PER_MINUTE: "0" }), [0, 0])
    }))

  it.effect("must be keys that nobody guesses, where Standard Webhooks use them", () =>
    Effect.gen(function*() {
      const given = (secret: string, scheme = "standard") => ({
        WEBHOOK_SECRET_NEW_ORDERS: secret,
        WEBHOOK_SCHEME_NEW_ORDERS: scheme
      })
      const bytes = (length: number) => Buffer.alloc(length, 1).toString("base64")
      const refused = ["!!!!", "whsec_", "whsec_!!!!", `whsec_${bytes(23)}`, `whsec_${bytes(24)}!`, "x".repeat(15)]
      for (const secret of refused) {
        assert.deepStrictEqual(yield* namesOf(given(secret)), ["WEBHOOK_SECRET_NEW_ORDERS"], secret)
        yield* read(given(secret, "code-host"))
      }
      for (const secret of [`whsec_${bytes(24)}`, `whsec_${bytes(25)}`, "x".repeat(16)]) yield* read(given(secret))
    }))
})

describe("the catalogue", () => {
  it("names each setting once and describes it", () => {
    assert.strictEqual(new Set(catalogue.map(({ name }) => name)).size, catalogue.length)
    for (const { description, name } of catalogue) {
      assert.match(name, /^[A-Z][A-Z0-9_]*(?:<[A-Z]+>)?$/)
      assert.match(description, /^\S.{10,}\.$/, `The description of ${name} is a sentence that ends with a full stop`)
    }
  })

  it("is what .env.example says", () => {
    const written = readFileSync(new URL("../../.env.example", import.meta.url), "utf8")
    assert.strictEqual(
      written,
      settingsExample(),
      "Write settingsExample() to .env.example: - is missing there, + is too much"
    )
  })

  it.effect("gives defaults that change nothing when they are written out", () =>
    Effect.gen(function*() {
      const written = settingsExample().replaceAll(/^# ([A-Z_]+=)/gm, "$1")
      const { inEffect, ...settings } = yield* start({}, dotEnv(written))
      const { inEffect: unset, ...defaults } = yield* read({})
      assert.deepStrictEqual(settings, defaults)
      const values = (sections: typeof unset) => sections.flatMap(({ settings }) => settings.map(({ value }) => value))
      assert.deepStrictEqual(values(inEffect), values(unset))
    }))
})
