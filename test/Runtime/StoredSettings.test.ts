import type { SqlClient } from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import { defaultUser } from "@troupe/domain/Ids"
import { Context, Effect, Layer, Option, Redacted, type Scope } from "effect"
import { Signals } from "../../src/Runtime/Database/Signals.ts"
import * as Sql from "../../src/Runtime/Database/Sql.ts"
import { Sealing } from "../../src/Runtime/Sealing.ts"
import type { Settings } from "../../src/Runtime/Settings/Settings.ts"
import { StoredSettings } from "../../src/Runtime/Settings/StoredSettings.ts"
import * as Database from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { withShortSleeps } from "../support/FrozenClock.ts"
import { dotEnv, read, start, type Values } from "./settings.ts"

const key = Option.some(Redacted.make("k".repeat(32)))

/** A process with these variables on the database of the test. */
const process = (settings: Settings["Type"], secretsKey: Option.Option<Redacted.Redacted> = key) =>
  Effect.map(
    Layer.build(Layer.provide(StoredSettings.layer(settings.stored), [Signals.layerLocal, Sealing.layer(secretsKey)])),
    (context) => ({ ...Context.get(context, StoredSettings), current: () => settings.stored.current() })
  )

const withVariables = (values: Values, secretsKey?: Option.Option<Redacted.Redacted>) =>
  Effect.flatMap(read(values), (settings) => process(settings, secretsKey))

const test = (name: string, body: Effect.Effect<void, unknown, SqlClient | Scope.Scope>) =>
  it.scopedLive(
    name,
    () => Effect.provide(body, Layer.provideMerge(Layer.orDie(Sql.layer({ maxConnections: 4 })), Database.layer))
  )

const viewOf = (settings: StoredSettings["Type"], name: string) =>
  Effect.map(settings.list, (all) => all.find((one) => one.name === name))

describe("The stored settings", () => {
  test(
    "are in effect at once, with their source, and after the next start",
    Effect.gen(function*() {
      const settings = yield* withVariables({})
      assert.deepInclude(yield* viewOf(settings, "AGENT_HARD_ITERATIONS"), {
        section: "agent",
        title: "Hard limit of model calls",
        value: "10",
        source: "default",
        is_set: false,
        secret: false,
        locked: false,
        needs: "nothing"
      })
      yield* settings.change({ AGENT_HARD_ITERATIONS: 7, SPECIALIZATION: " gardener " }, defaultUser)
      assert.strictEqual(settings.current().agent.limits.hard, 7)
      assert.strictEqual(settings.current().agent.specialization, "gardener")
      assert.deepInclude(yield* viewOf(settings, "AGENT_HARD_ITERATIONS"), {
        value: "7",
        source: "stored",
        is_set: true
      })
      const restarted = yield* withVariables({})
      assert.strictEqual(restarted.current().agent.limits.hard, 7)
      yield* settings.change({ AGENT_HARD_ITERATIONS: null }, defaultUser)
      assert.strictEqual(settings.current().agent.limits.hard, 10)
    })
  )

  test(
    "are in effect in every process within seconds, also when no signal arrives",
    Effect.gen(function*() {
      const one = yield* withVariables({})
      const other = yield* withShortSleeps(withVariables({}))
      yield* one.change({ MAX_PARALLEL_TOOL_CALLS: 2 }, defaultUser)
      yield* eventually(Effect.sync(() => other.current().agent.maxParallelToolCalls), (found) => found === 2)
    })
  )

  test(
    "are stored all or none, and each mistake is named",
    Effect.gen(function*() {
      const settings = yield* withVariables({ STORAGE_QUOTA_GB: "3" })
      const refused = yield* Effect.flip(
        settings.change({
          MAX_PARALLEL_TOOL_CALLS: 2,
          STORAGE_QUOTA_GB: 4,
          PORT: 80,
          AGENT_HARD_ITERATION: 4,
          AGENT_SOFT_ITERATIONS: "many"
        }, defaultUser)
      )
      const mistakes = refused._tag === "SettingsRefused" ? refused.mistakes : []
      assert.deepStrictEqual(mistakes.map(({ path }) => path).toSorted(), [
        "AGENT_HARD_ITERATION",
        "AGENT_SOFT_ITERATIONS",
        "PORT",
        "STORAGE_QUOTA_GB"
      ])
      assert.match(refused.message, /STORAGE_QUOTA_GB: locked: the environment/)
      assert.match(refused.message, /PORT: it is read when the service starts/)
      assert.match(
        refused.message,
        /AGENT_HARD_ITERATION: there is no such setting\. Did you mean .*AGENT_HARD_ITERATIONS/
      )
      assert.match(refused.message, /AGENT_SOFT_ITERATIONS: expected a whole number/)
      assert.strictEqual(settings.current().agent.maxParallelToolCalls, 5)
      const together = yield* Effect.flip(settings.change({ MAX_RECENT_MESSAGES: 13 }, defaultUser))
      assert.match(together.message, /^MAX_RECENT_MESSAGES: expected at most COMPACTION_THRESHOLD/)
      yield* settings.change({ MAX_RECENT_MESSAGES: 13, COMPACTION_THRESHOLD: 20 }, defaultUser)
      assert.isEmpty((yield* settings.history).filter(({ name }) => name === "PORT"))
    })
  )

  test(
    "never override the environment or .env, which lock a setting",
    Effect.gen(function*() {
      const before = yield* withVariables({})
      yield* before.change({ SPECIALIZATION: "stored", MAX_PARALLEL_TOOL_CALLS: 9 }, defaultUser)
      const settings = yield* Effect.flatMap(
        start({ MAX_PARALLEL_TOOL_CALLS: "3" }, dotEnv("SPECIALIZATION=from the file\n")),
        process
      )
      assert.deepInclude(yield* viewOf(settings, "MAX_PARALLEL_TOOL_CALLS"), {
        value: "3",
        source: "environment",
        locked: true
      })
      assert.deepInclude(yield* viewOf(settings, "SPECIALIZATION"), {
        value: "from the file",
        source: "file",
        locked: true
      })
      assert.strictEqual(settings.current().agent.specialization, "from the file")
      assert.match((yield* Effect.flip(settings.change({ SPECIALIZATION: null }, defaultUser))).message, /\.env/)
    })
  )

  test(
    "have a history of who changed what",
    Effect.gen(function*() {
      const settings = yield* withVariables({})
      yield* settings.change({ SPECIALIZATION: "gardener" }, defaultUser)
      yield* settings.change({ SPECIALIZATION: null }, defaultUser)
      const changes = yield* settings.history
      assert.deepStrictEqual(changes.map(({ changed_by, is_set, name, value }) => [name, value, is_set, changed_by]), [
        ["SPECIALIZATION", null, false, defaultUser],
        ["SPECIALIZATION", "gardener", true, defaultUser]
      ])
    })
  )

  test(
    "can be tried without being stored",
    Effect.gen(function*() {
      const settings = yield* withVariables({})
      const tried = yield* settings.tried({ SMTP_HOST: "mail.example.org", SMTP_FROM: "a@example.org" })
      assert.strictEqual(Option.getOrNull(tried.mail.smtp)?.host, "mail.example.org")
      assert.isTrue(Option.isNone(settings.current().mail.smtp))
      assert.match((yield* Effect.flip(settings.tried({ SMTP_HOST: "mail.example.org" }))).message, /^SMTP_FROM: /)
    })
  )
})
