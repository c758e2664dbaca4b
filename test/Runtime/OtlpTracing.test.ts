import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, FiberId, Logger } from "effect"
import { make, type TracingOptions, type TracingSettings } from "../../src/Runtime/OtlpTracing.ts"
import { off, type Tracer } from "../../src/Runtime/Tracing.ts"
import { type Collector, collector, sendingTo } from "../support/Collector.ts"
import { eventually } from "../support/Eventually.ts"

const options: TracingOptions = { version: "1.2.3", patience: "300 millis" }
const patient: TracingOptions = { version: "1.2.3", patience: "1 minute" }

/** Runs the work with a tracer, to its end: then everything was sent that will be. */
const tracing = <A, E>(settings: TracingSettings, work: (tracer: Tracer) => Effect.Effect<A, E>, how = options) =>
  Effect.scoped(Effect.flatMap(make(settings, how), work))

const many = (tracer: Tracer, count: number) =>
  Effect.forEach(Array.from({ length: count }), () => tracer.traced({ name: "one" }, Effect.void), { discard: true })

const named = (into: Collector, name: string) => into.spans().find((span) => span.name === name)

describe("Spans", () => {
  it.live("go to /v1/traces with their headers, under the name of the service", () =>
    Effect.scoped(Effect.gen(function*() {
      const into = yield* collector
      yield* tracing(sendingTo(`${into.url}/base/?tenant=a`), (tracer) => tracer.traced({ name: "work" }, Effect.void))
      assert.deepStrictEqual(into.paths, ["/base/v1/traces?tenant=a"])
      assert.strictEqual(into.headers[0]?.["api-key"], "a key")
      assert.deepStrictEqual(into.resources(), [{ "service.name": "troupe-test", "service.version": "1.2.3" }])
    })))

  it.live("within others are their children, and tell the task and epoch of the one around them", () =>
    Effect.scoped(Effect.gen(function*() {
      const into = yield* collector
      yield* tracing(sendingTo(into.url), (tracer) =>
        Effect.succeed(7).pipe(
          (work) => tracer.traced({ name: "inner", ended: (n) => ({ facts: { n } }) }, work),
          (work) => Effect.all([work, work], { concurrency: "unbounded" }),
          (work) =>
            tracer.traced({
              name: "outer",
              facts: { task_id: "t", epoch: 2, other: true },
              begins: { name: "before", from: tracer.now() - 1000, to: tracer.now() - 500 }
            }, work)
        ))
      const outer = named(into, "outer")
      assert.deepStrictEqual(outer?.facts, { task_id: "t", epoch: 2, other: true })
      const inner = into.spans().filter(({ name }) => name === "inner")
      assert.deepStrictEqual(inner.map(({ facts }) => facts), [{ task_id: "t", epoch: 2, n: 7 }, {
        task_id: "t",
        epoch: 2,
        n: 7
      }])
      const before = named(into, "before")
      for (const span of [...inner, before]) {
        assert.deepStrictEqual([span?.parentSpanId, span?.traceId], [outer?.spanId, outer?.traceId])
      }
      assert.strictEqual(before?.startTimeUnixNano, outer?.startTimeUnixNano)
      assert.isBelow(Number(before?.endTimeUnixNano), Number(inner[0]?.startTimeUnixNano))
    })))

  it.live("of work that fails, dies or is interrupted say so, and nothing of why", () =>
    Effect.scoped(Effect.gen(function*() {
      const into = yield* collector
      class Refused extends Error {
        readonly _tag = "Refused"
      }
      yield* tracing(sendingTo(into.url), (tracer) =>
        Effect.all([
          Effect.exit(tracer.traced({ name: "fails" }, Effect.fail(new Refused("a secret")))),
          Effect.exit(tracer.traced({ name: "dies" }, Effect.die(new Error("a secret")))),
          Effect.exit(tracer.traced({ name: "stops" }, Effect.failCause(Cause.interrupt(FiberId.none))))
        ]))
      assert.deepStrictEqual(named(into, "fails")?.status, { code: 2, message: "Refused" })
      assert.deepStrictEqual(named(into, "dies")?.status, { code: 2, message: "defect" })
      assert.deepStrictEqual(named(into, "stops")?.facts, { interrupted: true })
      assert.strictEqual(named(into, "stops")?.status.code, 0)
      assert.notInclude(into.bodies.join(), "secret")
    })))

  it.live("are kept at the ratio that is set, and by their caller's wish", () =>
    Effect.scoped(Effect.gen(function*() {
      const into = yield* collector
      const trace = "11111111111111111111111111111111"
      const from = (flags: string) => ({ traceparent: `00-${trace}-2222222222222222-${flags}` })
      yield* tracing(sendingTo(into.url, { sampleRatio: 0 }), (tracer) =>
        Effect.all([
          tracer.traced({ name: "none" }, tracer.traced({ name: "none within" }, Effect.void)),
          tracer.traced({ name: "wanted", headers: from("01") }, tracer.traced({ name: "within" }, Effect.void)),
          tracer.traced({ name: "unwanted", headers: from("00") }, Effect.void),
          tracer.traced({ name: "malformed", headers: { traceparent: "00-zz" } }, Effect.void)
        ]))
      assert.deepStrictEqual(into.spans().map(({ name }) => name).sort(), ["wanted", "within"])
      assert.deepInclude(named(into, "wanted"), { traceId: trace, parentSpanId: "2222222222222222", kind: 2 })
    })))

  it.live("disturb nobody while the collector is away: the log tells of it once, and once of its return", () =>
    Effect.scoped(Effect.gen(function*() {
      const into = yield* collector
      into.status = 401
      const told: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => told.push(`${logLevel.label} ${String(message)}`))
      yield* Effect.provide(
        tracing(sendingTo(into.url), (tracer) =>
          Effect.gen(function*() {
            const batch = many(tracer, 512)
            for (const delivery of [1, 2, 3]) {
              yield* batch
              yield* eventually(Effect.sync(() => into.bodies.length), (count) => count === delivery)
            }
            yield* eventually(Effect.sync(() => told.length), (count) => count > 0)
            into.status = 200
            yield* batch
            yield* eventually(Effect.sync(() => told.length), (count) => count === 2)
          })),
        Logger.replace(Logger.defaultLogger, logger)
      )
      assert.deepStrictEqual(told, [
        "WARN Spans don't reach OTEL_EXPORTER_OTLP_ENDPOINT (401); until they do, they are dropped",
        "INFO Spans reach OTEL_EXPORTER_OTLP_ENDPOINT again"
      ])
    })))

  it.live("wait in bounded numbers for a collector that is slow, and the rest are dropped", () =>
    Effect.scoped(Effect.gen(function*() {
      const into = yield* collector
      into.status = null
      yield* tracing(sendingTo(into.url), (tracer) =>
        Effect.gen(function*() {
          yield* many(tracer, 512)
          yield* eventually(Effect.sync(() => into.bodies.length), (count) => count === 1)
          yield* many(tracer, 5000)
          into.status = 200
          into.release()
        }), patient)
      assert.strictEqual(into.spans().length, 512 + 2048)
    })))

  it.live("hold the end up for a second at most", () =>
    Effect.scoped(Effect.gen(function*() {
      const into = yield* collector
      into.status = null
      // The collector never answers, and is waited for a minute; the test would run into its own limit.
      yield* tracing(sendingTo(into.url), (tracer) => many(tracer, 10), patient)
      assert.strictEqual(into.bodies.length, 1)
    })))

  it("are nothing but the work itself where there are none", () => {
    const work = Effect.succeed(1)
    assert.strictEqual(off.traced({ name: "work" }, work), work)
    assert.isFalse(off.isOn)
  })
})
