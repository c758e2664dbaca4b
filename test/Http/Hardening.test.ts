import { SqlError } from "@effect/sql/SqlError"
import { assert, describe } from "@effect/vitest"
import { SearchUnfinished } from "@troupe/domain/Search"
import { Effect } from "effect"
import { noConnection } from "../support/BusyDatabase.ts"
import { message } from "./hardening.ts"
import { connected, isProblem, post, request } from "./RawHttp.ts"
import { onServer } from "./TestServer.ts"

describe("Paths and methods", () => {
  onServer("unknown paths, other case and doubled slashes are 404", function*({ port }) {
    for (const path of ["/nothing", "/Tasks", "//tasks", "/tasks//", "/task/a/b/c"]) {
      isProblem(yield* request(port, { path }), 404, "not-found")
    }
    isProblem(yield* post(port, "/CHAT", message), 404, "not-found")
    isProblem(yield* post(port, "//chat", message), 404, "not-found")
  })

  onServer("a wrong method is 405 and lists the allowed ones", function*({ port }) {
    const chat = yield* request(port, { path: "/chat" })
    isProblem(chat, 405, "method-not-allowed")
    assert.strictEqual(chat.headers["allow"], "POST, OPTIONS")
    const task = yield* request(port, { method: "PATCH", path: "/task/x" })
    isProblem(task, 405, "method-not-allowed")
    assert.strictEqual(task.headers["allow"], "GET, DELETE, HEAD, OPTIONS")
  })

  onServer("HEAD is GET without a body, and OPTIONS names the methods", function*({ port }) {
    const connection = yield* connected(port)
    connection.write("HEAD /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
    const head = yield* connection.until((text) => text.includes("\r\n\r\n"))
    assert.match(head, /^HTTP\/1\.1 200/)
    assert.isTrue(head.endsWith("\r\n\r\n"))
    const options = yield* request(port, { method: "OPTIONS", path: "/chat" })
    assert.strictEqual(options.status, 204)
    assert.strictEqual(options.headers["allow"], "POST, OPTIONS")
    isProblem(yield* request(port, { method: "OPTIONS", path: "/nothing" }), 404, "not-found")
  })
})

describe("Answers", () => {
  onServer("a valid request id is kept, another is replaced", function*({ port }) {
    const id = (given: string) =>
      Effect.map(
        request(port, { path: "/health", headers: { "x-request-id": given } }),
        (a) => a.headers["x-request-id"]
      )
    assert.strictEqual(yield* id("abc-123"), "abc-123")
    assert.notStrictEqual(yield* id("a b"), "a b")
    assert.match((yield* id("x".repeat(200))) ?? "", /^[0-9a-f-]{36}$/)
  })

  onServer(
    "a defect is 500 without internals; an unavailable database, a busy one and an unfinished search are 503",
    function*({ fakes, port }) {
      fakes.submit = () => Effect.die(new Error("select secret from users"))
      const broken = yield* post(port, "/chat", message)
      isProblem(broken, 500, "internal")
      assert.notInclude(broken.text, "secret")
      fakes.submit = () =>
        Effect.die(
          new SqlError({ cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }), message: "unavailable" })
        )
      const unavailable = yield* post(port, "/chat", message)
      isProblem(unavailable, 503, "unavailable")
      assert.isAtLeast(Number(unavailable.headers["retry-after"]), 1)
      assert.notInclude(unavailable.text, "refused")
      fakes.submit = () => Effect.die(noConnection)
      const busy = yield* post(port, "/chat", message)
      isProblem(busy, 503, "unavailable")
      assert.include(busy.text, "The service is busy: no database connection became free within 20s.")
      assert.include(busy.text, "POST /chat can be repeated at once with the same Idempotency-Key")
      fakes.list = new SearchUnfinished({ reason: "slow" })
      const unfinished = yield* request(port, { path: "/tasks?q=anything" })
      isProblem(unfinished, 503, "search-unfinished")
      assert.isAtLeast(Number(unfinished.headers["retry-after"]), 1)
    }
  )

  onServer("headers over 16 KiB are 431, and the sender can read it", function*({ port }) {
    const large = yield* request(port, { path: "/health", headers: { "x-filler": "x".repeat(200_000) } })
    isProblem(large, 431, "headers-too-large")
    const fits = yield* request(port, { path: "/health", headers: { "x-filler": "x".repeat(15_000) } })
    assert.strictEqual(fits.status, 200)
  })

  onServer("an offer to upgrade is declined by answering the request, body and all", function*({ port }) {
    const offer = { connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "AAMA" }
    assert.strictEqual((yield* post(port, "/chat", message, offer)).status, 202)
    const socket = { connection: "Upgrade", upgrade: "websocket" }
    assert.strictEqual((yield* request(port, { path: "/rpc", headers: socket })).status, 405)
  })
})
