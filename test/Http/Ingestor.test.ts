import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import * as ingestor from "../../src/apps/ingestor.ts"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import { Settings } from "../../src/Runtime/Settings/Settings.ts"
import * as Database from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { freePort } from "../support/Processes.ts"
import { hosted } from "./hardening.ts"
import { isProblem, post, request } from "./RawHttp.ts"
import { layerSettings } from "./TestServer.ts"

const token = "0123456789abcdef0123456789abcdef"
const bearer = { authorization: `Bearer ${token}` }

/** The ingestor on a port of its own; yields the port. */
const serving = (url: Redacted.Redacted, given: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function*() {
    const port = yield* freePort
    const settings = yield* Layer.build(
      layerSettings({ DATABASE_URL: Redacted.value(url), INGESTOR_PORT: String(port), ...given })
    )
    yield* Layer.build(ingestor.layer(Context.get(settings, Settings)))
    return port
  })

layer(Database.layer, { excludeTestServices: true })("The ingestor", (it) => {
  it.scoped("names itself, counts what it took for whoever has METRICS_TOKEN, and has neither the API nor its documentation", () =>
    Effect.gen(function*() {
      const url = yield* DatabaseUrl
      const port = yield* serving(url, { METRICS_TOKEN: token })
      const { json: info } = yield* request(port, { path: "/" })
      assert.deepInclude(info, { name: "Troupe webhook ingestor", webhooks: "/webhook/{webhook_type}" })
      for (const path of ["/tasks", "/docs", "/openapi.json", "/webhook/health", "/api/health"]) {
        assert.include([404, 405], (yield* request(port, { path })).status, path)
      }
      const [, refund] = yield* Effect.forEach(
        ["orders", "refunds", "orders"],
        (type) =>
          Effect.map(post(port, `/webhook/${type}`, { type }), ({ json }) => json as { readonly message_id: string })
      )
      yield* Database.query(
        url,
        "update inbound_messages set state = 'failed', attempts = 5, last_error = 'No room', due_at = null, ended_at = now() where type = 'refunds'"
      )
      const { json, status } = yield* request(port, { path: "/stats", headers: bearer })
      assert.strictEqual(status, 200)
      const { queue_stats, recent_failed_messages: [failed, ...others] } = json as {
        readonly queue_stats: Readonly<Record<string, number>>
        readonly recent_failed_messages: ReadonlyArray<object>
      }
      assert.deepInclude(queue_stats, { pending: 2, failed: 1 })
      assert.deepInclude(failed, { id: refund?.message_id, error: "No room" })
      assert.deepStrictEqual(others, [])
      const metrics = yield* request(port, { path: "/metrics", headers: bearer })
      assert.match(metrics.text, /troupe_http_requests_total\{[^}]*route="\/webhook\/:webhook_type"/)
      for (const path of ["/stats", "/metrics"]) isProblem(yield* request(port, { path }), 401, "unauthenticated")
    }))

  it.scoped("shows neither figures nor metrics in hosted mode without METRICS_TOKEN", () =>
    Effect.gen(function*() {
      const port = yield* serving(yield* DatabaseUrl, hosted)
      for (const path of ["/stats", "/metrics"]) {
        for (const headers of [{}, bearer]) isProblem(yield* request(port, { path, headers }), 404, "not-found")
      }
    }))

  it.scoped("is healthy, and 503 without its database", () =>
    Effect.gen(function*() {
      const url = yield* Database.freshDatabase
      const port = yield* serving(url)
      const healthy = yield* request(port, { path: "/health" })
      assert.strictEqual(healthy.status, 200)
      assert.deepInclude(healthy.json, { status: "ok" })
      const name = new URL(Redacted.value(url)).pathname.slice(1)
      yield* Database.query(yield* DatabaseUrl, `drop database ${name} with (force)`)
      // Probes share an answer of the database for a second.
      const { headers, json, status } = yield* eventually(
        request(port, { path: "/health" }),
        (answer) => answer.status !== 200
      )
      assert.deepStrictEqual([status, headers["retry-after"]], [503, "2"])
      assert.hasAllKeys(json, ["status", "version", "uptime_seconds"])
      assert.deepInclude(json, { status: "unavailable" })
    }))
})
