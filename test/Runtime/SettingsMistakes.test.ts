import { FileSystem } from "@effect/platform"
import { SystemError } from "@effect/platform/Error"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { dotEnv, expectedOf, namesOf, read, refusal, start, team, type Values } from "./settings.ts"

const noFile = FileSystem.makeNoop({ exists: () => Effect.succeed(false) })

const lockedFile = FileSystem.makeNoop({
  exists: () => Effect.succeed(true),
  readFile: () => Effect.fail(new SystemError({ reason: "PermissionDenied", module: "FileSystem", method: "readFile" }))
})

describe("mistakes", () => {
  it.effect("are all reported at once, with what was given and what is expected, but never a secret", () =>
    Effect.gen(function*() {
      const error = yield* refusal({
        PORT: "http",
        LOG_LEVEL: "loud",
        USE_GEMINI: "true",
        DATABASE_URL: "hunter2",
        LOCAL_MODEL_URL: "ftp://me:hunter2@host"
      })
      assert.deepStrictEqual(error.mistakes, [
        { name: "PORT", given: "http", expected: "a port number from 0 to 65535 (0: any free port)" },
        { name: "LOG_LEVEL", given: "loud", expected: "one of debug, info, warning, error" },
        {
          name: "DATABASE_URL",
          given: "<redacted>",
          expected: "an address such as postgresql://user:password@host:5432/database"
        },
        {
          name: "LOCAL_MODEL_URL",
          given: "ftp://<redacted>@host",
          expected: "an address such as http://127.0.0.1:11434/v1"
        },
        { name: "GEMINI_API_KEY", given: null, expected: "a text (required because USE_GEMINI=true)" }
      ])
      assert.include(error.message, `PORT is "http"; it must be a port number`)
      assert.include(error.message, "GEMINI_API_KEY is not set; it must be a text (required because USE_GEMINI=true)")
      assert.notInclude(error.message, "hunter2")
    }))

  const hosted = { DEPLOYMENT_MODE: "hosted" }
  const mails = { IMAP_HOST: "mail.example.org", IMAP_USER: "troupe", IMAP_PASSWORD: "secret" }
  const signed = { WEBHOOK_SCHEME_ORDERS: "standard" }
  const required: ReadonlyArray<readonly [given: Values, required: ReadonlyArray<string>]> = [
    [hosted, ["OIDC_AUDIENCE", "OIDC_ISSUER", "TEAM_OWNER_EMAIL"]],
    [{ ...hosted, OIDC_ISSUER: "https://id.example.org" }, ["OIDC_AUDIENCE", "TEAM_OWNER_EMAIL"]],
    [{ ...hosted, ...team, ...mails }, ["INBOX_TRUSTED_AUTHSERV"]],
    [{ USE_LOCAL_MODEL: "true" }, ["LOCAL_MODEL_URL"]],
    [{ MODEL_PROVIDER: "anthropic" }, ["ANTHROPIC_API_KEY"]],
    [{ SMTP_HOST: "m", SMTP_USER: "t" }, ["SMTP_FROM", "SMTP_PASSWORD"]],
    [{ SMTP_PASSWORD: "x" }, ["SMTP_USER"]],
    [signed, ["WEBHOOK_SCHEME_ORDERS"]],
    [{ ...signed, WEBHOOK_SECRET_ORDERS: " " }, ["WEBHOOK_SCHEME_ORDERS"]],
    [{ ...signed, WEBHOOK_SECRET_ORDERS_V2: "x".repeat(16) }, ["WEBHOOK_SCHEME_ORDERS"]]
  ]

  it.effect.each(required)(
    "include what others require: %o",
    ([given, names]) => Effect.map(namesOf(given), (found) => assert.deepStrictEqual(found, names))
  )

  it.effect("don't include what is complete", () =>
    Effect.gen(function*() {
      const { mail } = yield* read({ ...hosted, ...team, ...mails, INBOX_TRUSTED_AUTHSERV: "mx.example.org" })
      assert.isTrue(Option.isSome(mail.inbox))
      yield* read({ ...signed, WEBHOOK_SECRET_ORDERS: "x".repeat(16) })
    }))

  it.effect("include settings that contradict each other", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* expectedOf({ MAX_RECENT_MESSAGES: "13" }), "at most COMPACTION_THRESHOLD (12)")
      const streams = { MAX_CONNECTIONS: "50", MAX_EVENT_STREAMS_PER_CALLER: "50" }
      assert.include(yield* expectedOf(streams), "below MAX_CONNECTIONS (50)")
      assert.include(yield* expectedOf(signed), "WEBHOOK_SECRET_ORDERS")
    }))

  it.effect("include values that are almost valid", () =>
    Effect.gen(function*() {
      const wrong: Values = {
        PORT: "80 80",
        RUNNER_PORT: "65536",
        METRICS_PORT: "0",
        METRICS_TOKEN: "a secret of several words, long enough",
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
        OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318",
        OTEL_EXPORTER_OTLP_HEADERS: "no secret value",
        OTEL_TRACES_SAMPLER_ARG: "1.5",
        SMTP_FROM: "a, b",
        USE_GEMINI: "maybe",
        LOG_FORMAT: "xml"
      }
      const { message, mistakes } = yield* refusal(wrong)
      assert.deepStrictEqual(mistakes.map(({ name }) => name).toSorted(), Object.keys(wrong).toSorted())
      assert.notInclude(message, "secret")
      for (const token of ["x".repeat(31), "\u00e9".repeat(32)]) {
        assert.deepStrictEqual(yield* namesOf({ METRICS_TOKEN: token }), ["METRICS_TOKEN"])
      }
      assert.isTrue(Option.isSome((yield* read({ METRICS_TOKEN: "+/=~".repeat(8) })).metrics.token))
    }))
})

describe("the start", () => {
  it.effect("reads the environment before .env", () =>
    Effect.gen(function*() {
      const file = dotEnv("PORT=7000\nHOST=127.0.0.2 # loopback too\nSPECIALIZATION=\"a # in it\"\n")
      const settings = yield* start({ PORT: "9000", HOST: "" }, file)
      assert.strictEqual(settings.http.port, 9000)
      assert.strictEqual(settings.http.host, "127.0.0.2")
      assert.strictEqual(settings.agent.specialization, "a # in it")
    }))

  it.effect("reports mistakes of .env, and an .env that can't be read", () =>
    Effect.gen(function*() {
      const wrong = yield* Effect.flip(start({ LOG_LEVEL: "loud" }, dotEnv("PORT=x")))
      assert.deepStrictEqual(wrong.mistakes.map(({ given, name }) => [name, given]), [["PORT", "x"], [
        "LOG_LEVEL",
        "loud"
      ]])
      const locked = yield* Effect.flip(start({}, lockedFile))
      assert.strictEqual(locked.mistakes[0]?.name, ".env")
    }))

  it.effect("stops at lines of .env that set nothing, and warns about a value that a # cuts", () =>
    Effect.gen(function*() {
      const lines = ["PORT=7000", "", "# a comment", "$env:HOST = 'x'", "set LOG_LEVEL=debug", "HOST"]
      const error = yield* Effect.flip(start({}, dotEnv(lines.join("\r\n"))))
      assert.deepStrictEqual(error.unknown.map(({ name }) => name), ["Line 4", "Line 5", "Line 6"])
      assert.include(error.message, "Line 4 in .env is not a setting. Write it as NAME=value, or delete it.")
      const values = [
        "OPENAI_API_KEY=ab#cd",
        "SPECIALIZATION=cats # and dogs",
        "ADDITIONAL_INSTRUCTIONS='a\nb #c\n\nd'"
      ]
      const { agent, warnings } = yield* start({}, dotEnv(values.join("\n")))
      assert.deepStrictEqual(warnings.length, 1)
      assert.include(warnings[0], "OPENAI_API_KEY in .env ends at a #")
      assert.strictEqual(Option.getOrNull(agent.additionalInstructions), "a\nb #c\n\nd")
    }))

  it.effect("include names in .env that are no settings, beside the other mistakes", () =>
    Effect.gen(function*() {
      const file = dotEnv("OPENAI_KEY=hunter2\nPORT=http\nZZZ=1\nWEBHOOK_SECRET_CODE_HOST=0123456789abcdef\n")
      const error = yield* Effect.flip(start({}, file))
      assert.deepStrictEqual(error.mistakes.map(({ name }) => name), ["PORT"])
      assert.deepStrictEqual(error.unknown.map(({ name }) => name), ["OPENAI_KEY", "ZZZ"])
      assert.include(error.message, "OPENAI_KEY in .env is not a setting. Did you mean OPENAI_API_KEY")
      assert.include(error.message, "ZZZ in .env is not a setting. Delete the line")
      assert.notInclude(error.message, "hunter2")
    }))
})

describe("variables of the environment", () => {
  it.effect("that look like misspelt settings are warned about, others are left alone", () =>
    Effect.gen(function*() {
      const { warnings } = yield* start({
        OPENAI_KEY: "hunter2",
        SMTP_PASS: "hunter2",
        DATABASE_URI: "postgresql://db/troupe",
        HOSTNAME: "box",
        HOME: "/root",
        LOGNAME: "ada",
        NODE_ENV: "production",
        npm_config_cache: "/tmp"
      }, noFile)
      assert.sameMembers([...warnings], [
        "OPENAI_KEY is not a setting. Did you mean OPENAI_API_KEY?",
        "SMTP_PASS is not a setting. Did you mean SMTP_PASSWORD?",
        "DATABASE_URI is not a setting. Did you mean DATABASE_URL?"
      ])
    }))

  it.effect("are not warned about beside the setting that was meant", () =>
    Effect.gen(function*() {
      const { warnings } = yield* start({ OPENAI_KEY: "one" }, dotEnv("OPENAI_API_KEY=two"))
      assert.deepStrictEqual(warnings, [])
    }))
})
