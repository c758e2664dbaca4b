import { HttpClient, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { SqlError } from "@effect/sql/SqlError"
import { assert, describe, it } from "@effect/vitest"
import { Unauthenticated } from "@troupe/domain/Caller"
import { UserId } from "@troupe/domain/Ids"
import { Effect, Layer } from "effect"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { Identity } from "../../src/People/Identity.ts"
import { connected, isProblem, post, request } from "./RawHttp.ts"
import { app, idOf, makeStage, started } from "./TestServer.ts"

const message = { message: "Say hello" }

describe("Paths and methods", () => {
  it.scopedLive("unknown paths, other case and doubled slashes are 404", () =>
    Effect.gen(function*() {
      const port = yield* started(makeStage())
      for (const path of ["/nothing", "/Tasks", "//tasks", "/tasks//", "/task/a/b/c"]) {
        isProblem(yield* request(port, { path }), 404, "not-found")
      }
      isProblem(yield* post(port, "/CHAT", message), 404, "not-found")
      isProblem(yield* post(port, "//chat", message), 404, "not-found")
    }))

  it.scopedLive("a wrong method is 405 and lists the allowed ones", () =>
    Effect.gen(function*() {
      const port = yield* started(makeStage())
      const chat = yield* request(port, { path: "/chat" })
      isProblem(chat, 405, "method-not-allowed")
      assert.strictEqual(chat.headers["allow"], "POST, OPTIONS")
      const task = yield* request(port, { method: "PATCH", path: "/task/x" })
      isProblem(task, 405, "method-not-allowed")
      assert.strictEqual(task.headers["allow"], "GET, DELETE, HEAD, OPTIONS")
    }))

  it.scopedLive("HEAD is GET without a body, and OPTIONS names the methods", () =>
    Effect.gen(function*() {
      const port = yield* started(makeStage())
      const connection = yield* connected(port)
      connection.write("HEAD /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
      const head = yield* connection.until((text) => text.includes("\r\n\r\n"))
      assert.match(head, /^HTTP\/1\.1 200/)
      assert.isTrue(head.endsWith("\r\n\r\n"))
      const options = yield* request(port, { method: "OPTIONS", path: "/chat" })
      assert.strictEqual(options.status, 204)
      assert.strictEqual(options.headers["allow"], "POST, OPTIONS")
      isProblem(yield* request(port, { method: "OPTIONS", path: "/nothing" }), 404, "not-found")
    }))
})

describe("Who may call", () => {
  it.scopedLive("a self-hosted instance answers to loopback, its public name and ALLOWED_HOSTS only", () =>
    Effect.gen(function*() {
      const port = yield* started(makeStage(), {
        BACKEND_API_URL: "https://troupe.example",
        ALLOWED_HOSTS: "box.lan"
      })
      const status = (host: string) =>
        Effect.map(request(port, { path: "/health", headers: { host } }), (a) => a.status)
      for (const host of ["localhost", "127.0.0.1:1", "[::1]:8000", "troupe.example", "box.lan:8000", "LOCALHOST"]) {
        assert.strictEqual(yield* status(host), 200, host)
      }
      for (const host of ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1", "@", "a b"]) {
        assert.oneOf(yield* status(host), [400, 403], host)
      }
      isProblem(yield* request(port, { path: "/health", headers: { host: "evil.example" } }), 403, "forbidden")
    }))

  it.scopedLive("foreign and null origins are refused, unless CORS_ORIGINS names them", () =>
    Effect.gen(function*() {
      const stage = makeStage()
      const port = yield* started(stage, { CORS_ORIGINS: "https://friend.example" })
      for (const origin of ["https://evil.example", "null", "http://localhost.evil.example", "file://"]) {
        isProblem(yield* post(port, "/chat", message, { origin }), 403, "forbidden")
      }
      assert.strictEqual(stage.submitted.length, 0)
      const friend = yield* post(port, "/chat", message, { origin: "https://friend.example" })
      assert.strictEqual(friend.status, 202)
      assert.strictEqual(friend.headers["access-control-allow-origin"], "https://friend.example")
      assert.include(friend.headers["access-control-expose-headers"] ?? "", "Location")
      const local = yield* post(port, "/chat", message, { origin: `http://localhost:${port}` })
      assert.strictEqual(local.status, 202)
      assert.isUndefined(local.headers["access-control-allow-origin"])
    }))

  it.scopedLive("a preflight is answered for shared origins only", () =>
    Effect.gen(function*() {
      const settings = { CORS_ORIGINS: "https://friend.example", DEPLOYMENT_MODE: "hosted", ...hosted }
      const port = yield* started(makeStage(), settings)
      const preflight = (origin: string) =>
        request(port, {
          method: "OPTIONS",
          path: "/chat",
          headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "content-type" }
        })
      const friend = yield* preflight("https://friend.example")
      assert.strictEqual(friend.status, 204)
      assert.strictEqual(friend.headers["access-control-allow-origin"], "https://friend.example")
      assert.include(friend.headers["access-control-allow-methods"] ?? "", "POST")
      const other = yield* preflight("https://evil.example")
      assert.strictEqual(other.status, 204)
      assert.isUndefined(other.headers["access-control-allow-origin"])
    }))

  it.scopedLive("a preflight allows every header that the clients send", () =>
    Effect.gen(function*() {
      const port = yield* started(makeStage(), { CORS_ORIGINS: "https://friend.example" })
      const sent: Array<string> = []
      const fetched = HttpClient.make((request) => {
        sent.push(...Object.keys(request.headers))
        return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(null, { status: 204 })))
      })
      yield* HttpClientRequest.post("http://localhost/chat").pipe(
        HttpClientRequest.bodyUnsafeJson({ message: "m" }),
        HttpClientRequest.bearerToken("t"),
        fetched.execute,
        Effect.withSpan("call")
      )
      assert.includeMembers(sent, ["authorization", "content-type", "traceparent", "b3"])
      const others = ["idempotency-key", "last-event-id", "x-request-id", "range", "if-range", "if-none-match"]
      const ofMcp = ["mcp-protocol-version", "mcp-session-id"]
      const answer = yield* request(port, {
        method: "OPTIONS",
        path: "/chat",
        headers: { origin: "https://friend.example", "access-control-request-method": "POST" }
      })
      const allowed = (answer.headers["access-control-allow-headers"] ?? "").toLowerCase().split(", ")
      const safelisted = ["content-length", "user-agent"]
      assert.includeMembers([...allowed, ...safelisted], [...sent, ...others, ...ofMcp, "if-modified-since"])
    }))

  it.scopedLive("a caller over its rate is answered with Retry-After", () =>
    Effect.gen(function*() {
      const port = yield* started(makeStage(), { RATE_LIMIT_PER_MINUTE: "2" })
      const statuses = yield* Effect.all([1, 2].map(() => request(port, { path: "/tasks" })))
      assert.deepStrictEqual(statuses.map(({ status }) => status), [200, 200])
      const third = yield* request(port, { path: "/tasks" })
      isProblem(third, 429, "rate-limited")
      assert.isAtLeast(Number(third.headers["retry-after"]), 1)
      assert.strictEqual(statuses[0]?.headers["ratelimit-policy"], "\"caller\";q=2;w=60")
      assert.deepStrictEqual(statuses.map(({ headers }) => headers["ratelimit"]), [
        "\"caller\";r=1;t=30",
        "\"caller\";r=0;t=60"
      ])
      assert.match(third.headers["ratelimit"] ?? "", /^"caller";r=0;t=/)
    }))
})

describe("Rates of a hosted service", () => {
  it.scopedLive("count a user's requests wherever they come from, and all others by their address", () =>
    Effect.gen(function*() {
      const stage = makeStage()
      const identity = Layer.succeed(Identity, {
        authenticate: (header = "") =>
          header.startsWith("Bearer user-")
            ? Effect.succeed({ id: UserId.make(header.slice(12)), role: "member" as const })
            : new Unauthenticated({ reason: "Unknown" })
      })
      const port = yield* started(
        stage,
        { DEPLOYMENT_MODE: "hosted", RATE_LIMIT_PER_MINUTE: "2", ...hosted },
        app(stage, undefined, undefined, identity)
      )
      const statuses = (path: string, authorization?: string) =>
        Effect.forEach(
          [1, 2, 3],
          () => request(port, { path, headers: authorization === undefined ? {} : { authorization } })
        ).pipe(
          Effect.map((answers) => answers.map(({ status }) => status))
        )
      assert.deepStrictEqual(yield* statuses("/tasks", "Bearer user-ann"), [200, 200, 429])
      assert.deepStrictEqual(yield* statuses("/tasks", "Bearer user-bob"), [200, 200, 429])
      assert.deepStrictEqual(yield* statuses("/tasks", "Bearer guess"), [401, 401, 429])
      // Refused for the address, by which the last three were counted.
      assert.deepStrictEqual(yield* statuses("/"), [429, 429, 429])
      // Probes and scrapers are not counted.
      assert.deepStrictEqual(yield* statuses("/health"), [200, 200, 200])
      assert.deepStrictEqual(yield* statuses("/nothing", "Bearer user-cleo"), [429, 429, 429])
      assert.deepStrictEqual(yield* statuses("/tasks", "Bearer user-cleo"), [200, 200, 429])
    }))

  it.scopedLive("count an address before an endpoint that reads no token does its work, whatever is sent as one", () =>
    Effect.gen(function*() {
      const port = yield* started(makeStage(), { DEPLOYMENT_MODE: "hosted", RATE_LIMIT_PER_MINUTE: "2", ...hosted })
      const statuses = yield* Effect.forEach(["GET", "HEAD", "GET", "HEAD"], (method) =>
        Effect.map(
          request(port, { method, path: "/", headers: { authorization: "Bearer x", connection: "close" } }),
          ({ status }) => status
        ))
      assert.deepStrictEqual(statuses, [200, 200, 429, 429])
    }))
})

describe("Answers", () => {
  it.scopedLive("a valid request id is kept, another is replaced", () =>
    Effect.gen(function*() {
      const port = yield* started(makeStage())
      const id = (given: string) =>
        Effect.map(request(port, { path: "/health", headers: { "x-request-id": given } }), (a) =>
          a.headers["x-request-id"])
      assert.strictEqual(yield* id("abc-123"), "abc-123")
      assert.notStrictEqual(yield* id("a b"), "a b")
      assert.match((yield* id("x".repeat(200))) ?? "", /^[0-9a-f-]{36}$/)
    }))

  it.scopedLive("a defect is 500 without internals; an unavailable database is 503", () =>
    Effect.gen(function*() {
      const stage = makeStage()
      const port = yield* started(stage)
      stage.submit = () => Effect.die(new Error("select secret from users"))
      const broken = yield* post(port, "/chat", message)
      isProblem(broken, 500, "internal")
      assert.notInclude(broken.text, "secret")
      stage.submit = () =>
        Effect.die(
          new SqlError({ cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }), message: "away" })
        )
      const away = yield* post(port, "/chat", message)
      isProblem(away, 503, "unavailable")
      assert.isAtLeast(Number(away.headers["retry-after"]), 1)
      assert.notInclude(away.text, "refused")
    }))

  it.scopedLive("health is 503 without the database, with the same fields", () =>
    Effect.gen(function*() {
      const stage = makeStage()
      const port = yield* started(stage)
      stage.database = { status: "down", detail: "away", latency_ms: 1 }
      const answer = yield* request(port, { path: "/health" })
      assert.strictEqual(answer.status, 503)
      assert.deepInclude(answer.json, { status: "unavailable", uptime_seconds: 0 })
      assert.isAtLeast(Number(answer.headers["retry-after"]), 1)
    }))

  it.scopedLive("headers over 16 KiB are 431, and the sender can read it", () =>
    Effect.gen(function*() {
      const port = yield* started(makeStage())
      const large = yield* request(port, { path: "/health", headers: { "x-filler": "x".repeat(200_000) } })
      isProblem(large, 431, "headers-too-large")
      const fits = yield* request(port, { path: "/health", headers: { "x-filler": "x".repeat(15_000) } })
      assert.strictEqual(fits.status, 200)
    }))

  it.scopedLive("an offer to upgrade is declined by answering the request, body and all", () =>
    Effect.gen(function*() {
      const port = yield* started(makeStage())
      const offer = { connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "AAMA" }
      assert.strictEqual((yield* post(port, "/chat", message, offer)).status, 202)
    }))

  it.scopedLive("a connection that always offers to upgrade gets no further listeners", () =>
    Effect.gen(function*() {
      const sockets = new Set<Socket>()
      const onRequest = (message: unknown) => {
        const { request } = message as { readonly request: IncomingMessage }
        sockets.add(request.socket)
      }
      subscribe("http.server.request.start", onRequest)
      yield* Effect.addFinalizer(() => Effect.sync(() => unsubscribe("http.server.request.start", onRequest)))
      const port = yield* started(makeStage())
      const connection = yield* connected(port)
      const get = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
      const counts: Array<number> = []
      for (let answers = 1; answers <= 15; answers++) {
        connection.write(get)
        yield* connection.until((text) => text.split("HTTP/1.1 200").length > answers)
        for (const socket of sockets) {
          if (socket.remotePort !== connection.socket.localPort) continue
          counts.push(socket.listenerCount("error") + socket.listenerCount("close"))
        }
      }
      assert.strictEqual(counts.length, 15)
      assert.strictEqual(counts.at(-1), counts[0])
    }))

  it.scopedLive("an offer of a WebSocket on anything but GET /rpc is refused, body and all", () =>
    Effect.gen(function*() {
      const stage = makeStage()
      const port = yield* started(stage)
      const offer = { connection: "Upgrade", upgrade: "websocket" }
      isProblem(yield* post(port, "/chat", message, offer), 400, "invalid-request")
      isProblem(yield* post(port, "/rpc", message, offer), 400, "invalid-request")
      const events = yield* request(port, { path: `/task/${idOf(1)}/events`, headers: offer })
      isProblem(events, 400, "invalid-request")
      assert.include(events.text, "GET /rpc")
      assert.deepStrictEqual(stage.submitted, [])
    }))

  it.scopedLive("what is not HTTP is 400 as a problem", () =>
    Effect.gen(function*() {
      const connection = yield* connected(yield* started(makeStage()))
      connection.write("HELLO\r\n\r\n")
      const received = yield* connection.closed
      assert.match(received, /^HTTP\/1\.1 400/)
      assert.include(received, "application/problem+json")
    }))

  it.scopedLive("the explorer, the viewer and the schema are there, but not in hosted mode", () =>
    Effect.gen(function*() {
      const open = yield* started(makeStage())
      const closed = yield* started(makeStage(), { DEPLOYMENT_MODE: "hosted", ...hosted })
      for (const path of ["/docs", "/redoc", "/openapi.json"]) {
        const page = yield* request(open, { path })
        assert.strictEqual(page.status, 200, path)
        assert.notMatch(page.text, /<(?:script|link|img)[^>]+(?:src|href)="(?:https?:)?\/\//, path)
        isProblem(yield* request(closed, { path }), 404, "not-found")
      }
    }))
})

const hosted = {
  OIDC_ISSUER: "https://id.example",
  OIDC_AUDIENCE: "troupe",
  TEAM_OWNER_EMAIL: "owner@example.com"
}
