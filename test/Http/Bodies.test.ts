import { assert, describe, it } from "@effect/vitest"
import { serversRule } from "@troupe/api/ToolServersApi"
import { Effect, Schedule } from "effect"
import { BodyLimits } from "../../src/Http/Body.ts"
import { idOf, makeFakes } from "./Fakes.ts"
import { message } from "./hardening.ts"
import { connected, exchange, isProblem, post, request } from "./RawHttp.ts"
import { onServer, started } from "./TestServer.ts"

describe("Bodies", () => {
  onServer("a body over 1 MiB is refused, and the connection stays open", function*({ port }) {
    const connection = yield* connected(port)
    const body = JSON.stringify({ message: "x".repeat(3 * 1024 * 1024) })
    isProblem(yield* exchange(connection, port, { method: "POST", path: "/chat", body }), 413, "too-large")
    const next = yield* exchange(connection, port, { method: "POST", path: "/chat", body: JSON.stringify(message) })
    assert.strictEqual(next.status, 202)
  })

  onServer(
    "a sender with Connection: close reads the refusal even after it has sent its whole body",
    function*({ port }) {
      const body = Buffer.alloc(16 * 1024 * 1024, "x")
      const refusals = [
        { path: "/chat", status: 413 },
        { path: "/chat", status: 415, type: "text/plain" },
        { path: "/nothing", status: 404 },
        { path: "/tasks", status: 405 },
        { path: "/chat?%ff", status: 400 }
      ]
      for (const { path, status, type = "application/json" } of refusals) {
        const { socket, ...connection } = yield* connected(port)
        let failure: Error | null = null
        socket.on("error", (error) => (failure = error))
        socket.pause()
        const sent = Effect.async<void>((resume) => {
          connection.write(
            `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nConnection: close\r\n`
              + `Content-Length: ${body.length}\r\n\r\n`
          )
          socket.write(body, () => resume(Effect.void))
        })
        yield* sent
        socket.resume()
        assert.match(yield* connection.closed, new RegExp(`^HTTP/1.1 ${status} [^]*/problems/`))
        assert.isNull(failure)
      }
    }
  )

  onServer("a chunked body over 1 MiB is refused while it is still being sent", function*({ port }) {
    const connection = yield* connected(port)
    connection.write(
      `POST /chat HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
    )
    for (let i = 0; i < 20; i++) connection.write(`10000\r\n${"x".repeat(0x10000)}\r\n`)
    const received = yield* connection.until((text) => text.includes("/problems/too-large"))
    assert.match(received, /^HTTP\/1\.1 413/)
    connection.write("0\r\n\r\n")
    const next = yield* exchange(connection, port, { path: "/health" })
    assert.strictEqual(next.status, 200)
  })

  onServer("a body of exactly 1 MiB is read", function*({ port }) {
    const body = `{"message":"hi"${" ".repeat(1024 * 1024 - 16)}}`
    assert.strictEqual(body.length, 1024 * 1024)
    assert.strictEqual((yield* request(port, { method: "POST", path: "/chat", body })).status, 202)
  })

  onServer("what is not JSON, not UTF-8 or nested too deep is 400 with errors", function*({ port }) {
    const invalid = [
      `{"message": `,
      ``,
      `{"message":"a"} x`,
      Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
      `{"message":"a","deep":${"[".repeat(65)}${"]".repeat(65)}}`,
      "[".repeat(20_000)
    ]
    for (const body of invalid) {
      const problem = isProblem(
        yield* request(port, { method: "POST", path: "/chat", body }),
        400,
        "invalid-request"
      )
      assert.strictEqual(problem.errors?.length, 1)
    }
  })

  onServer("an empty body of JSON is an object without fields", function*({ port }) {
    const { location } = (yield* post(port, "/chat", message)).headers
    const headers = { "content-type": "application/json" }
    const empty = { method: "POST", path: `${location}/cancel`, headers }
    assert.strictEqual((yield* request(port, empty)).status, 202)
    assert.strictEqual((yield* request(port, { ...empty, body: "" })).status, 202)
    isProblem(yield* request(port, { ...empty, body: " " }), 400, "invalid-request")
    const problem = isProblem(yield* request(port, { ...empty, path: "/chat" }), 400, "invalid-request")
    assert.deepStrictEqual(problem.errors?.map(({ path }) => path), ["message"])
  })

  onServer(
    "NUL and half surrogate pairs are refused with their path; an escaped backslash is not",
    function*({ port }) {
      for (const text of ["a\0b", "\ud800", "\udc00x"]) {
        const problem = isProblem(
          yield* post(port, "/chat", { message: "a", attachments: ["b", text] }),
          400,
          "invalid-request"
        )
        assert.deepStrictEqual(problem.errors?.map(({ path }) => path), ["attachments.1"])
      }
      assert.strictEqual((yield* post(port, "/chat", { message: "\\u0000 and \u{1F600}" })).status, 202)
      isProblem(yield* request(port, { path: "/tasks?q=%00" }), 400, "invalid-request")
    }
  )

  onServer("other content types than JSON are 415, and make no task", function*({ fakes, port }) {
    const types = [
      "",
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/octet-stream",
      "text/plain; application/json",
      "application/json; charset=utf-16",
      "application/jsonx"
    ]
    for (const type of types) {
      isProblem(yield* post(port, "/chat", message, { "content-type": type }), 415, "unsupported-media-type")
    }
    const form = yield* request(port, {
      method: "POST",
      path: "/chat",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "message=hello"
    })
    isProblem(form, 415, "unsupported-media-type")
    assert.strictEqual(fakes.submitted.length, 0)
    assert.strictEqual(
      (yield* post(port, "/chat", message, { "content-type": "Application/JSON; charset=UTF-8" })).status,
      202
    )
  })

  onServer("a body that is cut short is answered with 400", function*({ fakes, port }) {
    const connection = yield* connected(port)
    connection.write(
      `POST /chat HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"mess`
    )
    connection.socket.end()
    assert.match(yield* connection.closed, /^HTTP\/1\.1 400/)
    assert.strictEqual(fakes.submitted.length, 0)
  })
})

describe("A sender", () => {
  const head = (length: number) =>
    `POST /chat HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`
  const limits = { jsonBytes: 1000, idleMillis: 400, totalMillis: 600, discardBytes: 100_000 }
  const sending = (given: Partial<typeof limits> = {}) =>
    Effect.flatMap(Effect.provideService(started(makeFakes()), BodyLimits, { ...limits, ...given }), connected)

  it.scopedLive("that stops in the middle of its body is answered with a time-out, and so is one that is too slow", () =>
    Effect.gen(function*() {
      const stopping = yield* sending()
      stopping.write(`${head(10)}abc`)
      assert.match(yield* stopping.until((text) => text.includes("request-timeout")), /^HTTP\/1\.1 408/)
      const slow = yield* sending({ idleMillis: 60_000 })
      slow.write(head(1000))
      const received = yield* Effect.sync(() => slow.write("x")).pipe(
        Effect.repeat(Schedule.spaced("50 millis")),
        Effect.raceFirst(slow.until((text) => text.includes("request-timeout")))
      )
      assert.match(String(received), /^HTTP\/1\.1 408/)
    }))

  it.scopedLive("that is refused and never stops is disconnected", () =>
    Effect.gen(function*() {
      const { closed, until, write } = yield* sending()
      write(head(100_000_000))
      yield* until((text) => text.includes("too-large"))
      write("x".repeat(200_000))
      assert.match(yield* closed, /^HTTP\/1\.1 413/)
    }))
})

describe("A request that does not fit", () => {
  onServer("with a path or a query that can't be decoded is 400 on every route", function*({ port }) {
    for (const bad of ["%zz", "%ff", "%", "%c3%28", "%ed%a0%80", "%00"]) {
      for (const path of [`/tasks?q=${bad}`, `/task/${bad}`, `/nothing/${bad}`, `/tasks?unknown=${bad}`]) {
        const problem = isProblem(yield* request(port, { path }), 400, "invalid-request")
        assert.deepStrictEqual(problem.errors?.map(({ path }) => path), ["url"])
      }
    }
    assert.strictEqual((yield* request(port, { path: "/tasks?q=100%25+%c3%a4" })).status, 200)
  })

  onServer("because a field is blank or empty is refused with its path", function*({ fakes, port }) {
    const blank = " \n\t\u00a0"
    const requests: ReadonlyArray<readonly [path: string, field: string, body: object]> = [
      ["/chat", "title", { ...message, title: blank }],
      ["/chat", "attachments.0", { ...message, attachments: [""] }],
      ["/human_response", "response", { task_id: idOf(1), response: blank }],
      ["/api/mcp/configure", "mcpServers.a.command", { mcpServers: { a: { command: blank } } }]
    ]
    for (const [path, field, body] of requests) {
      const problem = isProblem(yield* post(port, path, body), 400, "invalid-request")
      assert.deepStrictEqual(problem.errors?.map(({ path }) => path), [field])
    }
    assert.isEmpty(fakes.submitted)
  })

  onServer("says what is wrong in words", function*({ port }) {
    const errorsOf = (query: string) =>
      Effect.map(
        request(port, { path: `/tasks?${query}` }),
        (answer) => isProblem(answer, 400, "invalid-request").errors
      )
    assert.deepStrictEqual(yield* errorsOf("status=done"), [{
      path: "status",
      message: "one of \"pending\", \"running\", \"completed\", \"failed\", \"waiting_input\", \"waiting_subagents\""
    }])
    assert.deepStrictEqual(yield* errorsOf("limit=ten"), [{ path: "limit", message: "a whole number from 1 to 1000" }])
    for (const cursor of ["", "NO such", "../x"]) {
      assert.deepStrictEqual(yield* errorsOf(`cursor=${encodeURIComponent(cursor)}`), [
        { path: "cursor", message: "The cursor is not one that this service gave; start again without it." }
      ])
    }
    const elsewhere = isProblem(yield* post(port, "/api/mcp/configure", { servers: {} }), 400, "invalid-request")
    assert.deepStrictEqual(elsewhere.errors, [{ path: "mcpServers", message: serversRule }])
    for (const path of ["/chat", "/api/skills/", "/api/schedules", "/api/subscriptions", "/mcp"]) {
      for (const body of [[], 3, null]) {
        const { errors } = isProblem(yield* post(port, path, body), 400, "invalid-request")
        assert.deepStrictEqual(errors, [{ path: "", message: "a JSON object" }])
      }
    }
  })
})
