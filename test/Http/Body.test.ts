import { HttpServer, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { ProblemError } from "@troupe/api/Problem"
import { Context, Effect, Layer, Schedule } from "effect"
import { createServer } from "node:http"
import { BodyLimits, guarded } from "../../src/Http/Body.ts"
import { discardRest } from "../../src/Http/Discarding.ts"
import { stopwatch } from "../../src/Runtime/Metrics.ts"
import { connected, type Connection } from "./RawHttp.ts"

const limits = { jsonBytes: 1000, idleMillis: 400, totalMillis: 600, bytesPerSecond: 1000, discardBytes: 100_000 }

/** A server that answers with the JSON that it read, or with the problem's status. */
const started = Effect.map(
  Layer.build(
    HttpServer.serve(
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => guarded(request).json).pipe(
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

it.scopedLive("a sender that falls silent is told so instead of being waited for", () =>
  Effect.gen(function*() {
    const { until, write } = yield* connected(yield* started)
    write("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\nabc")
    assert.match(yield* until((text) => text.includes("request-timeout")), /^HTTP\/1\.1 408/)
  }))

it.scopedLive("a refused sender that never stops is cut off", () =>
  Effect.gen(function*() {
    const { closed, until, write } = yield* connected(yield* started)
    write("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000000\r\n\r\n")
    yield* until((text) => text.includes("too-large"))
    write("x".repeat(200_000))
    assert.match(yield* closed, /^HTTP\/1\.1 413/)
  }))

it.scopedLive("a sender that keeps sending too slowly is told so, and one with more to send gets more time", () =>
  Effect.gen(function*() {
    const port = yield* started
    const trickle = (connection: Connection, length: number, piece: string) =>
      Effect.gen(function*() {
        const elapsed = stopwatch()
        connection.write(
          `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`
        )
        yield* Effect.sync(() => connection.write(piece)).pipe(
          Effect.repeat(Schedule.spaced("50 millis")),
          Effect.raceFirst(connection.until((text) => text.startsWith("HTTP/1.1 408")))
        )
        return elapsed()
      })
    const small = yield* trickle(yield* connected(port), 100, "x")
    const large = yield* trickle(yield* connected(port), 1000, "x".repeat(40))
    assert.isAtLeast(small, 0.6)
    assert.isAbove(large, small + 0.2)
  }))
