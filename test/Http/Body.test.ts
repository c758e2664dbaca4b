import { HttpServer, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { ProblemError } from "@troupe/api/Problem"
import { Context, Effect, Layer, Schedule } from "effect"
import { createServer } from "node:http"
import { BodyLimits, discardRest, guarded } from "../../src/Http/Body.ts"
import { connected } from "./RawHttp.ts"

const limits = { jsonBytes: 1000, idleMillis: 400, totalMillis: 600, discardBytes: 100_000 }

/** A server that answers with the JSON that it read, or with the problem's status. */
const started = Effect.map(
  Layer.build(
    HttpServer.serve(
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => guarded(request, 1000).json).pipe(
        Effect.map((body) => HttpServerResponse.unsafeJson(body)),
        Effect.catchAll((problem: unknown) =>
          problem instanceof ProblemError
            ? HttpServerResponse.text(problem.type, { status: problem.status })
            : Effect.die(problem)
        ),
        Effect.tap(Effect.flatMap(HttpServerRequest.HttpServerRequest, discardRest)),
        Effect.provideService(BodyLimits, limits)
      )
    ).pipe(Layer.provideMerge(NodeHttpServer.layerServer(createServer, { port: 0, host: "127.0.0.1" })))
  ),
  (context) => {
    const { address } = Context.get(context, HttpServer.HttpServer)
    return address._tag === "TcpAddress" ? address.port : 0
  }
)

it.scopedLive("a sender that stops in the middle of its body is answered with a time-out", () =>
  Effect.gen(function*() {
    const { until, write } = yield* connected(yield* started)
    write("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\nabc")
    assert.match(yield* until((text) => text.includes("request-timeout")), /^HTTP\/1\.1 408/)
  }))

it.scopedLive("a refused sender that never stops is disconnected", () =>
  Effect.gen(function*() {
    const { closed, until, write } = yield* connected(yield* started)
    write("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000000\r\n\r\n")
    yield* until((text) => text.includes("too-large"))
    write("x".repeat(200_000))
    assert.match(yield* closed, /^HTTP\/1\.1 413/)
  }))

it.scopedLive("a sender that is too slow is answered with a time-out", () =>
  Effect.gen(function*() {
    const { until, write } = yield* connected(yield* started)
    write("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n")
    const received = yield* Effect.sync(() => write("x")).pipe(
      Effect.repeat(Schedule.spaced("50 millis")),
      Effect.raceFirst(until((text) => text.includes("request-timeout")))
    )
    assert.match(String(received), /^HTTP\/1\.1 408/)
  }).pipe(Effect.provideService(BodyLimits, { ...limits, idleMillis: 60_000 })))
