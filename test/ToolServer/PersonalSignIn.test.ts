import { HttpClient } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { SqlClient } from "@effect/sql/SqlClient"
import { assert, layer } from "@effect/vitest"
import { CurrentUser } from "@troupe/api/Authentication"
import type { Caller } from "@troupe/domain/Caller"
import { UserId } from "@troupe/domain/Ids"
import { Duration, Effect, Layer, Logger, LogLevel, Option, Redacted } from "effect"
import { ScheduledJobs } from "../../src/Runtime/Cluster/ScheduledJobs.ts"
import { Signals } from "../../src/Runtime/Database/Signals.ts"
import * as Sql from "../../src/Runtime/Database/Sql.ts"
import { Sealing } from "../../src/Runtime/Sealing.ts"
import { AccessTokens } from "../../src/ToolServer/AccessTokens.ts"
import { Authorizations } from "../../src/ToolServer/Authorizations.ts"
import { ToolServerRepo } from "../../src/ToolServer/ToolServerRepo.ts"
import { ToolServers } from "../../src/ToolServer/ToolServers.ts"
import { ToolServerSettings } from "../../src/ToolServer/ToolServerSettings.ts"
import { ToolServerSignIn } from "../../src/ToolServer/ToolServerSignIn.ts"
import { authorizationServer, protectedToolServer } from "../support/AuthorizationServer.ts"
import * as Database from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { configure } from "./world.ts"

const rules = { isHosted: false, allowStdio: false, maxCallSeconds: 600 }
const publicUrl = new URL("https://troupe.example.org/team/")

const caller = (name: string, role: Caller["role"] = "member"): Caller => ({ id: UserId.make(name), role })
const [ann, ben, owner] = [caller("ann"), caller("ben"), caller("olga", "owner")]

const stored = Layer.mergeAll(ToolServerRepo.layer, Authorizations.layer, ScheduledJobs.layerMemory).pipe(
  Layer.provideMerge(Signals.layerLocal),
  Layer.provideMerge(Sealing.layer(Option.some(Redacted.make("k".repeat(32))))),
  Layer.provideMerge(Layer.orDie(Sql.layer({ maxConnections: 4 })))
)

/** A team's service without its HTTP, so that servers of this machine can be reached. */
const team = Layer.mergeAll(
  ToolServerSettings.layer({ rules, timeout: "500 millis" }),
  ToolServerSignIn.layer({ rules, publicUrl }),
  ToolServers.layer({
    connectTimeout: Duration.seconds(20),
    callTimeout: Duration.seconds(20),
    stepTimeout: { parent: Duration.minutes(5), subagent: Duration.minutes(10) },
    rules,
    acceptChanges: false,
    admin: null
  })
).pipe(
  Layer.provideMerge(AccessTokens.layer({ isHosted: false, admin: null })),
  Layer.provideMerge(stored),
  Layer.provideMerge(Database.layer),
  Layer.provideMerge(Logger.minimumLogLevel(LogLevel.None))
)

/** What the browser of the person brings back from the authorization server. */
const begun = (person: Caller) =>
  Effect.gen(function*() {
    const { connect } = yield* ToolServerSignIn
    const { url } = yield* Effect.provideService(connect("srv", undefined), CurrentUser, person)
    const { headers } = yield* HttpClient.get(url)
    return { page: new URL(url), answer: new URL(headers["location"] ?? "").searchParams }
  }).pipe(Effect.scoped, Effect.provide(NodeHttpClient.layerUndici))

const connects = (person: Caller) =>
  Effect.gen(function*() {
    const { complete } = yield* ToolServerSignIn
    const { answer } = yield* begun(person)
    return yield* complete(answer, person)
  })

const forgets = (person: Caller) =>
  Effect.flatMap(ToolServerSignIn, ({ forget }) => Effect.provideService(forget("srv"), CurrentUser, person))

const calls = (user?: Caller) =>
  Effect.gen(function*() {
    const servers = yield* ToolServers
    const tools = yield* eventually(Effect.sync(() => servers.tools()), ({ length }) => length > 0)
    const [tool] = tools
    assert(tool !== undefined)
    return yield* Effect.either(servers.call(tool, {}, undefined, undefined, user?.id))
  })

const failureOf = (user?: Caller) =>
  Effect.map(calls(user), (outcome) => outcome._tag === "Left" ? outcome.left.what : "made")

const headerOf = ({ id }: Caller) =>
  Effect.flatMap(Authorizations, ({ find }) =>
    Effect.map(
      find({ server: "srv", user: id }),
      Option.match({ onNone: () => "none", onSome: (one) => `Bearer ${Redacted.value(one.accessToken)}` })
    ))

const world = (entry: object = { per_user: true }) =>
  Effect.gen(function*() {
    const authority = yield* authorizationServer()
    const tools = yield* protectedToolServer(authority)
    yield* configure({})
    yield* configure({ srv: { url: tools.address, ...entry } })
    return { authority, tools }
  })

layer(team, { excludeTestServices: true, timeout: 60_000 })("A tool server at which each person signs in", (it) => {
  it.scoped("is called with the token of the person for whom it is called, and of nobody else", () =>
    Effect.gen(function*() {
      const { tools } = yield* world()
      const { signIns } = yield* ToolServers
      yield* connects(ann)
      assert.strictEqual(yield* failureOf(ann), "made")
      assert.strictEqual(tools.headers()["authorization"], yield* headerOf(ann))

      assert.isTrue(yield* signIns.areMissing("srv", ben.id))
      assert.strictEqual(yield* failureOf(ben), "unauthorized")
      assert.strictEqual(yield* failureOf(), "refused", "for nobody")
      assert.lengthOf(tools.called(), 1)

      yield* connects(ben)
      assert.isFalse(yield* signIns.areMissing("srv", ben.id))
      assert.strictEqual(yield* failureOf(ben), "made")
      assert.strictEqual(tools.headers()["authorization"], yield* headerOf(ben))
      assert.notStrictEqual(yield* headerOf(ben), yield* headerOf(ann))
    }))

  it.scoped("is called by the subagents of a person with the same token", () =>
    Effect.gen(function*() {
      const { tools } = yield* world()
      const { openSession } = yield* ToolServers
      yield* Effect.all([connects(ann), connects(ben)])
      yield* calls(ann)
      const servers = yield* ToolServers
      const [tool] = servers.tools()
      assert(tool !== undefined)
      for (const person of [ben, ann]) {
        const session = yield* openSession(person.id)
        yield* session.call(tool, {})
        assert.strictEqual(tools.headers()["authorization"], yield* headerOf(person))
      }
      const session = yield* openSession(owner.id)
      assert.strictEqual((yield* Effect.flip(session.call(tool, {}))).what, "unauthorized")
      assert.lengthOf(tools.called(), 3)
    }))

  it.scoped("is connected and forgotten by each member alone", () =>
    Effect.gen(function*() {
      const { tools } = yield* world()
      yield* Effect.all([connects(ann), connects(ben), connects(owner)])
      assert.strictEqual(yield* failureOf(ann), "made")
      yield* forgets(owner)
      yield* forgets(ann)
      assert.strictEqual(yield* failureOf(ann), "unauthorized")
      assert.strictEqual(yield* failureOf(ben), "made")
      assert.lengthOf(tools.called(), 2)
      const { connections } = yield* Authorizations
      assert.lengthOf(yield* connections(ann.id), 0)
      assert.deepStrictEqual((yield* connections(ben.id)).map(({ key }) => key.user), [ben.id])
    }))

  it.scoped("tells the person alone that a sign-in has ended", () =>
    Effect.gen(function*() {
      const { authority, tools } = yield* world()
      yield* Effect.all([connects(ann), connects(ben)])
      yield* calls(ann)
      authority.revoke()
      yield* connects(ann)
      assert.strictEqual(yield* failureOf(ben), "unauthorized")
      assert.strictEqual(yield* failureOf(ann), "made")
      assert.lengthOf(tools.called(), 2)
      const sql = yield* SqlClient
      const told = yield* sql`select user_id from notifications where title = 'srv needs a sign-in'`
      assert.deepStrictEqual(told, [{ user_id: ben.id }])
    }))
})

layer(team, { excludeTestServices: true, timeout: 60_000 })("A tool server that everybody uses", (it) => {
  it.scoped("is connected and forgotten by owner and admins alone", () =>
    Effect.gen(function*() {
      yield* world({})
      assert.strictEqual((yield* Effect.flip(begun(ann)))._tag, "NotAllowed")
      yield* connects(owner)
      assert.strictEqual((yield* Effect.flip(forgets(ann)))._tag, "NotAllowed")
      assert.strictEqual(yield* failureOf(ann), "made")
      const { complete } = yield* ToolServerSignIn
      const { answer } = yield* begun(owner)
      const demoted = yield* Effect.flip(complete(answer, { ...owner, role: "member" }))
      assert.include(demoted.reason, "Only an owner or admin")
      yield* forgets(caller("ada", "admin"))
    }))

  it.scoped("takes the answer of the authorization server from the browser that began, once", () =>
    Effect.gen(function*() {
      const { authority } = yield* world({ per_user: true })
      const { complete } = yield* ToolServerSignIn
      const { answer } = yield* begun(ann)
      assert.deepInclude(yield* Effect.flip(complete(answer, null)), { status: 401 })
      for (const other of [ben, owner]) {
        assert.deepInclude(yield* Effect.flip(complete(answer, other)), { status: 403 })
      }
      assert.deepStrictEqual(authority.asked, [], "no code was exchanged")
      yield* complete(answer, ann)
      assert.deepInclude(yield* Effect.flip(complete(answer, ann)), { status: 400 })
    }))

  it.scoped("gives the id and secret of a configured client encoded, as strict authorization servers read them", () =>
    Effect.gen(function*() {
      const { authority } = yield* world({ client_id: "our app", client_secret: "a+b/c=%:\u00fc" })
      authority.metadata = { token_endpoint_auth_methods_supported: ["client_secret_basic"] }
      // The first token has ended before it is used.
      authority.seconds = 0
      yield* connects(owner)
      authority.seconds = 3600
      const authorization = `Basic ${Buffer.from("our+app:a%2Bb%2Fc%3D%25%3A%C3%BC").toString("base64")}`
      assert.deepInclude(authority.asked[0], { authorization, grant_type: "authorization_code" })
      assert.notProperty(authority.asked[0], "client_id")
      yield* calls(ann)
      assert.deepInclude(authority.asked[1], { authorization, grant_type: "refresh_token" })
      yield* forgets(owner)
      const revoked = yield* eventually(Effect.sync(() => authority.revoked), ({ length }) => length > 0)
      assert.deepInclude(revoked[0], { authorization })
    }))

  it.scoped("refuses a call, and waits for nobody, where a client of its own may do too little", () =>
    Effect.gen(function*() {
      const client = { client_id: "ours", client_secret: "hush", grant_type: "client_credentials" }
      const { tools } = yield* world(client)
      assert.strictEqual(yield* failureOf(ann), "made")
      tools.scope = "mail"
      assert.strictEqual(yield* failureOf(ann), "refused")
      assert.lengthOf(tools.called(), 1)
    }))

  it.scoped("is known to have taken nothing while its token can't be refreshed for now", () =>
    Effect.gen(function*() {
      const { authority, tools } = yield* world({})
      yield* connects(owner)
      assert.strictEqual(yield* failureOf(ann), "made")
      authority.revoke()
      authority.refusal = { status: 503, body: {} }
      assert.strictEqual(yield* failureOf(ann), "refused")
      assert.lengthOf(tools.called(), 1)
    }))

  it.scoped("needs a sign-in where its refresh is refused in the words of a code host or a chat, with a status of 200", () =>
    Effect.gen(function*() {
      for (const error of ["bad_refresh_token", "invalid_refresh_token"]) {
        const { authority, tools } = yield* world({})
        yield* connects(owner)
        assert.strictEqual(yield* failureOf(ann), "made")
        authority.revoke()
        authority.refusal = {
          status: 200,
          body: { ok: false, error, error_description: "It is incorrect or expired." }
        }
        assert.strictEqual(yield* failureOf(ann), "unauthorized")
        assert.lengthOf(tools.called(), 1)
        const found = yield* Effect.flatMap(Authorizations, ({ find }) => find({ server: "srv", user: null }))
        assert.isFalse(Option.getOrThrow(found).isValid)
      }
    }))

  it.scoped("knows the service by the address of its metadata document", () =>
    Effect.gen(function*() {
      const { authority } = yield* world({})
      const document = "https://troupe.example.org/team/auth/mcp/client.json"
      authority.metadata = { client_id_metadata_document_supported: true }
      const { page } = yield* begun(owner)
      assert.strictEqual(page.searchParams.get("client_id"), document)
      assert.strictEqual(page.searchParams.get("redirect_uri"), "https://troupe.example.org/team/auth/mcp/callback")
      yield* connects(owner)
      assert.strictEqual(authority.registered(), 0)
      assert.deepInclude(authority.asked[0], { client_id: document })
      assert.notProperty(authority.asked[0], "client_secret")
    }))
})
