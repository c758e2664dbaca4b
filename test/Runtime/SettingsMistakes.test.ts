import { FileSystem } from "@effect/platform"
import { SystemError } from "@effect/platform/Error"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { dotEnv, expectedOf, namesOf, read, refusal, start, team } from "./settings.ts"

const noFile = FileSystem.makeNoop({ exists: () => Effect.succeed(false) })

const lockedFile = FileSystem.makeNoop({
  exists: () => Effect.succeed(true),
  readFileString: () =>
    Effect.fail(new SystemError({ reason: "PermissionDenied", module: "FileSystem", method: "readFileString" }))
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

  it.effect("include everything that hosted mode lacks", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* namesOf({ DEPLOYMENT_MODE: "hosted" }), [
        "OIDC_AUDIENCE",
        "OIDC_ISSUER",
        "TEAM_OWNER_EMAIL"
      ])
      assert.deepStrictEqual(yield* namesOf({ DEPLOYMENT_MODE: "hosted", OIDC_ISSUER: "https://id.example.org" }), [
        "OIDC_AUDIENCE",
        "TEAM_OWNER_EMAIL"
      ])
      const mails = { IMAP_HOST: "mail.example.org", IMAP_USER: "troupe", IMAP_PASSWORD: "secret" }
      assert.deepStrictEqual(yield* namesOf({ DEPLOYMENT_MODE: "hosted", ...team, ...mails }), [
        "INBOX_TRUSTED_AUTHSERV"
      ])
      const { mail } = yield* read({
        DEPLOYMENT_MODE: "hosted",
        ...team,
        ...mails,
        INBOX_TRUSTED_AUTHSERV: "mx.example.org"
      })
      assert.isTrue(Option.isSome(mail.inbox))
    }))

  it.effect("include settings that contradict each other", () =>
    Effect.gen(function*() {
      assert.strictEqual(
        yield* expectedOf({ MAX_RECENT_MESSAGES: "13" }),
        "at most COMPACTION_THRESHOLD (12)"
      )
      assert.include(
        yield* expectedOf({ MAX_CONNECTIONS: "50", MAX_EVENT_STREAMS_PER_CALLER: "50" }),
        "below MAX_CONNECTIONS (50)"
      )
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

  it.effect("does without .env", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* start({ PORT: "9000" }, noFile)).http.port, 9000)
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
