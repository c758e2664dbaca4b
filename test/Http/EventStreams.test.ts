import { assert, describe, it } from "@effect/vitest"
import type { TaskEvent } from "@troupe/api/TaskEvent"
import { Deferred, Effect, Option, Ref, Stream } from "effect"
import { growth } from "../support/PrometheusText.ts"
import { endless, log, path, serving, watched } from "./eventStreams.ts"
import { request } from "./RawHttp.ts"

const done = {
  _tag: "status",
  id: "2.0",
  status: "completed",
  error: null,
  ended_by: "answer",
  end_label: null
} as const

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
