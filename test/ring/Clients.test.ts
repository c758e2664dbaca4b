import { OtlpSerialization, OtlpTracer } from "@effect/opentelemetry"
import { FetchHttpClient } from "@effect/platform"
import { assert, layer } from "@effect/vitest"
import { createTroupe } from "@troupe/client"
import * as TroupeClient from "@troupe/client/TroupeClient"
import { TroupeRpc } from "@troupe/client/TroupeRpc"
import { Clock, Context, Effect, Layer, Ref, Scope } from "effect"
import { type Collector, collector, type Received } from "../support/Collector.ts"
import { troupeHere } from "../support/CommandLine.ts"
import { query } from "../support/Database.ts"
import { allEnded, type Deployment, makeDeployment, makePorts, shortLeases } from "../support/Deployment.ts"
import { type Environment, type ServiceProcess, start } from "../support/Processes.ts"
import { taskClient } from "../support/TaskClient.ts"
import { packedClient, runBundle, runPackedClient } from "./ClientPackage.ts"
import { commandLine } from "./CommandLine.ts"
import { examples, withExamples } from "./Examples.ts"
import { callByCommand, workTask, workTaskOfAgent } from "./McpTasks.ts"

/** One request of each client of ours. */
const requestsTo = (port: number) =>
  Effect.gen(function*() {
    const baseUrl = `http://127.0.0.1:${port}`
    const submitted = yield* troupeHere(port)(["submit", "Say hello"])
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

/** Cancels the tasks that others left, so that no more spans come of them. */
const cancelRest = (port: number, { url }: Deployment) =>
  query<{ id: string }>(url, "select task_id::text as id from actors where status not in ('completed', 'failed')").pipe(
    Effect.flatMap(Effect.forEach(({ id }) => taskClient(port).send("POST", `/task/${id}/cancel`, {})))
  )

/** The tracer of a program that exports all its spans. */
const tracerTo = (url: string) =>
  OtlpTracer.layer({ url: `${url}/v1/traces`, resource: { serviceName: "caller" } }).pipe(
    Layer.provide([OtlpSerialization.layerJson, FetchHttpClient.layer])
  )

/** A service of all roles that these tests share, in this order; the last but one kills it and starts it again. */
class Running extends Context.Tag("troupe/test/ring/Clients.test/Running")<Running, {
  readonly port: number
  readonly settings: Environment
  readonly deployment: Deployment
  readonly collector: Collector
  readonly service: Ref.Ref<ServiceProcess>
  readonly restart: Effect.Effect<void>
}>() {}

const running = Layer.scoped(
  Running,
  Effect.gen(function*() {
    const into = yield* collector
    const [deployment, ports] = [yield* makeDeployment(), yield* makePorts]
    const settings = { ...deployment.environment, ...shortLeases, ...ports.environment, ...withExamples }
    const scope = yield* Effect.scope
    const started = Effect.orDie(
      Scope.extend(start("all", { ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: into.url }), scope)
    )
    const service = yield* Effect.flatMap(started, Ref.make)
    const restart = Effect.flatMap(started, (next) => Ref.set(service, next))
    return { port: ports.http, settings, deployment, collector: into, service, restart }
  })
)

layer(running, { excludeTestServices: true, timeout: "180 seconds" })("The clients of a service", (it) => {
  it.scoped(
    "The command submits, watches, answers, cancels and retries the tasks of a running service",
    () => Effect.flatMap(Running, ({ port, settings }) => commandLine(port, settings)),
    180_000
  )

  it.scoped(
    "An MCP client makes a task, watches it, answers its question and reads its result and its file",
    () => Effect.flatMap(Running, ({ port }) => workTask(port)),
    180_000
  )

  it.scoped(
    "An agent makes a task over MCP, and another agent answers that",
    () => Effect.flatMap(Running, ({ port }) => workTaskOfAgent(port)),
    180_000
  )

  it.scoped(
    "The examples of the repository work against it",
    () => Effect.flatMap(Running, ({ port }) => examples(port)),
    180_000
  )

  it.scoped(
    "The packed client works from a fresh folder, on Node and in a browser bundle, and resumes over a restart of the "
      + "service; an MCP client of the troupe command is told that the service is gone",
    () =>
      Effect.gen(function*() {
        const { port, restart, service } = yield* Running
        const url = `http://127.0.0.1:${port}`
        const folder = yield* packedClient
        yield* runPackedClient(folder, url)
        const called = yield* callByCommand(port)
        const finished = yield* runBundle(folder, url)
        const killed = yield* Ref.get(service)
        yield* killed.signal("SIGKILL")
        yield* killed.ended
        yield* called
        yield* restart
        yield* finished
      }),
    180_000
  )

  it.scoped(
    "The traces in a collector are whole: a parent is there, be it the service's or a traced caller's",
    () =>
      Effect.gen(function*() {
        const { collector, deployment, port, service } = yield* Running
        yield* cancelRest(port, deployment)
        yield* allEnded(deployment.url, "60 seconds")
        const begin = yield* Clock.currentTimeNanos
        yield* requestsTo(port)
        yield* effectRequests(`http://127.0.0.1:${port}`).pipe(
          Effect.withSpan("caller"),
          Effect.provide(tracerTo(collector.url))
        )
        yield* allEnded(deployment.url, "60 seconds")
        const ending = yield* Ref.get(service)
        yield* ending.signal("SIGTERM")
        yield* ending.ended

        const spans = collector.spans().filter(({ startTimeUnixNano }) => BigInt(startTimeUnixNano) >= begin)
        const parentOf = ({ parentSpanId, traceId }: Received) =>
          spans.find((span) => span.spanId === parentSpanId && span.traceId === traceId)
        assert.deepStrictEqual(
          spans.filter((span) => span.parentSpanId !== undefined && parentOf(span) === undefined).map(({ name }) =>
            name
          ),
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
      }),
    180_000
  )
})
