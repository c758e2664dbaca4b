import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, FiberId, Logger, Option, Tracer } from "effect"
import * as OtlpTracing from "../../src/Runtime/Telemetry/OtlpTracing.ts"
import { type Collector, collector, sendingTo } from "../support/Collector.ts"
import { eventually } from "../support/Eventually.ts"

const options: OtlpTracing.TracingOptions = { version: "1.2.3", timeout: "5 seconds" }
const patient: OtlpTracing.TracingOptions = { version: "1.2.3", timeout: "1 minute" }

/** Runs the work with a tracer, to its end: then everything was sent that will be. */
const tracing = <A, E>(settings: OtlpTracing.TracingSettings, work: Effect.Effect<A, E>, how = options) =>
  Effect.scoped(Effect.flatMap(OtlpTracing.make(settings, how), (tracer) => Effect.withTracer(work, tracer)))

const many = (count: number) =>
  Effect.forEach(Array.from({ length: count }), () => Effect.withSpan(Effect.void, "commit"), { discard: true })

const named = (into: Collector, name: string) => into.spans().find((span) => span.name === name)

describe("Spans", () => {
  it.live("go to /v1/traces with their headers, under the name of the service", () =>
    Effect.scoped(Effect.gen(function*() {
      const into = yield* collector
      yield* tracing(sendingTo(`${into.url}/base/?tenant=a`), Effect.withSpan(Effect.void, "invoke_agent troupe"))
      assert.deepStrictEqual(into.paths, ["/base/v1/traces?tenant=a"])
      assert.strictEqual(into.headers[0]?.["api-key"], "a key")
      assert.deepStrictEqual(into.resources(), [{ "service.name": "troupe-test", "service.version": "1.2.3" }])
    })))

  it.live("of libraries stay in the process, and those within them belong to the span around them", () =>
    Effect.scoped(Effect.gen(function*() {
      const into = yield* collector
      const call = Effect.withSpan(Effect.void, "execute_tool echo", { attributes: { tool: "echo" } })
      const statement = Effect.withSpan(call, "sql.execute", { attributes: { text: "a secret" } })
      yield* tracing(
        sendingTo(into.url),
        Effect.all([statement, call], { concurrency: "unbounded" }).pipe(
          Effect.withSpan("invoke_agent troupe"),
          Effect.annotateSpans({ task_id: "t", epoch: 2 })
        )
      )
      const run = named(into, "invoke_agent troupe")
      assert.deepStrictEqual(run?.facts, { task_id: "t", epoch: 2 })
      const calls = into.spans().filter(({ name }) => name === "execute_tool echo")
      assert.lengthOf(into.spans(), 3)
      for (const { facts, parentSpanId, traceId } of calls) {
        assert.deepStrictEqual(facts, { task_id: "t", epoch: 2, tool: "echo" })
        assert.deepStrictEqual([parentSpanId, traceId], [run?.spanId, run?.traceId])
      }
      assert.notInclude(into.bodies.join(), "secret")
    })))

  it.live("of work that fails, dies or is interrupted have the class of the error, and no text of it", () =>
    Effect.scoped(Effect.gen(function*() {
      const into = yield* collector
      class Refused extends Error {
        override readonly name = "Refused"
      }
      yield* tracing(
        sendingTo(into.url),
        Effect.all([
          Effect.exit(Effect.withSpan(Effect.fail(new Refused("a secret")), "invoke_agent troupe")),
          Effect.exit(Effect.withSpan(Effect.die(new Error("a secret")), "model step")),
          Effect.exit(Effect.withSpan(Effect.failCause(Cause.interrupt(FiberId.none)), "tool step"))
        ])
      )
      assert.deepStrictEqual(named(into, "invoke_agent troupe")?.status, { code: 2, message: "Refused" })
      assert.deepStrictEqual(named(into, "model step")?.status, { code: 2, message: "Error" })
      assert.deepInclude(named(into, "tool step")?.facts, { "status.interrupted": true })
      assert.strictEqual(named(into, "tool step")?.status.code, 0)
      assert.deepStrictEqual(into.spans().flatMap(({ events }) => events), [])
      assert.notInclude(into.bodies.join(), "secret")
    })))

  it.live("are sampled at the ratio that is set, or by their caller's decision", () =>
    Effect.scoped(Effect.gen(function*() {
      const into = yield* collector
      const traceId = "11111111111111111111111111111111"
      const within = (sampled: boolean) => ({
        kind: "server" as const,
        parent: Tracer.externalSpan({ traceId, spanId: "2222222222222222", sampled })
      })
      const commit = Effect.withSpan(Effect.void, "commit")
      yield* tracing(
        sendingTo(into.url, { sampleRatio: 0 }),
        Effect.all([
          Effect.withSpan(commit, "invoke_agent troupe"),
          Effect.withSpan(commit, "GET", within(true)),
          Effect.withSpan(commit, "POST", within(false))
        ])
      )
      assert.deepStrictEqual(into.spans().map(({ name }) => name).sort(), ["GET", "commit"])
      assert.deepInclude(named(into, "GET"), { traceId, parentSpanId: "2222222222222222", kind: 2 })
    })))

  it.live("delay no work while the collector is unavailable, which is logged once, as is its return", () =>
    Effect.scoped(Effect.gen(function*() {
      const into = yield* collector
      into.status = 401
      const told: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => told.push(`${logLevel.label} ${String(message)}`))
      yield* Effect.provide(
        tracing(
          sendingTo(into.url),
          Effect.gen(function*() {
            const batch = many(512)
            for (const delivery of [1, 2, 3]) {
              yield* batch
              yield* eventually(Effect.sync(() => into.bodies.length), (count) => count === delivery)
            }
            yield* eventually(Effect.sync(() => told.length), (count) => count > 0)
            into.status = 200
            yield* batch
            yield* eventually(Effect.sync(() => told.length), (count) => count === 2)
          })
        ),
        Logger.replace(Logger.defaultLogger, logger)
      )
      assert.deepStrictEqual(told, [
        "WARN Exporting spans to OTEL_EXPORTER_OTLP_ENDPOINT failed (401); they are dropped until it works",
        "INFO Exporting spans to OTEL_EXPORTER_OTLP_ENDPOINT works again"
      ])
    })))

  it.live("wait in bounded numbers for a collector that is slow, and the rest are dropped", () =>
    Effect.scoped(Effect.gen(function*() {
      const into = yield* collector
      into.status = null
      yield* tracing(
        sendingTo(into.url),
        Effect.gen(function*() {
          yield* many(512)
          yield* eventually(Effect.sync(() => into.bodies.length), (count) => count === 1)
          yield* many(5000)
          into.status = 200
          into.release()
          // A shutdown would wait for a second at most.
          yield* eventually(Effect.sync(() => into.spans().length), (count) => count >= 512 + 2048)
        }),
        patient
      )
      assert.strictEqual(into.spans().length, 512 + 2048)
    })))

  it.live("delay a shutdown by a second at most", () =>
    Effect.scoped(Effect.gen(function*() {
      const into = yield* collector
      into.status = null
      // The collector never answers, and is waited for a minute; the test would run into its own limit.
      yield* tracing(sendingTo(into.url), many(10), patient)
      assert.strictEqual(into.bodies.length, 1)
    })))

  it.live("are off where no collector is set", () =>
    Effect.gen(function*() {
      const { sampled, spanId } = yield* Effect.useSpan("invoke_agent troupe", Effect.succeed)
      assert.deepStrictEqual({ sampled, spanId }, { sampled: false, spanId: "noop" })
    }).pipe(Effect.provide(OtlpTracing.layer(Option.none(), options))))
})
