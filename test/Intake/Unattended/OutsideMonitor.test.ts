import { assert, it } from "@effect/vitest"
import type { WorkerHealthReport } from "@troupe/api/Worker"
import { SearchUnfinished } from "@troupe/domain/Search"
import { Deferred, Effect, Either, Logger, Redacted, Tracer } from "effect"
import { makeBeat, makeMonitorRequest, MonitorUnreached } from "../../../src/Intake/Unattended/OutsideMonitor.ts"
import { serve } from "../../support/LocalServer.ts"

const report = (status: WorkerHealthReport["status"]): WorkerHealthReport => ({
  status,
  runners: [],
  pending_jobs: 0,
  oldest_pending: null,
  backlog_seconds: null,
  scheduled_jobs: []
})

it.effect("A monitor is requested while workers and database are healthy, and not else", () =>
  Effect.gen(function*() {
    let requests = 0
    const request = Effect.sync(() => void (requests += 1))
    for (const status of ["healthy", "degraded", "down"] as const) {
      yield* makeBeat({ report: Effect.succeed(report(status)) }, request)
    }
    yield* makeBeat({ report: Effect.fail(new SearchUnfinished({ reason: "busy" })) }, request)
    assert.strictEqual(requests, 1)
  }))

it.effect("A monitor that can't be requested is logged once, and when it can be again", () => {
  const logged: Array<string> = []
  const logger = Logger.replace(Logger.defaultLogger, Logger.make(({ message }) => void logged.push(String(message))))
  let reason: string | null = "refused"
  const request = Effect.suspend(() => reason === null ? Effect.void : new MonitorUnreached({ reason }))
  const beat = makeBeat({ report: Effect.succeed(report("healthy")) }, request)
  return Effect.gen(function*() {
    yield* beat
    yield* beat
    assert.lengthOf(logged, 1)
    assert.include(logged[0] ?? "", "refused")
    reason = null
    yield* beat
    yield* beat
    assert.lengthOf(logged, 2)
    reason = "again"
    yield* beat
    assert.lengthOf(logged, 3)
  }).pipe(Effect.provide(logger))
})

it.scopedLive("A request of a monitor ends in time, and its failure does not have the address", () =>
  Effect.gen(function*() {
    const paths: Array<string> = []
    const address = yield* serve((request, response) => {
      paths.push(`${request.method} ${request.url}`)
      if (request.url === "/hangs") return
      response.writeHead(request.url === "/secret" ? 200 : request.url === "/moved" ? 301 : 503).end("ok")
    })
    const asked = (path: string) =>
      Effect.flatMap(makeMonitorRequest(Redacted.make(new URL(path, address)), "200 millis"), Effect.either)
    assert.isTrue(Either.isRight(yield* asked("/secret")))
    const failures = yield* Effect.forEach(["/down", "/moved", "/hangs"], asked)
    const unreachable = yield* Effect.flatMap(
      makeMonitorRequest(Redacted.make(new URL("http://127.0.0.1:1/secret"))),
      Effect.either
    )
    const reasons = [...failures, unreachable].map(Either.match({ onLeft: ({ reason }) => reason, onRight: () => "" }))
    assert.deepStrictEqual(reasons.slice(0, 3), [
      "it answered with the status 503",
      "it answered with the status 301",
      "no response in time"
    ])
    assert.include(reasons[3] ?? "", "ECONNREFUSED")
    assert.notInclude(reasons.join(), "secret")
    assert.deepStrictEqual(paths, ["GET /secret", "GET /down", "GET /moved", "GET /hangs"])
  }))

it.scopedLive("A monitor's response that does not end is closed, and no span has the address", () =>
  Effect.gen(function*() {
    const closed = yield* Deferred.make<void>()
    const address = yield* serve((_, response) => {
      response.on("close", () => Deferred.unsafeDone(closed, Effect.void))
      response.writeHead(200).write("ok")
    })
    const span = yield* Effect.makeSpan("beat")
    const spans: Array<string> = []
    const tracer = Tracer.make({
      context: (run) => run(),
      span: (name) => {
        spans.push(name)
        return span
      }
    })
    const request = yield* makeMonitorRequest(Redacted.make(new URL("/secret", address)))
    yield* Effect.withTracer(request, tracer)
    yield* Deferred.await(closed)
    assert.deepStrictEqual(spans, [])
  }))
