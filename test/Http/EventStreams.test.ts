import { HttpServerResponse } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import type { TaskEvent } from "@troupe/api/TaskEvent"
import { Deferred, Duration, Effect, Exit, Fiber, Option, Ref, Scope, Stream, TestClock } from "effect"
import {
  type EventConnection,
  type EventStreams,
  makeEventStreams,
  makeStreamLimit
} from "../../src/Http/EventStreams.ts"
import { Shutdown } from "../../src/Http/NodeServer.ts"
import { growth } from "../support/PrometheusText.ts"
import { type Fakes, idOf, makeFakes } from "./Fakes.ts"
import { connected, post, request } from "./RawHttp.ts"
import { started } from "./TestServer.ts"

const entry = {
  id: "1.0",
  timestamp: "2026-01-01T00:00:00.000Z",
  level: "info",
  event: "status",
  message: "two\nlines",
  data: null
} as const
const log = { _tag: "log", id: "1.0", entry } as const
const done = {
  _tag: "status",
  id: "2.0",
  status: "completed",
  error: null,
  ended_by: "answer",
  end_label: null
} as const

const path = `/task/${idOf(1)}/events`

/** A server with a task that has these events. */
const serving = (events: Fakes["events"], settings: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function*() {
    const fakes = makeFakes()
    fakes.events = events
    const port = yield* started(fakes, settings)
    yield* post(port, "/chat", { message: "a" })
    return { fakes, port }
  })

const watched = (port: number) =>
  Effect.tap(
    connected(port),
    ({ write }) => Effect.sync(() => write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`))
  )

const endless = () => Stream.concat(Stream.make(log), Stream.never)

describe("An event stream", () => {
  it.scopedLive("has frames with id, event and data, and ends after the terminal status", () =>
    Effect.gen(function*() {
      const events = [log, { _tag: "text", delta: "Hel" }, done] as const
      const { port } = yield* serving(() => Stream.fromIterable<TaskEvent>(events))
      const { until } = yield* watched(port)
      const received = yield* until((text) => text.endsWith("0\r\n\r\n"))
      const [head = "", ...rest] = received.split("\r\n\r\n")
      assert.match(head, /^HTTP\/1\.1 200/)
      assert.match(head, /content-type: text\/event-stream/i)
      assert.match(head, /cache-control: no-store/i)
      assert.match(head, /x-accel-buffering: no/i)
      assert.notMatch(head, /content-length/i)
      const body = rest.join("")
      assert.include(body, "retry: ")
      assert.include(body, `id: 1.0\nevent: log\ndata: {"id":"1.0"`)
      assert.include(body, `event: text\ndata: {"delta":"Hel"}\n\n`)
      assert.include(
        body,
        `id: 2.0\nevent: status\ndata: {"status":"completed","error":null,"ended_by":"answer","end_label":null}\n\n`
      )
    }))

  it.scopedLive("resumes behind the event that the header or the query names", () =>
    Effect.gen(function*() {
      const asked: Array<Option.Option<string>> = []
      const { fakes, port } = yield* serving((after) => {
        asked.push(after)
        return Stream.make(done)
      })
      fakes.allEvents = (after) => {
        asked.push(after)
        return Stream.empty
      }
      for (const [stream, id] of [[path, "1.0"], ["/events", "7"]] as const) {
        yield* request(port, { path: stream, headers: { "last-event-id": id } })
        yield* request(port, { path: `${stream}?last_event_id=${id}` })
        yield* request(port, { path: stream })
        assert.deepStrictEqual(asked.splice(0), [Option.some(id), Option.some(id), Option.none()])
      }
      const wrong = yield* request(port, { path: "/events", headers: { "last-event-id": "yesterday" } })
      assert.strictEqual(wrong.status, 400)
      assert.include(wrong.text, "the id of an event of this stream")
    }))

  it.scopedLive("ends at once when its reader disconnects", () =>
    Effect.gen(function*() {
      const ended = yield* Deferred.make<void>()
      const { port } = yield* serving(() => Stream.ensuring(endless(), Deferred.succeed(ended, undefined)))
      const { socket, until } = yield* watched(port)
      yield* until((text) => text.includes("event: log"))
      socket.destroy()
      yield* Effect.timeout(Deferred.await(ended), "10 seconds")
    }))

  it.scopedLive("pauses while its reader reads nothing, instead of filling memory", () =>
    Effect.gen(function*() {
      const produced = yield* Ref.make(0)
      const large: TaskEvent = { _tag: "text", delta: "x".repeat(100_000) }
      const { port } = yield* serving(() =>
        Stream.repeatEffect(Effect.as(Ref.update(produced, (n) => n + 1), large)).pipe(Stream.rechunk(1))
      )
      const { socket } = yield* watched(port)
      socket.pause()
      const settled: Effect.Effect<number> = Effect.gen(function*() {
        const before = yield* Ref.get(produced)
        yield* Effect.sleep("300 millis")
        return before > 0 && before === (yield* Ref.get(produced)) ? before : yield* settled
      })
      assert.isBelow(yield* Effect.timeout(settled, "8 seconds"), 1000)
    }))

  it.scopedLive("beyond the caller's limit is refused with a problem that says what to do", () =>
    Effect.gen(function*() {
      const { port } = yield* serving(endless, { MAX_EVENT_STREAMS_PER_CALLER: "1" })
      const first = yield* watched(port)
      yield* first.until((text) => text.includes("event: log"))
      const { of, result: answer } = yield* growth(request(port, { path }))
      assert.strictEqual(answer.status, 429)
      const requests = { method: "GET", route: "/task/:task_id/events" }
      assert.strictEqual(of("troupe_http_requests_total", { ...requests, status: "4xx" }), 1)
      assert.strictEqual(of("troupe_http_requests_total", { ...requests, status: "2xx" }), 0)
      assert.strictEqual(answer.headers["content-type"], "application/problem+json")
      assert.strictEqual(answer.headers["retry-after"], "10")
      assert.include(answer.text, "MAX_EVENT_STREAMS_PER_CALLER")
    }))
})

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
