import { HttpApi, OpenApi } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, it, layer } from "@effect/vitest"
import { AdminOnly } from "@troupe/api/Authentication"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { selfHostedCaller } from "@troupe/domain/Caller"
import { Effect, Layer } from "effect"
import { AccessTokens } from "../../src/People/SignIn/AccessTokens.ts"
import { Identity, withoutSeats } from "../../src/People/SignIn/Identity.ts"
import { Sessions } from "../../src/People/SignIn/Sessions.ts"
import { TeamRepo } from "../../src/People/Team/TeamRepo.ts"
import { statementCaller } from "../../src/Runtime/Database/Isolation.ts"
import { Signals } from "../../src/Runtime/Database/Signals.ts"
import { IdTokens } from "../../src/Wire/IdTokens.ts"
import { audience } from "../support/IdentityProvider.ts"
import { makeFakes } from "./Fakes.ts"
import { hosted, People, send, settings } from "./hosted.ts"
import { connected, exchange, isProblem, request } from "./RawHttp.ts"
import { Service } from "./service.ts"
import { onServer, started } from "./TestServer.ts"

/** What only an owner or admin may do. */
const admins = [
  "DELETE /api/agents/x",
  "DELETE /api/mcp/configure",
  "DELETE /api/models/x",
  "DELETE /api/skills/x",
  "DELETE /api/webhook-types/x",
  "DELETE /team/members/x",
  "GET /api/limits",
  "GET /api/mail/ignored",
  "GET /api/mcp/configure",
  "GET /api/models",
  "GET /api/models/servers",
  "GET /api/outbox",
  "GET /api/settings",
  "GET /api/settings/history",
  "GET /api/webhook-types",
  "GET /api/webhook-types/x",
  "GET /system/history",
  "GET /system/settings",
  "GET /system/storage",
  "GET /webhook/deliveries",
  "GET /webhook/deliveries/x",
  "POST /api/agents",
  "POST /api/agents/reload",
  "POST /api/channels/sync",
  "POST /api/channels/x/sync",
  "POST /api/mcp/configure",
  "POST /api/mcp/servers/x/accept",
  "POST /api/models/catalogue",
  "POST /api/models/trial",
  "POST /api/models/x/test",
  "POST /api/outbox/x/retry",
  "POST /api/policy/test",
  "POST /api/settings/test",
  "POST /api/skills/",
  "POST /api/skills/reload",
  "POST /team/invite",
  "POST /webhook/deliveries/x/replay",
  "PUT /api/agents/x",
  "PUT /api/channels/x/members/x",
  "PUT /api/limits",
  "PUT /api/models/default",
  "PUT /api/models/x",
  "PUT /api/policy",
  "PUT /api/settings",
  "PUT /api/skills/x",
  "PUT /api/webhook-types/x",
  "PUT /team/members/x"
]

/** What the chat platform calls, by its signature instead of a token. */
const signed = ["POST /team-chat/command", "POST /team-chat/dm_response", "POST /team-chat/interactive"]

/** What needs no token. The paths of the documentation are not there at all. */
const open = [
  "GET /",
  "GET /health",
  "GET /metrics",
  "POST /webhook/team-chat",
  "GET /auth/login",
  "GET /auth/callback",
  "GET /auth/mcp/callback",
  "GET /auth/mcp/client.json",
  ...signed
]

const operations = Object.entries(OpenApi.fromApi(TroupeApi).paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path: path.replace(/\{[^}]+\}/g, "x") }))
)

const nameOf = ({ method, path }: { readonly method: string; readonly path: string }) => `${method} ${path}`

const guarded = operations.filter((operation) => !open.includes(nameOf(operation)))

/** An answer that comes although all but the first byte of the body is missing. */
const beforeBody = (port: number, method: string, path: string, token: string | null) =>
  Effect.scoped(Effect.flatMap(connected(port), (connection) =>
    exchange(connection, port, {
      method,
      path,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(method === "GET" ? {} : { "content-type": "application/json", "content-length": "100000" })
      },
      ...(method === "GET" ? {} : { body: "{" })
    })))

layer(hosted(), { excludeTestServices: true })("A hosted service", (it) => {
  it.effect("answers no operation without a valid token, before it reads a body", () =>
    Effect.gen(function*() {
      const { port } = yield* Service
      const { provider: { token } } = yield* People
      // What else makes a token wrong is tested with IdTokens.
      const tokens = { "no token": null, "a token for another audience": yield* token({ sub: "owner", aud: "other" }) }
      for (const [what, bad] of Object.entries(tokens)) {
        // One check stands before all operations: each is tried without a token, and a few with each kind of wrong one.
        const operations = bad === null ? guarded : guarded.filter((_, index) => index % 20 === 0)
        yield* Effect.forEach(operations, (operation) =>
          Effect.map(beforeBody(port, operation.method, operation.path, bad), (answer) => {
            assert.strictEqual(answer.status, 401, `${nameOf(operation)} with ${what}: ${answer.text}`)
            isProblem(answer, 401, "unauthenticated")
            assert.strictEqual(answer.headers["www-authenticate"], "Bearer")
          }), { concurrency: 8, discard: true })
      }
    }))

  it.effect("refuses people outside the team, and members where an admin is required, before it reads a body", () =>
    Effect.gen(function*() {
      const { port } = yield* Service
      const { member, provider: { token } } = yield* People
      const stranger = yield* token({ sub: "stranger", email: "stranger@example.org" })
      const refused = (token: string) => (operation: { readonly method: string; readonly path: string }) =>
        Effect.map(beforeBody(port, operation.method, operation.path, token), (answer) => {
          assert.strictEqual(answer.status, 403, `${nameOf(operation)}: ${answer.text}`)
          isProblem(answer, 403, "forbidden")
        })
      yield* Effect.forEach(guarded, refused(stranger), { concurrency: 8, discard: true })
      const ofAdmins = guarded.filter((operation) => admins.includes(nameOf(operation)))
      assert.deepStrictEqual(ofAdmins.map(nameOf).sort(), admins)
      yield* Effect.forEach(ofAdmins, refused(member), { discard: true })
    }))

  it("needs an admin for these operations and no others", () => {
    const found: Array<string> = []
    HttpApi.reflect(TroupeApi, {
      onGroup: () => {},
      onEndpoint: ({ endpoint, middleware }) => {
        const path = endpoint.path.replace(/:\w+/g, "x")
        if ([...middleware].some(({ key }) => key === AdminOnly.key)) found.push(`${endpoint.method} ${path}`)
      }
    })
    assert.deepStrictEqual(found.sort(), admins)
  })

  it.effect("is open where the specification says so, and nowhere by another spelling of a path", () =>
    Effect.gen(function*() {
      const { port } = yield* Service
      const statuses = Effect.forEach(
        [
          "GET /",
          "GET /health",
          "HEAD /health",
          "HEAD /tasks",
          "OPTIONS /tasks",
          "GET /metrics",
          "GET /docs",
          "GET /redoc",
          "GET /openapi.json"
        ],
        (name) => {
          const [method = "", path = ""] = name.split(" ")
          return Effect.map(
            request(port, { method, path, headers: { connection: "close" } }),
            ({ status }) => `${name} ${status}`
          )
        }
      )
      assert.deepStrictEqual(yield* statuses, [
        "GET / 200",
        "GET /health 200",
        "HEAD /health 200",
        "HEAD /tasks 401",
        "OPTIONS /tasks 204",
        "GET /metrics 404",
        "GET /docs 404",
        "GET /redoc 404",
        "GET /openapi.json 404"
      ])
      for (
        const path of ["/tasks/", "//tasks", "/TASKS", "/health/../tasks", "/tasks?x=/health", "/health%2f..%2ftasks"]
      ) {
        assert.include([401, 404], (yield* send(port, "GET", path, null)).status, path)
      }
    }))

  it.effect("checks no token without the provider's keys, and says so with 503", () =>
    Effect.gen(function*() {
      const { owner } = yield* People
      const nowhere = "http://127.0.0.1:1"
      const identity = Identity.layer({ issuer: nowhere, publicUrl: new URL("https://troupe.example.org/") }).pipe(
        Layer.provide([
          Sessions.layerNone,
          AccessTokens.layerNone,
          IdTokens.layer({ issuer: nowhere, audience }),
          Layer.mock(TeamRepo, {}),
          Signals.layerLocal
        ]),
        Layer.provide(NodeHttpClient.layerUndici)
      )
      yield* Effect.scoped(Effect.gen(function*() {
        const port = yield* started(makeFakes(), settings(nowhere), identity)
        const answer = yield* send(port, "GET", "/tasks", owner)
        isProblem(answer, 503, "sign-in-unavailable")
        assert.strictEqual(answer.headers["retry-after"], "2")
        assert.strictEqual((yield* send(port, "GET", "/health", null)).status, 200)
      }))
    }))
})

it.scopedLive("A statement before the sign-in fails the request in hosted mode only", () =>
  Effect.gen(function*() {
    const careless = Layer.succeed(Identity, {
      ...withoutSeats,
      authenticate: () => Effect.as(statementCaller, selfHostedCaller)
    })
    const statuses = (settings: Readonly<Record<string, string>>) =>
      Effect.flatMap(started(makeFakes(), settings, careless), (port) =>
        Effect.forEach(["/tasks", "/health", "/"], (path) =>
          Effect.map(send(port, "GET", path, null), ({ status }) =>
            status)))
    assert.deepStrictEqual(yield* statuses(settings("https://id.example")), [500, 200, 200])
    assert.deepStrictEqual(yield* statuses({}), [200, 200, 200])
  }))

onServer("A self-hosted service has no team, whatever is sent", function*({ port }) {
  isProblem(yield* send(port, "GET", "/team/info", null), 404, "not-found")
  isProblem(yield* beforeBody(port, "POST", "/team/invite", "any token"), 404, "not-found")
  assert.strictEqual((yield* send(port, "GET", "/tasks", "any token")).status, 200)
})
