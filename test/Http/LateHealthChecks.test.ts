import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Duration, Effect, Layer, Option, Redacted } from "effect"
import { HealthChecks } from "../../src/Http/HealthChecks.ts"
import { type EmbeddingCall } from "../../src/Model/Embeddings.ts"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import { Mail, MailFailed } from "../../src/Wire/Mail.ts"
import * as Database from "../support/Database.ts"
import { failing, served } from "./health.ts"

describe("Health checks", () => {
  it.scopedLive("embeddings are reported by their last call, without a new one", () =>
    Effect.gen(function*() {
      const settings = { OPENAI_API_KEY: "sk-test", OPENAI_EMBEDDING_MODEL: "small" }
      const at = DateTime.unsafeMake("2026-01-02T03:04:05Z")
      const failure = failing("OpenAI is not reachable.")
      const calls: Array<EmbeddingCall> = [{ at, failure }, { at, failure: null }]
      const embedding = Effect.sync(() => Option.fromNullable(calls.pop()))
      const [answered, failed, unused] = yield* Effect.flatMap(HealthChecks, ({ report }) =>
        Effect.replicateEffect(Effect.map(report, ({ checks: { embeddings } }) => embeddings), 3)).pipe(
          Effect.provide(served({ settings, embedding }))
        )
      assert.deepInclude(unused, { status: "ok", detail: "small of openai, not called by this process yet." })
      assert.strictEqual(answered?.status, "ok")
      assert.include(answered?.detail, "answered this process last at 2026-01-02T03:04:05.000Z")
      assert.deepInclude(failed, {
        status: "degraded",
        detail: "The last call of small of openai, at 2026-01-02T03:04:05.000Z, failed: OpenAI is not reachable."
      })
    }))

  it.scopedLive("a mail server that answers late is asked once, and included in the next report", () =>
    Effect.gen(function*() {
      let asked = 0
      const answer = yield* Deferred.make<string, MailFailed>()
      const mail = Layer.mock(Mail, {
        verify: Effect.zipRight(Effect.sync(() => asked++), Deferred.await(answer))
      })
      yield* Effect.gen(function*() {
        const { report } = yield* HealthChecks
        assert.deepInclude((yield* report).checks.mail, { status: "down", detail: "No response within 2 seconds." })
        yield* Deferred.fail(answer, new MailFailed({ kind: "unavailable", reason: "It takes no mail now." }))
        const { checks, status } = yield* report
        assert.deepInclude(checks.mail, {
          status: "degraded",
          detail: "It takes no mail now. Incoming mail is off: set IMAP_HOST, IMAP_USER and IMAP_PASSWORD."
        })
        assert.strictEqual(status, "degraded")
        assert.strictEqual(asked, 1)
      }).pipe(Effect.provide(served({ mail })))
    }))

  it.scopedLive("without its database the service is down", () =>
    Effect.gen(function*() {
      const url = yield* Database.freshDatabase
      yield* Effect.gen(function*() {
        const { database, report } = yield* HealthChecks
        assert.strictEqual((yield* database).status, "ok")
        const name = new URL(Redacted.value(url)).pathname.slice(1)
        yield* Database.query(yield* Database.freshDatabase, `drop database ${name} with (force)`)
        assert.strictEqual((yield* database).status, "down")
        assert.strictEqual((yield* report).status, "down")
      }).pipe(Effect.provide(served({}, Layer.succeed(DatabaseUrl, url))))
    }))

  it.scopedLive("a check that hangs or fails is a finding after two seconds, and delays no other", () =>
    Effect.gen(function*() {
      const mail = Layer.mock(Mail, { verify: Effect.die("a secret") })
      yield* Effect.gen(function*() {
        const { report } = yield* HealthChecks
        const [took, { checks }] = yield* Effect.timed(report)
        assert.isBelow(Duration.toMillis(took), 4000)
        assert.deepInclude(checks.embeddings, { status: "down", detail: "No response within 2 seconds." })
        assert.strictEqual(checks.mail.status, "down")
        assert.notInclude(checks.mail.detail, "secret")
        assert.strictEqual(checks.database.status, "ok")
      }).pipe(Effect.provide(served({ mail, embedding: Effect.never, settings: { OPENAI_API_KEY: "k" } })))
    }))
})
