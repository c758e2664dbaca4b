import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { metrics } from "../../src/apps/Http.ts"
import { Settings } from "../../src/Runtime/Settings/Settings.ts"
import { freePort } from "../support/Processes.ts"
import { growth, parsePrometheus } from "../support/PrometheusText.ts"
import { makeFakes } from "./Fakes.ts"
import { hosted } from "./hardening.ts"
import { isProblem, request } from "./RawHttp.ts"
import { layerSettings, onServer, started } from "./TestServer.ts"

const token = "0123456789abcdef0123456789abcdef"

const asked = (port: number, authorization?: string, path = "/metrics") =>
  request(port, { path, headers: authorization === undefined ? {} : { authorization } })

const isScrape = ({ headers, status, text }: Effect.Effect.Success<ReturnType<typeof asked>>) => {
  assert.strictEqual(status, 200)
  assert.strictEqual(headers["content-type"], "text/plain; version=0.0.4; charset=utf-8")
  assert.include([...parsePrometheus(text).keys()], "troupe_http_requests_total")
}

describe("GET /metrics", () => {
  onServer("is open on a self-hosted service, and counts requests by the template of their path", function*({ port }) {
    const { of } = yield* growth(Effect.forEach(
      ["/health", "/task/zebra", "/task/giraffe?q=secret", "/no/such/place"],
      (path) => asked(port, undefined, path)
    ))
    const count = (route: string, status: string) => of("troupe_http_requests_total", { method: "GET", route, status })
    assert.deepStrictEqual(
      [count("/health", "2xx"), count("/task/:task_id", "4xx"), count("none", "4xx")],
      [1, 2, 1]
    )
    assert.strictEqual(of("troupe_http_request_seconds_count", { method: "GET", route: "/task/:task_id" }), 2)
    const answer = yield* asked(port)
    isScrape(answer)
    for (const text of ["zebra", "giraffe", "secret", "place"]) {
      assert.notMatch(answer.text, new RegExp(`"[^"]*${text}[^"]*"`))
    }
  })

  it.scopedLive("asks for METRICS_TOKEN where it is set; a worker answers nothing else on METRICS_PORT", () =>
    Effect.gen(function*() {
      const port = yield* freePort
      const worker = layerSettings({ METRICS_PORT: String(port), METRICS_TOKEN: token })
      yield* Layer.build(Layer.unwrapEffect(Effect.map(Settings, metrics)).pipe(Layer.provide(worker)))
      assert.strictEqual((yield* asked(port, `Bearer ${token}`, "/tasks")).status, 404)
      for (const at of [port, yield* started(makeFakes(), { ...hosted, METRICS_TOKEN: token })]) {
        for (const right of [`Bearer ${token}`, `bearer ${token}`]) isScrape(yield* asked(at, right))
        for (const wrong of [undefined, "Bearer", token, `Basic ${token}`, `Bearer ${token}x`, `Bearer ${token} x`]) {
          const answer = yield* asked(at, wrong)
          isProblem(answer, 401, "unauthenticated")
          assert.strictEqual(answer.headers["www-authenticate"], "Bearer")
          assert.notMatch(answer.text, new RegExp(`${token}|troupe_`))
        }
      }
    }))
})
