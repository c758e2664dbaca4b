import { assert, describe, it } from "@effect/vitest"
import type { AnyTaskEvent, TaskEvent } from "@troupe/api/TaskEvent"
import { Deferred, Effect, Option, Ref, Stream } from "effect"
import { growth } from "../support/PrometheusText.ts"
import { log, path, watched } from "./events.ts"
import { idOf, makeFakes } from "./Fakes.ts"
import { post, request } from "./RawHttp.ts"
import { onServer, started } from "./TestServer.ts"

const done = { _tag: "status", id: "2.0", status: "completed", error: null } as const

describe("Live view of a task", () => {
  it.scopedLive("frames carry id, event and data, and the stream ends after the terminal status", () =>
    Effect.gen(function*() {
      const fakes = makeFakes()
      fakes.events = () => Stream.fromIterable<TaskEvent>([log, { _tag: "text", delta: "Hel" }, done])
      const port = yield* started(fakes)
      yield* post(port, "/chat", { message: "a" })
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
      assert.include(body, `id: 2.0\nevent: status\ndata: {"status":"completed","error":null}\n\n`)
    }))

  it.scopedLive("a reader resumes behind the event it names in the header or the query", () =>
    Effect.gen(function*() {
      const fakes = makeFakes()
      const asked: Array<Option.Option<string>> = []
      fakes.events = (after) => {
        asked.push(after)
        return Stream.make(done)
      }
      const port = yield* started(fakes)
      yield* post(port, "/chat", { message: "a" })
      yield* request(port, { path, headers: { "last-event-id": "1.0" } })
      yield* request(port, { path: `${path}?last_event_id=1.1` })
      yield* request(port, { path })
      assert.deepStrictEqual(asked, [Option.some("1.0"), Option.some("1.1"), Option.none()])
    }))

  it.scopedLive("a reader that disconnects ends its stream at once", () =>
    Effect.gen(function*() {
      const fakes = makeFakes()
      const ended = yield* Deferred.make<void>()
      fakes.events = () =>
        Stream.concat(Stream.make(log), Stream.never).pipe(Stream.ensuring(Deferred.succeed(ended, undefined)))
      const port = yield* started(fakes)
      yield* post(port, "/chat", { message: "a" })
      const { socket, until } = yield* watched(port)
      yield* until((text) => text.includes("event: log"))
      socket.destroy()
      yield* Effect.timeout(Deferred.await(ended), "10 seconds")
    }))

  it.scopedLive("a reader that doesn't read pauses the stream instead of filling memory", () =>
    Effect.gen(function*() {
      const fakes = makeFakes()
      const produced = yield* Ref.make(0)
      const large: TaskEvent = { _tag: "text", delta: "x".repeat(100_000) }
      fakes.events = () =>
        Stream.repeatEffect(Effect.as(Ref.update(produced, (n) => n + 1), large)).pipe(Stream.rechunk(1))
      const port = yield* started(fakes)
      yield* post(port, "/chat", { message: "a" })
      const { socket } = yield* watched(port)
      socket.pause()
      const settled: Effect.Effect<number> = Effect.gen(function*() {
        const before = yield* Ref.get(produced)
        yield* Effect.sleep("300 millis")
        return before > 0 && before === (yield* Ref.get(produced)) ? before : yield* settled
      })
      assert.isBelow(yield* Effect.timeout(settled, "8 seconds"), 1000)
    }))

  onServer("an unknown task is a problem, not a stream", function*({ port }) {
    const answer = yield* request(port, { path })
    assert.strictEqual(answer.status, 404)
    assert.strictEqual(answer.headers["content-type"], "application/problem+json")
  })
})

describe("Live view of all tasks", () => {
  it.scopedLive("has frames with the id of their task, and resumes behind an event", () =>
    Effect.gen(function*() {
      const fakes = makeFakes()
      const asked: Array<Option.Option<string>> = []
      const id = `7.${idOf(1)}.1.0`
      fakes.allEvents = (after) => {
        asked.push(after)
        return Stream.make<Array<AnyTaskEvent>>(
          { _tag: "position", id: "7" },
          { ...log, task_id: idOf(1), id },
          { ...done, task_id: idOf(1), id: `7.${idOf(1)}.1.1` }
        )
      }
      const port = yield* started(fakes)
      const { text } = yield* request(port, { path: "/events" })
      assert.include(text, `id: 7\nevent: position\ndata: {}\n\n`)
      assert.include(text, `id: ${id}\nevent: log\ndata: {"task_id":"${idOf(1)}","id":"1.0"`)
      assert.include(text, `event: status\ndata: {"task_id":"${idOf(1)}","status":"completed","error":null}\n\n`)
      yield* request(port, { path: "/events", headers: { "last-event-id": id } })
      yield* request(port, { path: "/events?last_event_id=7" })
      assert.deepStrictEqual(asked, [Option.none(), Option.some(id), Option.some("7")])
      const wrong = yield* request(port, { path: "/events", headers: { "last-event-id": "yesterday" } })
      assert.strictEqual(wrong.status, 400)
      assert.include(wrong.text, "the id of an event of this stream")
    }))
})

describe("Event streams of one caller", () => {
  it.scopedLive("beyond the limit are refused with a problem that says what to do", () =>
    Effect.gen(function*() {
      const fakes = makeFakes()
      fakes.events = () => Stream.concat(Stream.make(log), Stream.never)
      const port = yield* started(fakes, { MAX_EVENT_STREAMS_PER_CALLER: "1" })
      yield* post(port, "/chat", { message: "a" })
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
