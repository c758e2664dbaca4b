import { HttpClient, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { callerAddress } from "../../src/Http/Callers.ts"
import { makeFakes } from "./Fakes.ts"
import { hosted, message, signedInUsers } from "./hardening.ts"
import { isProblem, post, request } from "./RawHttp.ts"
import { onServer, started } from "./TestServer.ts"

describe("Who may call", () => {
  it.scopedLive("a self-hosted instance answers to loopback, its public name and ALLOWED_HOSTS only", () =>
    Effect.gen(function*() {
      const port = yield* started(makeFakes(), {
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

  onServer("foreign and null origins are refused, unless CORS_ORIGINS names them", function*({ fakes, port }) {
    for (const origin of ["https://evil.example", "null", "http://localhost.evil.example", "file://"]) {
      isProblem(yield* post(port, "/chat", message, { origin }), 403, "forbidden")
    }
    assert.strictEqual(fakes.submitted.length, 0)
    const friend = yield* post(port, "/chat", message, { origin: "https://friend.example" })
    assert.strictEqual(friend.status, 202)
    assert.strictEqual(friend.headers["access-control-allow-origin"], "https://friend.example")
    assert.include(friend.headers["access-control-expose-headers"] ?? "", "Location")
    const local = yield* post(port, "/chat", message, { origin: `http://localhost:${port}` })
    assert.strictEqual(local.status, 202)
    assert.isUndefined(local.headers["access-control-allow-origin"])
  }, { CORS_ORIGINS: "https://friend.example" })

  it.scopedLive("a preflight is answered for shared origins only", () =>
    Effect.gen(function*() {
      const settings = { CORS_ORIGINS: "https://friend.example", ...hosted }
      const port = yield* started(makeFakes(), settings)
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

  onServer("a preflight allows every header that the clients send", function*({ port }) {
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
  }, { CORS_ORIGINS: "https://friend.example" })

  onServer("a caller over its rate is answered with Retry-After", function*({ port }) {
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
  }, { RATE_LIMIT_PER_MINUTE: "2" })
})

describe("Rates of a hosted service", () => {
  it.scopedLive("count a user's requests wherever they come from, and all others by their address", () =>
    Effect.gen(function*() {
      const fakes = makeFakes()
      const port = yield* started(
        fakes,
        { RATE_LIMIT_PER_MINUTE: "2", ...hosted },
        signedInUsers
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

  onServer(
    "count an address before an endpoint that reads no token does its work, whatever is sent as one",
    function*({ port }) {
      const statuses = yield* Effect.forEach(["GET", "HEAD", "GET", "HEAD"], (method) =>
        Effect.map(
          request(port, { method, path: "/", headers: { authorization: "Bearer x", connection: "close" } }),
          ({ status }) => status
        ))
      assert.deepStrictEqual(statuses, [200, 200, 429, 429])
    },
    { RATE_LIMIT_PER_MINUTE: "2", ...hosted }
  )
})

describe("The address of a caller", () => {
  const addressOf = callerAddress(["10.0.0.0/8", "2001:db8:ffff::/48"])

  it("is the last that a trusted proxy names, whatever ports, brackets and zones it has", () => {
    const chains = [
      ["203.0.113.7:51824", "203.0.113.7"],
      ["[2001:db8::7]:443", "2001:db8::7"],
      ["198.51.100.1, 203.0.113.7:51824, 10.0.0.2:8080", "203.0.113.7"],
      ["203.0.113.7, [2001:db8:ffff::1]:443,, ::ffff:10.0.0.2", "203.0.113.7"],
      ["10.0.0.3:1, 10.0.0.2:1", "10.0.0.3"]
    ] as const
    for (const [forwarded, address] of chains) {
      assert.strictEqual(addressOf("::ffff:10.0.0.1", forwarded), address, forwarded)
    }
  })

  it("is that of the last known one before a hop that is no address, and the socket's behind no trusted proxy", () => {
    for (
      const forwarded of ["unknown", "203.0.113.7, _secret", "203.0.113.7, 10.0.0.2:x", "evil.example:80", ",", ""]
    ) {
      assert.strictEqual(addressOf("10.0.0.1", forwarded), "10.0.0.1", forwarded)
    }
    assert.strictEqual(addressOf("10.0.0.1", "203.0.113.7, unknown, 10.0.0.2:1"), "10.0.0.2")
    assert.strictEqual(addressOf("192.0.2.1", "203.0.113.7:1"), "192.0.2.1")
  })
})
