import { HttpApi, OpenApi } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it, layer } from "@effect/vitest"
import { AdminOnly } from "@troupe/api/Authentication"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { selfHostedCaller } from "@troupe/domain/Caller"
import { Context, Effect, Layer, Option } from "effect"
import { exportSPKI, importJWK, SignJWT, UnsecuredJWT } from "jose"
import { NotificationRepo } from "../../src/Delivery/NotificationRepo.ts"
import { Notifications } from "../../src/Delivery/Notifications.ts"
import { MemoryRecords } from "../../src/Memory/MemoryRecords.ts"
import { Identity } from "../../src/People/Identity.ts"
import { InvitationMails } from "../../src/People/InvitationMails.ts"
import { layerOwner, Team } from "../../src/People/Team.ts"
import { TeamRepo } from "../../src/People/TeamRepo.ts"
import { UserRepo } from "../../src/People/UserRepo.ts"
import { Users } from "../../src/People/Users.ts"
import { statementCaller } from "../../src/Runtime/Isolation.ts"
import * as RequestRole from "../../src/Runtime/RequestRole.ts"
import * as Sql from "../../src/Runtime/Sql.ts"
import { IdTokens } from "../../src/Wire/IdTokens.ts"
import { SigningKeys } from "../../src/Wire/SigningKeys.ts"
import * as Database from "../support/Database.ts"
import { audience, type IdentityProvider, makeIdentityProvider } from "../support/IdentityProvider.ts"
import { connected, exchange, isProblem, request } from "./RawHttp.ts"
import { app, makeStage, started } from "./TestServer.ts"

/** What the chat platform calls, by its signature instead of a token. */
const signed = ["POST /team-chat/command", "POST /team-chat/dm_response", "POST /team-chat/interactive"]

/** What needs no token. The paths of the documentation are not there at all. */
const open = ["GET /", "GET /health", "GET /metrics", "POST /webhook/team-chat", ...signed]

/** What only an owner or admin may do. */
const admins = [
  "DELETE /api/mcp/configure",
  "DELETE /api/skills/x",
  "DELETE /team/members/x",
  "GET /api/outbox",
  "GET /webhook/deliveries",
  "POST /api/channels/sync",
  "POST /api/channels/x/sync",
  "POST /api/mcp/configure",
  "POST /api/outbox/x/retry",
  "POST /api/skills/",
  "POST /team/invite",
  "POST /webhook/deliveries/x/replay",
  "PUT /api/channels/x/members/x",
  "PUT /api/skills/x"
]

const operations = Object.entries(OpenApi.fromApi(TroupeApi).paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path: path.replace(/\{[^}]+\}/g, "x") }))
)
const nameOf = ({ method, path }: { readonly method: string; readonly path: string }) => `${method} ${path}`
const guarded = operations.filter((operation) => !open.includes(nameOf(operation)))

const settings = (issuer: string) => ({
  DEPLOYMENT_MODE: "hosted",
  OIDC_ISSUER: issuer,
  OIDC_AUDIENCE: audience,
  TEAM_OWNER_EMAIL: "owner@example.org",
  MAX_USERS: "3"
})

/** A hosted service over a real provider and a real database. Its tasks are kept in memory. */
class Service extends Context.Tag("troupe/test/Http/Hosted.test/Service")<Service, {
  readonly port: number
  readonly provider: IdentityProvider
  readonly owner: string
  readonly member: string
}>() {}

const service = Layer.scoped(
  Service,
  Effect.gen(function*() {
    const provider = yield* makeIdentityProvider
    const { issuer, token } = provider
    const repos = Layer.mergeAll(TeamRepo.layer, UserRepo.layer, NotificationRepo.layer, RequestRole.layer).pipe(
      Layer.provide(Layer.orDie(Sql.layer({ maxConnections: 4 }))),
      Layer.provide(Database.layer),
      Layer.orDie
    )
    const tokens = IdTokens.layer({ issuer, audience }).pipe(
      Layer.provide(SigningKeys.layer(issuer)),
      Layer.provide(NodeHttpClient.layerUndici)
    )
    const services = yield* Layer.build(
      Layer.mergeAll(
        Identity.layer({ issuer }),
        Team.layer({ tier: "team", maxUsers: Option.some(3) }),
        layerOwner("owner@example.org"),
        Notifications.layer
      ).pipe(
        Layer.provideMerge(Users.layer),
        Layer.merge(Layer.mock(MemoryRecords, {})),
        Layer.provide([repos, tokens, InvitationMails.layerNone])
      )
    )
    const given = Layer.succeedContext(services)
    const port = yield* started(makeStage(), settings(issuer), app(makeStage(), given, undefined, given, given))
    const owner = yield* token({ sub: "owner", email: "owner@example.org" })
    const member = yield* token({ sub: "member", email: "member@example.org" })
    const invited = yield* send(port, "POST", "/team/invite", owner, { email: "member@example.org" })
    assert.strictEqual(invited.status, 201, invited.text)
    return { port, provider, owner, member }
  })
)

const send = (port: number, method: string, path: string, token: string | null, body?: unknown) =>
  request(port, {
    method,
    path,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })

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

layer(service, { excludeTestServices: true })("A hosted service", (it) => {
  it.effect("answers no operation without a valid token, before it reads a body", () =>
    Effect.gen(function*() {
      const { port, provider: { issuer, server, token } } = yield* Service
      const claims = {
        iss: issuer,
        aud: audience,
        sub: "owner",
        email: "owner@example.org",
        email_verified: true
      }
      const [published] = server.issuer.keys.toJSON()
      const confused = yield* Effect.promise(async () => {
        const key = await importJWK(published ?? {}, "RS256")
        const secret = key instanceof Uint8Array ? key : Buffer.from(await exportSPKI(key))
        return new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).setExpirationTime("1h").sign(secret)
      })
      const tokens = {
        "no token": null,
        "an expired token": yield* token({ sub: "owner", email: "owner@example.org", exp: 1_700_000_000 }),
        "a token for another audience": yield* token({ sub: "owner", email: "owner@example.org", aud: "other" }),
        "an unsigned token": new UnsecuredJWT(claims).setExpirationTime("1h").encode(),
        "a token signed with the public key": confused
      }
      for (const [what, bad] of Object.entries(tokens)) {
        yield* Effect.forEach(guarded, (operation) =>
          Effect.map(beforeBody(port, operation.method, operation.path, bad), (answer) => {
            assert.strictEqual(answer.status, 401, `${nameOf(operation)} with ${what}: ${answer.text}`)
            isProblem(answer, 401, "unauthenticated")
            assert.strictEqual(answer.headers["www-authenticate"], "Bearer")
          }), { concurrency: 8, discard: true })
      }
    }))

  it.effect("refuses whoever is not in the team, and members where an admin is needed, before it reads a body", () =>
    Effect.gen(function*() {
      const { member, port, provider: { token } } = yield* Service
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

  it.effect("lets members act for themselves, and admins for everyone", () =>
    Effect.gen(function*() {
      const { member, owner, port } = yield* Service
      const info = (yield* send(port, "GET", "/team/info", member)).json
      assert.deepInclude(info, { tier: "team", max_users: 3, user_count: 2, seats_remaining: 1 })
      const idOf = (email: string) =>
        Effect.map(send(port, "GET", "/team/info", owner), ({ text }) => {
          const { members }: { members: ReadonlyArray<{ email: string; user_id: string }> } = JSON.parse(text)
          return members.find((one) => one.email === email)?.user_id ?? ""
        })
      const own = yield* idOf("member@example.org")
      const other = yield* idOf("owner@example.org")
      const made = yield* send(port, "POST", "/chat", member, { message: "m" })
      assert.strictEqual(made.status, 202, made.text)
      assert.deepInclude(JSON.parse(made.text).task, { creator: own })
      const requests = (user: string) =>
        [
          ["POST", "/chat", { message: "m", user_id: user }],
          ["POST", "/human_response", { task_id: "x", response: "r", user_id: user }],
          ["PUT", `/users/${user}`, { title: "Editor" }],
          ["DELETE", `/users/${user}/overrides`],
          ["GET", `/users/${user}/notifications`],
          ["POST", `/users/${user}/notifications/x/mark_read`],
          ["DELETE", `/users/${user}/notifications/x`]
        ] as const
      const statuses = (token: string, user: string) =>
        Effect.forEach(requests(user), ([method, path, body]) =>
          Effect.map(send(port, method, path, token, body), ({ status }) => status))
      assert.deepStrictEqual(yield* statuses(member, other), [403, 403, 403, 403, 403, 403, 403])
      assert.deepStrictEqual(yield* statuses(member, "nobody"), [403, 403, 403, 403, 403, 403, 403])
      assert.deepStrictEqual(yield* statuses(member, own), [202, 404, 200, 200, 200, 404, 404])
      assert.deepStrictEqual(yield* statuses(owner, own), [202, 404, 200, 200, 200, 404, 404])
      for (
        const [method, path] of [["GET", "memories"], ["DELETE", "memories/x"], ["DELETE", "memories"], [
          "GET",
          "memories/export"
        ]] as const
      ) {
        isProblem(yield* send(port, method, `/users/${other}/${path}`, member), 403, "forbidden")
      }
      const generate = { description: "d", save: true }
      isProblem(yield* send(port, "POST", "/api/skills/generate", member, generate), 403, "forbidden")
    }))

  it.effect("invites within the seats, and says what is wrong with an invitation", () =>
    Effect.gen(function*() {
      const { owner, port, provider: { token } } = yield* Service
      const invite = (body: unknown) => send(port, "POST", "/team/invite", owner, body)
      for (
        const [body, path] of [
          [{}, "email"],
          [{ email: "nobody" }, "email"],
          [{ email: "Ada <ada@example.org>" }, "email"],
          [{ email: "ada@example.org", role: "owner" }, "role"],
          [{ email: "ada@example.org", name: " " }, "name"]
        ] as const
      ) {
        const { errors } = isProblem(yield* invite(body), 400, "invalid-request")
        assert.deepStrictEqual(errors?.map((error) => error.path), [path])
      }
      isProblem(yield* invite({ email: "member@example.org" }), 409, "already-member")
      const first = yield* invite({ email: "Ada@Example.org", name: "Ada", role: "admin" })
      assert.strictEqual(first.status, 201)
      assert.deepInclude(first.json, { email: "ada@example.org", name: "Ada", role: "admin", status: "pending" })
      const again = yield* invite({ email: "ada@example.org" })
      assert.deepStrictEqual([again.status, again.json], [200, first.json])
      isProblem(yield* invite({ email: "late@example.org" }), 403, "seat-limit")
      const ada = yield* token({ sub: "ada", email: "ada@example.org" })
      assert.strictEqual((yield* send(port, "POST", "/team/invite", ada, { email: "ada@example.org" })).status, 409)
      const { members }: { members: ReadonlyArray<{ id: string; role: string }> } = JSON.parse(
        (yield* send(port, "GET", "/team/info", ada)).text
      )
      const boss = members.find(({ role }) => role === "owner")?.id ?? ""
      isProblem(yield* send(port, "DELETE", `/team/members/${boss}`, ada), 409, "owner-not-removable")
      const { id }: { id: string } = JSON.parse(first.text)
      assert.strictEqual((yield* send(port, "DELETE", `/team/members/${id}`, owner)).status, 204)
      isProblem(yield* send(port, "DELETE", `/team/members/${id}`, owner), 404, "member-not-found")
      assert.strictEqual((yield* invite({ email: "late@example.org" })).status, 201)
    }))

  it.effect("checks no token without the provider's keys, and says so with 503", () =>
    Effect.gen(function*() {
      const { owner } = yield* Service
      const nowhere = "http://127.0.0.1:1"
      const identity = Identity.layer({ issuer: nowhere }).pipe(
        Layer.provide([IdTokens.layer({ issuer: nowhere, audience }), Layer.mock(TeamRepo, {})]),
        Layer.provide(SigningKeys.layer(nowhere)),
        Layer.provide(NodeHttpClient.layerUndici)
      )
      yield* Effect.scoped(Effect.gen(function*() {
        const port = yield* started(makeStage(), settings(nowhere), app(makeStage(), undefined, undefined, identity))
        const answer = yield* send(port, "GET", "/tasks", owner)
        isProblem(answer, 503, "sign-in-unavailable")
        assert.strictEqual(answer.headers["retry-after"], "2")
        assert.strictEqual((yield* send(port, "GET", "/health", null)).status, 200)
      }))
    }))
})

describe("A statement before the sign-in", () => {
  const careless = Layer.succeed(Identity, { authenticate: () => Effect.as(statementCaller, selfHostedCaller) })
  const statuses = (settings: Readonly<Record<string, string>>) =>
    Effect.gen(function*() {
      const port = yield* started(makeStage(), settings, app(makeStage(), undefined, undefined, careless))
      return yield* Effect.forEach(["/tasks", "/health", "/"], (path) =>
        Effect.map(send(port, "GET", path, null), ({ status }) => status))
    })

  it.scopedLive("fails the request in hosted mode only", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* statuses(settings("https://id.example")), [500, 200, 200])
      assert.deepStrictEqual(yield* statuses({}), [200, 200, 200])
    }))
})

describe("A self-hosted service", () => {
  it.scopedLive("has no team, whatever is sent", () =>
    Effect.gen(function*() {
      const port = yield* started(makeStage())
      isProblem(yield* send(port, "GET", "/team/info", null), 404, "not-found")
      isProblem(yield* beforeBody(port, "POST", "/team/invite", "any token"), 404, "not-found")
      assert.strictEqual((yield* send(port, "GET", "/tasks", "any token")).status, 200)
    }))
})
