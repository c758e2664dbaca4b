import { OtlpSerialization, OtlpTracer } from "@effect/opentelemetry"
import { FetchHttpClient } from "@effect/platform"
import { assert } from "@effect/vitest"
import { createTroupe } from "@troupe/client"
import * as TroupeClient from "@troupe/client/TroupeClient"
import { TroupeRpc } from "@troupe/client/TroupeRpc"
import { Effect, Layer } from "effect"
import { collector, type Received } from "../support/Collector.ts"
import { troupeAt } from "../support/CommandLine.ts"
import { allEnded, makeDeployment, makePorts, processTest } from "../support/Deployment.ts"
import { start } from "../support/Processes.ts"

/** One request of each client of ours. */
const requestsTo = (port: number) =>
  Effect.gen(function*() {
    const baseUrl = `http://127.0.0.1:${port}`
    const submitted = yield* troupeAt(port)(["submit", "Say hello"])
    assert.strictEqual(submitted.code, 0, submitted.stderr)
    yield* Effect.promise(() => createTroupe({ url: baseUrl }).list())
    yield* effectRequests(baseUrl)
  })

const effectRequests = (baseUrl: string) =>
  Effect.gen(function*() {
    const client = yield* TroupeClient.TroupeClient
    yield* client.tasks.chat({ headers: {}, payload: { message: "Say hello" } })
    yield* Effect.flatMap(TroupeRpc, (rpc) => rpc.list({}))
  }).pipe(
    Effect.provide([TroupeClient.TroupeClient.layer({ baseUrl }), TroupeRpc.layer({ baseUrl })]),
    Effect.provide(FetchHttpClient.layer)
  )

/** The tracer of a program that exports all its spans. */
const tracerTo = (url: string) =>
  OtlpTracer.layer({ url: `${url}/v1/traces`, resource: { serviceName: "caller" } }).pipe(
    Layer.provide([OtlpSerialization.layerJson, FetchHttpClient.layer])
  )

processTest(
  "The traces in a collector are whole: a parent is there, be it the service's or a traced caller's",
  function*() {
    const into = yield* collector
    const deployment = yield* makeDeployment()
    const ports = yield* makePorts
    const service = yield* start("all", {
      ...deployment.environment,
      ...ports.environment,
      OTEL_EXPORTER_OTLP_ENDPOINT: into.url
    })
    yield* requestsTo(ports.http)
    yield* effectRequests(`http://127.0.0.1:${ports.http}`).pipe(
      Effect.withSpan("caller"),
      Effect.provide(tracerTo(into.url))
    )
    yield* allEnded(deployment.url, "60 seconds")
    yield* service.signal("SIGTERM")
    yield* service.ended

    const spans = into.spans()
    const parentOf = ({ parentSpanId, traceId }: Received) =>
      spans.find((span) => span.spanId === parentSpanId && span.traceId === traceId)
    assert.deepStrictEqual(
      spans.filter((span) => span.parentSpanId !== undefined && parentOf(span) === undefined).map(({ name }) => name),
      []
    )
    const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined)
    assert.strictEqual(new Set(roots.map(({ traceId }) => traceId)).size, roots.length)
    assert.deepStrictEqual(roots.map(({ name }) => name).sort(), [
      "GET /tasks",
      "POST /chat",
      "POST /chat",
      "POST /rpc",
      "caller",
      "invoke_agent troupe",
      "invoke_agent troupe",
      "invoke_agent troupe"
    ])
    const server = 2
    const caller = roots.find(({ name }) => name === "caller")
    assert.deepStrictEqual(
      spans.filter(({ kind, traceId }) => kind === server && traceId === caller?.traceId).map(({ name }) => name),
      ["POST /chat", "POST /rpc"]
    )
  }
)
