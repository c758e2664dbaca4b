import { HttpClient } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { make } from "../../src/Runtime/Telemetry/OtlpTracing.ts"
import { collector, sendingTo } from "../support/Collector.ts"
import { type Fakes, makeFakes } from "./Fakes.ts"
import { started } from "./TestServer.ts"

const trace = "11111111111111111111111111111111"

const headers = {
  traceparent: `00-${trace}-2222222222222222-01`,
  authorization: "Bearer a-secret-token",
  cookie: "a-secret-cookie",
  "x-request-id": "request-7"
}

/** Without the trace that the client itself would send. */
const asked = (port: number, path: string) =>
  Effect.flatMap(
    HttpClient.HttpClient,
    (client) => HttpClient.withTracerPropagation(client, false).get(`http://127.0.0.1:${port}${path}`, { headers })
  ).pipe(Effect.provide(NodeHttpClient.layer))

/** The spans that requests for these paths leave. */
const spansOf = (paths: ReadonlyArray<string>, fakes: Fakes = makeFakes()) =>
  Effect.scoped(Effect.gen(function*() {
    const into = yield* collector
    yield* Effect.scoped(Effect.gen(function*() {
      const tracer = yield* make(sendingTo(into.url), { version: "test" })
      const port = yield* Effect.withTracer(started(fakes), tracer)
      yield* Effect.forEach(paths, (path) => asked(port, path))
    }))
    return { spans: into.spans(), sent: into.bodies.join() }
  }))

describe("The span of a request", () => {
  it.live("belongs to its caller's trace and has method, template and status, neither address nor headers", () =>
    Effect.gen(function*() {
      const { sent, spans } = yield* spansOf(["/tasks?q=a-secret-search", "/task/a-secret-id", "/a-secret/path"])
      assert.deepStrictEqual(
        spans.map(({ facts, kind, name, parentSpanId, status, traceId }) => ({
          facts,
          kind,
          name,
          parentSpanId,
          code: status.code,
          traceId
        })),
        [
          ["/tasks", 200],
          ["/task/:task_id", 404],
          [null, 404]
        ].map(([route, status]) => ({
          facts: {
            "http.request.method": "GET",
            "http.response.status_code": status,
            ...(route === null ? {} : { "http.route": route }),
            request_id: "request-7"
          },
          kind: 2,
          name: route === null ? "GET" : `GET ${route}`,
          parentSpanId: "2222222222222222",
          code: 0,
          traceId: trace
        }))
      )
      assert.notInclude(sent, "a-secret")
    }))

  it.live("shows that the service failed, without the cause", () =>
    Effect.gen(function*() {
      const fakes = makeFakes()
      fakes.list = Effect.die(new Error("a secret"))
      const { sent, spans } = yield* spansOf(["/tasks"], fakes)
      assert.deepStrictEqual(spans.map(({ facts, status }) => [facts["http.response.status_code"], status]), [[500, {
        code: 2
      }]])
      assert.notInclude(sent, "a secret")
    }))
})
