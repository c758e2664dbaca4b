import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { banner, type ProcessRole, scriptsOf } from "../../src/apps/Banner.ts"
import { read, type Values } from "../Runtime/settings.ts"

const shown = (values: Values, role: ProcessRole = "all", isColored = false) =>
  Effect.map(read(values), (settings) => banner(role, settings, { hasConsole: true, isColored, scripts: null }))

describe("The banner", () => {
  it.effect("names the addresses, the data, the model, and what is off with the setting that turns it on", () =>
    Effect.gen(function*() {
      const text = yield* shown({})
      assert.match(text, /Address +http:\/\/127\.0\.0\.1:8000\n/)
      assert.match(text, /Console +http:\/\/127\.0\.0\.1:8000\/console\/\n/)
      assert.match(text, /Docs +http:\/\/127\.0\.0\.1:8000\/docs\n/)
      assert.match(text, /Health +http:\/\/127\.0\.0\.1:8000\/api\/health\n/)
      assert.match(text, /Data +embedded PostgreSQL in .*\.data, files in .*\.data\/files\n/)
      assert.match(text, /Model +offline.*OPENAI_API_KEY/)
      assert.match(text, /Off +team chat \(CHAT_BOT_TOKEN.*sending mail \(SMTP_HOST.*reading mail \(IMAP_HOST/)
      assert.notInclude(text, "Public")
      assert.notInclude(text, "Warning")
    }))

  it.effect("shows a public address only where it differs, and no docs where people sign in", () =>
    Effect.gen(function*() {
      assert.match(
        yield* shown({ BACKEND_API_URL: "https://troupe.example.org" }),
        /Public +https:\/\/troupe\.example\.org\//
      )
      assert.notInclude(yield* shown({ BACKEND_API_URL: "http://127.0.0.1:8000" }), "Public")
      const hosted = yield* shown({
        DEPLOYMENT_MODE: "hosted",
        HOST: "0.0.0.0",
        OIDC_ISSUER: "https://id.example.org",
        OIDC_AUDIENCE: "troupe",
        TEAM_OWNER_EMAIL: "ada@example.org"
      })
      assert.notInclude(hosted, "Docs")
      assert.notInclude(hosted, "Warning")
    }))

  it.effect("warns of an address without sign-in that others reach, in red on a terminal", () =>
    Effect.gen(function*() {
      assert.match(yield* shown({ HOST: "0.0.0.0" }), /Warning +HOST=0\.0\.0\.0 .* there is no sign-in/)
      assert.include(yield* shown({ HOST: "0.0.0.0" }, "all", true), "\u001b[31mWarning")
      assert.notInclude(yield* shown({ HOST: "0.0.0.0" }, "worker"), "Warning")
    }))

  it.effect("says how scripts of skills are confined, where they run", () =>
    Effect.gen(function*() {
      const settings = yield* read({})
      const line = (scripts: string | null) => banner("all", settings, { hasConsole: false, isColored: false, scripts })
      assert.match(line("confined by bubblewrap"), /\n {2}Scripts +confined by bubblewrap\n/)
      assert.notInclude(line(null), "Scripts")
      assert.match(line(null), /Console +not built/)
      assert.isNull(yield* scriptsOf("api", settings))
      const scripts = yield* scriptsOf("worker", settings)
      assert.match(scripts ?? "", /^Skill scripts (?:run in bubblewrap|are not confined.*npx troupe doctor$)/)
    }))

  it.effect("names what a role serves", () =>
    Effect.gen(function*() {
      assert.match(yield* shown({}, "ingestor"), /Webhooks +http:\/\/127\.0\.0\.1:8001\/webhook\/\{type\}/)
      assert.match(yield* shown({}, "chat-handler"), /Chat +http:\/\/127\.0\.0\.1:8002\/team-chat\/command/)
      assert.notInclude(yield* shown({}, "worker"), "http://")
    }))
})
