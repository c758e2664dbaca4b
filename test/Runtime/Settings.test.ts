import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, FastCheck, Option, Redacted } from "effect"
import * as Format from "../../src/Runtime/Settings/SettingFormats.ts"
import { sections } from "../../src/Runtime/Settings/SettingsCatalogue.ts"
import { dotEnv, expectedOf, namesOf, read, start, team, type Values } from "./settings.ts"

const catalogue = sections.flatMap(({ settings }) => settings)

describe("defaults", () => {
  it.effect("follow the settings they derive from", () =>
    Effect.gen(function*() {
      const settings = yield* read({ HOST: "0.0.0.0", PORT: "9000", DATA_DIR: "/srv/troupe" })
      assert.strictEqual(settings.http.publicUrl.href, "http://localhost:9000/")
      assert.strictEqual(settings.storage.path, "/srv/troupe/files")
    }))

  it.effect("know the console below BACKEND_API_URL, else on this machine, and nowhere for a team or on any free port", () =>
    Effect.gen(function*() {
      const consoleOf = (given: Readonly<Record<string, string>>) =>
        Effect.map(read(given), ({ http }) => http.console?.href ?? null)
      const team = {
        DEPLOYMENT_MODE: "hosted",
        OIDC_ISSUER: "https://login.example.org",
        OIDC_AUDIENCE: "troupe",
        TEAM_OWNER_EMAIL: "owner@example.org"
      }
      assert.strictEqual(yield* consoleOf({}), "http://127.0.0.1:8000/console/")
      assert.strictEqual(yield* consoleOf({ HOST: "::", PORT: "9000" }), "http://localhost:9000/console/")
      for (
        const [address, console] of [
          ["https://troupe.example.org", "https://troupe.example.org/console/"],
          ["https://example.org/at/troupe", "https://example.org/at/troupe/console/"],
          ["https://example.org/at/troupe/", "https://example.org/at/troupe/console/"]
        ] as const
      ) {
        assert.strictEqual(yield* consoleOf({ BACKEND_API_URL: address }), console)
        assert.strictEqual(yield* consoleOf({ ...team, BACKEND_API_URL: address }), console)
      }
      assert.isNull(yield* consoleOf({ PORT: "0" }))
      assert.isNull(yield* consoleOf(team))
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
      assert.strictEqual(settings.http.rateLimitPerMinute, 60)
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

  it.effect("of headers are decoded to what was encoded, and none that no request could carry", () =>
    Effect.gen(function*() {
      const name = FastCheck.stringMatching(/^[a-z][a-z0-9-]{0,12}$/)
      const value = FastCheck.stringMatching(/^[\x20-\x7e]{0,20}$/)
      FastCheck.assert(FastCheck.property(FastCheck.dictionary(name, value), (headers) => {
        const text = Object.entries(headers).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join(" , ")
        assert.deepStrictEqual(Format.headers.parse(text), Option.some({ ...headers }))
      }))
      for (const text of ["name", "=value", "a b=c", "a=%0d%0ab", "a=%", "a=%c3%a9", "a=b,c"]) {
        assert.isTrue(Option.isNone(Format.headers.parse(text)), text)
      }
    }))
})

it.effect("the mail server has the usual port of its encryption, and a sender", () =>
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

it.effect("spans are off without an endpoint, and are set by the names of OpenTelemetry", () =>
  Effect.gen(function*() {
    const given = {
      OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%20b",
      OTEL_SERVICE_NAME: "troupe-eu",
      OTEL_TRACES_SAMPLER_ARG: "0.25",
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true"
    }
    assert.deepStrictEqual((yield* read(given)).tracing, Option.none())
    const { tracing } = yield* read({ ...given, OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" })
    const { headers, ...others } = Option.getOrThrow(tracing)
    assert.deepStrictEqual(Option.map(headers, Redacted.value), Option.some({ "api-key": "a b" }))
    assert.deepStrictEqual(others, {
      endpoint: new URL("http://collector:4318"),
      serviceName: "troupe-eu",
      sampleRatio: 0.25,
      recordsContent: true
    })
  }))

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
