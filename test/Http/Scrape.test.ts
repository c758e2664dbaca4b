import { HttpClient } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { metrics } from "../../src/apps/Http.ts"
import { Settings } from "../../src/Runtime/Settings/Settings.ts"
import { freePort } from "../support/Processes.ts"
import { growth, parsePrometheus } from "../support/PrometheusText.ts"
import { makeFakes } from "./Fakes.ts"
import { layerSettings, started } from "./TestServer.ts"

const token = "0123456789abcdef0123456789abcdef"

const hosted = {
  DEPLOYMENT_MODE: "hosted",
  OIDC_ISSUER: "https://id.example.org",
  OIDC_AUDIENCE: "troupe",
  TEAM_OWNER_EMAIL: "ada@example.org"
}

const asked = (port: number, authorization?: string, path = "/metrics") =>
  HttpClient.get(`http://127.0.0.1:${port}${path}`, {
    headers: authorization === undefined ? {} : { authorization }
  }).pipe(
    Effect.flatMap((answer) =>
      Effect.map(answer.text, (body) => ({ status: answer.status, headers: answer.headers, body }))
    ),
    Effect.provide(NodeHttpClient.layer)
  )

describe("GET /metrics", () => {
  it.scoped("is open on a self-hosted service", () =>
    Effect.gen(function*() {
      const port = yield* started(makeFakes())
      yield* asked(port, undefined, "/health")
      const { body, headers, status } = yield* asked(port)
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["content-type"], "text/plain; version=0.0.4; charset=utf-8")
      assert.include([...parsePrometheus(body).keys()], "troupe_http_requests_total")
    }))

  for (const [mode, settings] of Object.entries({ "self-hosted": {}, hosted })) {
    it.scoped(`asks for METRICS_TOKEN where it is set, ${mode}`, () =>
      Effect.gen(function*() {
        const port = yield* started(makeFakes(), { ...settings, METRICS_TOKEN: token })
        assert.strictEqual((yield* asked(port, `Bearer ${token}`)).status, 200)
        assert.strictEqual((yield* asked(port, `bearer ${token}`)).status, 200)
        for (const wrong of [undefined, "Bearer", token, `Basic ${token}`, `Bearer ${token}x`, `Bearer ${token} x`]) {
          const { body, headers, status } = yield* asked(port, wrong)
          assert.strictEqual(status, 401, wrong)
          assert.strictEqual(headers["www-authenticate"], "Bearer")
          assert.strictEqual(headers["content-type"], "application/problem+json")
          assert.notInclude(body, token)
          assert.notInclude(body, "troupe_")
        }
      }))
  }

  it.scoped("is not there in hosted mode without METRICS_TOKEN", () =>
    Effect.gen(function*() {
      const port = yield* started(makeFakes(), hosted)
      for (const authorization of [undefined, `Bearer ${token}`]) {
        const { body, status } = yield* asked(port, authorization)
        assert.strictEqual(status, 404)
        assert.include(body, "There is nothing at this path.")
      }
    }))

  it.scoped("counts requests by the template of their path, never by the path", () =>
    Effect.gen(function*() {
      const port = yield* started(makeFakes())
      const { of } = yield* growth(Effect.gen(function*() {
        yield* asked(port, undefined, "/health")
        yield* asked(port, undefined, "/task/zebra")
        yield* asked(port, undefined, "/task/giraffe?q=secret")
        yield* asked(port, undefined, "/no/such/place")
      }))
      const count = (route: string, status: string) =>
        of("troupe_http_requests_total", { method: "GET", route, status })
      assert.deepStrictEqual(
        [count("/health", "2xx"), count("/task/:task_id", "4xx"), count("none", "4xx")],
        [1, 2, 1]
      )
      assert.strictEqual(of("troupe_http_request_seconds_count", { method: "GET", route: "/task/:task_id" }), 2)
      const { body } = yield* asked(port)
      for (const text of ["zebra", "giraffe", "secret", "place"]) {
        assert.notMatch(body, new RegExp(`"[^"]*${text}[^"]*"`))
      }
    }))

  it.scoped("is answered by a worker on METRICS_PORT, by the same rules, and nothing else is", () =>
    Effect.gen(function*() {
      const port = yield* freePort
      yield* Layer.build(
        Layer.unwrapEffect(Effect.map(Settings, metrics)).pipe(
          Layer.provide(layerSettings({ METRICS_PORT: String(port), METRICS_TOKEN: token }))
        )
      )
      const { body, status } = yield* asked(port, `Bearer ${token}`)
      assert.strictEqual(status, 200)
      assert.include([...parsePrometheus(body).keys()], "troupe_http_requests_total")
      assert.strictEqual((yield* asked(port)).status, 401)
      assert.strictEqual((yield* asked(port, `Bearer ${token}`, "/tasks")).status, 404)
    }))
})
