import { FetchHttpClient, HttpBody, HttpClient, HttpClientRequest } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { ProblemError } from "@troupe/api/Problem"
import type { TaskEvent } from "@troupe/api/TaskEvent"
import { TroupeRpc } from "@troupe/client/TroupeRpc"
import { Context, Deferred, Effect, Layer, Option, Stream } from "effect"
import { PostLimits } from "../../src/Http/RpcHttp.ts"
import { type Fakes, idOf, makeFakes } from "./Fakes.ts"
import { hosted, signedInUsers } from "./hardening.ts"
import { connected as rawConnected, request } from "./RawHttp.ts"
import { onServer, started } from "./TestServer.ts"

const call = (tag: string, payload: unknown = {}, id = "1") =>
  JSON.stringify({ _tag: "Request", id, tag, payload, headers: [] })

/** Tasks whose streams never end. */
const endless = (): Fakes =>
  Object.assign(makeFakes(), {
    events: () => Stream.concat(Stream.make<Array<TaskEvent>>({ _tag: "text", delta: "x" }), Stream.never)
  })

const post = (
  port: number,
  body: string,
  { "content-type": type = "application/ndjson", ...headers }: Readonly<Record<string, string>> = {}
) =>
  HttpClientRequest.post(`http://127.0.0.1:${port}/rpc`, { headers, body: HttpBody.text(body, type) }).pipe(
    HttpClient.execute,
    Effect.flatMap(({ headers, status, text }) => Effect.map(text, (text) => ({ status, headers, text }))),
    Effect.provide(FetchHttpClient.layer)
  )

const posted = (body: string, more = "") =>
  `POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/ndjson\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`

/** A stream that has begun. */
const watching = Effect.fnUntraced(function*(port: number, body: string, authorization: string) {
  const raw = yield* rawConnected(port)
  raw.write(posted(body, `Authorization: ${authorization}\r\n`))
  yield* raw.until((text) => text.includes("Chunk"))
})

describe("A body of JSON lines", () => {
  onServer("is answered line by line, also without a line end", function*({ port }) {
    const answer = yield* post(port, `${call("submit", { message: "m" }, "1")}\n\n${call("list", {}, "2")}`)
    assert.strictEqual(answer.status, 200)
    assert.strictEqual(answer.headers["content-type"], "application/ndjson")
    const exits = answer.text.trim().split("\n").map((line) => JSON.parse(line))
    assert.deepStrictEqual(exits.map(({ requestId }) => requestId).sort(), ["1", "2"])
    for (const { exit } of exits) assert.strictEqual(exit._tag, "Success")
  })

  onServer("that is none of messages is a problem that says what is wrong", function*({ fakes, port }) {
    const deep = `${"[".repeat(70)}${"]".repeat(70)}`
    const wrong: ReadonlyArray<readonly [body: string, detail: RegExp]> = [
      ["{", /not a message/],
      ["null", /not a message/],
      [JSON.stringify({ _tag: "Request", id: "x", tag: "submit" }), /1 to 18 digits/],
      [call("remove"), /tag: one of submit, get/],
      [call("submit", { message: "a\u0000b" }), /NUL/],
      [
        Array.from({ length: 9 }, (_, i) => call("submit", { message: "m" }, String(i))).join("\n"),
        /at most 8 calls/
      ],
      [["1", "2"].map((id) => call("watch", { task_id: idOf(1) }, id)).join("\n"), /at most one call of a stream/],
      [`{"_tag":"Request","id":"1","tag":"submit","payload":${deep}}`, /64 levels/]
    ]
    for (const [body, detail] of wrong) {
      const answer = yield* post(port, body)
      assert.strictEqual(answer.status, 400, body)
      assert.match(answer.text, detail)
    }
    assert.strictEqual((yield* post(port, call("list"), { "content-type": "text/plain" })).status, 415)
    assert.strictEqual((yield* post(port, " ".repeat(2 ** 20 + 1))).status, 413)
    assert.strictEqual((yield* request(port, { path: "/rpc" })).status, 405)
    assert.deepStrictEqual(fakes.submitted, [])
  })

  onServer("names the field of a payload that does not fit", function*({ port }) {
    const answer = yield* post(port, call("submit", { message: " ", title: 7 }))
    assert.strictEqual(answer.status, 400)
    const { errors } = JSON.parse(answer.text)
    assert.deepStrictEqual(errors.map(({ path }: { path: string }) => path).sort(), ["message", "title"])
  })
})

describe("A defect", () => {
  it.scopedLive("is a problem without its text, and ends no other call", () =>
    Effect.gen(function*() {
      const fakes = endless()
      const baseUrl = `http://127.0.0.1:${yield* started(fakes)}`
      const rpc = Context.get(
        yield* Layer.build(Layer.provide(TroupeRpc.layer({ baseUrl }), FetchHttpClient.layer)),
        TroupeRpc
      )
      yield* rpc.submit({ message: "m" })
      const pull = yield* Stream.toPull(rpc.watch({ task_id: idOf(1) }))
      yield* pull
      fakes.submit = () => Effect.die("a secret")
      const error = yield* Effect.flip(rpc.submit({ message: "m" }))
      assert.instanceOf(error, ProblemError)
      assert.strictEqual(error.status, 500)
      assert.notInclude(JSON.stringify(error), "secret")
      assert.notStrictEqual(error.instance, "")
      assert.isTrue(Option.isNone(yield* Effect.timeoutOption(pull, "50 millis")))
    }))
})

describe("A caller that reads nothing", () => {
  const large: TaskEvent = { _tag: "text", delta: "x".repeat(100_000) }

  /** A fakes whose stream never ends, and what waits for that a caller has ended it. */
  const flooding = Effect.map(Deferred.make<void>(), (ended) => {
    const fakes = makeFakes()
    fakes.events = () =>
      Stream.concat(Stream.range(1, 200).pipe(Stream.rechunk(1), Stream.as(large)), Stream.never).pipe(
        Stream.ensuring(Deferred.succeed(ended, undefined))
      )
    return { fakes, ended: Effect.timeout(Deferred.await(ended), "15 seconds") }
  })

  it.scopedLive("of a POST is disconnected", () =>
    Effect.gen(function*() {
      const { ended, fakes } = yield* flooding
      const port = yield* Effect.provideService(started(fakes), PostLimits, { stallMillis: 200 })
      yield* post(port, call("submit", { message: "m" }))
      const raw = yield* rawConnected(port)
      raw.socket.pause()
      const body = call("watch", { task_id: idOf(1) })
      raw.write(posted(body))
      yield* ended
    }))
})

describe("The caller of a procedure", () => {
  it.scopedLive("is that of the request's token, for each call, and is refused before anything is read", () =>
    Effect.gen(function*() {
      const fakes = makeFakes()
      const port = yield* started(fakes, {}, signedInUsers)
      const [ann, stranger] = [{ authorization: "Bearer user-ann" }, { authorization: "Bearer stranger" }]
      assert.include((yield* post(port, call("submit", { message: "m" }), ann)).text, "Success")
      assert.strictEqual(fakes.submitted[0]?.user_id, "ann")
      assert.include((yield* post(port, call("submit", { message: "m", user_id: "bea" }), ann)).text, "NotAllowed")
      const none = yield* post(port, "{")
      assert.deepStrictEqual([none.status, none.headers["www-authenticate"]], [401, "Bearer"])
      assert.strictEqual((yield* post(port, "{", stranger)).status, 403)
    }))

  it.scopedLive("is the user, not the address, for what is limited", () =>
    Effect.gen(function*() {
      const fakes = endless()
      const limits = {
        ...hosted,
        RATE_LIMIT_PER_MINUTE: "4",
        MAX_EVENT_STREAMS_PER_CALLER: "1"
      }
      const port = yield* started(fakes, limits, signedInUsers)
      for (const name of ["ann", "bob"]) {
        const authorization = `Bearer user-${name}`
        assert.include((yield* post(port, call("submit", { message: "m" }), { authorization })).text, "Success")
        yield* watching(port, call("watch", { task_id: idOf(1) }, "2"), authorization)
        const watch = call("watch", { task_id: idOf(1) })
        assert.include((yield* post(port, watch, { authorization })).text, "too-many-streams")
        const path = `/task/${idOf(1)}/events`
        assert.match((yield* request(port, { path, headers: { authorization } })).text, /too-many-streams/)
      }
      const other = yield* request(port, { path: "/api/version" })
      assert.match(other.headers["ratelimit"] ?? "", /r=3;/, "nothing else was counted for the address")
    }))
})
