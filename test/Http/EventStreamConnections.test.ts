import { HttpServerResponse } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber, Scope, Stream, TestClock } from "effect"
import {
  type EventConnection,
  type EventStreams,
  makeEventStreams,
  makeStreamLimit
} from "../../src/Http/EventStreams.ts"
import { Shutdown } from "../../src/Http/NodeServer.ts"
import { endless, serving, watched } from "./eventStreams.ts"
import { makeFakes } from "./Fakes.ts"
import { connected, post } from "./RawHttp.ts"
import { started } from "./TestServer.ts"

describe("Between events", () => {
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

  const streams = (maxPerCaller = 10) =>
    Effect.flatMap(Shutdown, (shutdown) => makeEventStreams({ limit: makeStreamLimit(maxPerCaller), shutdown }))

  const quiet = HttpServerResponse.stream(Stream.never, { contentType: "text/event-stream" })

  /** A connection, and what was written to it beside the stream's events. */
  const makeConnection = () => {
    const written: Array<string> = []
    const write = (bytes: Uint8Array) => written.push(text(bytes)) > 0
    return { connection: { writable: true, writableNeedDrain: false, write }, written }
  }

  /** Reads a stream to its end; null where it was refused. */
  const read = (
    { open }: EventStreams,
    caller: string,
    connection: EventConnection = makeConnection().connection
  ) => {
    const body = open(quiet, caller, connection)?.body
    return body?._tag === "Stream" ? Effect.fork(Stream.runDrain(body.stream)) : null
  }
  const refused = Effect.die("The stream was refused")

  it.scoped("a comment every 15 seconds keeps the connection open, and a shutdown ends it", () =>
    Effect.gen(function*() {
      const shutdown = yield* Shutdown
      const { connection, written } = makeConnection()
      const reader = yield* read(yield* streams(), "someone", connection) ?? refused
      yield* TestClock.adjust("44 seconds")
      assert.deepStrictEqual(written, ["retry: 2000\n\n", ": still here\n\n", ": still here\n\n"])
      connection.writableNeedDrain = true
      yield* TestClock.adjust("15 seconds")
      assert.strictEqual(written.length, 3, "a reader that is behind gets no comment")
      yield* shutdown.begin
      assert.isTrue(Exit.isInterrupted(yield* Fiber.await(reader)))
    }).pipe(Effect.provide(Shutdown.layer)))

  it.scoped("one ticker serves all streams, each at its own second", () =>
    Effect.gen(function*() {
      const opened = yield* streams(1000)
      const { connection, written } = makeConnection()
      for (let second = 0; second < 15; second++) {
        for (let index = 0; index < 10; index++) yield* read(opened, "someone", connection) ?? refused
        yield* TestClock.adjust("1 second")
      }
      for (let second = 0; second < 15; second++) {
        const before = written.length
        yield* TestClock.adjust("1 second")
        assert.strictEqual(written.length - before, 10)
      }
    }).pipe(Effect.provide(Shutdown.layer)))

  it.scoped("a caller has no more streams than it may, and may open another when one has ended", () =>
    Effect.gen(function*() {
      const opened = yield* streams(2)
      const first = yield* read(opened, "one") ?? refused
      yield* read(opened, "one") ?? refused
      yield* TestClock.adjust("1 second")
      assert.isNull(read(opened, "one"))
      assert.isNotNull(read(opened, "other"))
      yield* Fiber.interrupt(first)
      assert.isNotNull(read(opened, "one"))
    }).pipe(Effect.provide(Shutdown.layer)))

  it.scoped("other answers are unchanged", () =>
    Effect.gen(function*() {
      const page = HttpServerResponse.text("hello")
      const { open } = yield* streams(0)
      assert.strictEqual(open(page, "someone", makeConnection().connection), page)
    }).pipe(Effect.provide(Shutdown.layer)))
})

describe("Stopping", () => {
  it.live("open live views end, a request in flight is answered, and the server stops within 5 s", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const { fakes, port } = yield* Scope.extend(serving(endless), scope)
      const view = yield* Scope.extend(watched(port), scope)
      yield* view.until((text) => text.includes("event: log"))

      const entered = yield* Deferred.make<void>()
      const proceed = yield* Deferred.make<void>()
      const { submit } = fakes
      fakes.submit = (request) =>
        Deferred.succeed(entered, undefined).pipe(
          Effect.zipRight(Deferred.await(proceed)),
          Effect.zipRight(submit(request))
        )
      const inFlight = yield* Effect.fork(post(port, "/chat", { message: "b" }))
      yield* Deferred.await(entered)
      const stopped = yield* Effect.fork(Effect.timed(Scope.close(scope, Exit.void)))
      yield* view.closed
      yield* Deferred.succeed(proceed, undefined)
      assert.strictEqual((yield* inFlight).status, 202)
      const [took] = yield* stopped
      assert.isBelow(Duration.toMillis(took), 5000)
    }))

  it.scopedLive("does not wait for a connection without a request", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const port = yield* Scope.extend(started(makeFakes()), scope)
      yield* connected(port)
      const [took] = yield* Effect.timed(Scope.close(scope, Exit.void))
      assert.isBelow(Duration.toMillis(took), 5000)
    }))
})
