import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schedule } from "effect"
import { authorizationServer, protectedToolServer } from "../support/AuthorizationServer.ts"
import { eventually } from "../support/Eventually.ts"
import { httpToolServer } from "../support/HttpToolServer.ts"
import { serve } from "../support/LocalServer.ts"
import { isRecord, type SignedService, startService } from "./signIn.ts"

/** One for all tests: a start takes longer than most of them. */
class Service extends Context.Tag("troupe/test/ToolServer/SignIn.test/Service")<Service, SignedService>() {}

const world = Effect.gen(function*() {
  const authority = yield* authorizationServer()
  const tools = yield* protectedToolServer(authority)
  const service = yield* Service
  yield* service.send("DELETE", "/api/mcp/configure")
  yield* service.configure({ srv: { url: tools.address } })
  return { authority, tools, service }
})

const timeout = 60_000

/** Each call is a whole task: more of them would only take processor time. */
const pace = Schedule.spaced("250 millis")

const callUntil = <A>(service: SignedService, question: Effect.Effect<A>, fits: (answer: A) => boolean) =>
  Effect.repeat(Effect.zipRight(service.asks("use srv__count {}"), question), { schedule: pace, until: fits })

layer(Layer.scoped(Service, startService()), { excludeTestServices: true, timeout })(
  "The sign-in at a tool server",
  (it) => {
    it.scoped(
      "connects a server that asked for it, and shows its state without its tokens",
      () =>
        Effect.gen(function*() {
          const { authority, service, tools } = yield* world
          assert.include(String((yield* service.server("srv", "needs_sign_in"))["error"]), "needs a sign-in")
          const page = yield* service.connect("srv")
          assert.strictEqual(page.status, 200, page.text)
          assert.include(page.text, "<b>srv</b> is connected")
          assert.include(page.text, `href="${service.base}/console/tool-servers?server=srv"`)
          const server = yield* service.server("srv", "connected")
          const { connection } = server
          assert(isRecord(connection))
          assert.deepInclude(connection, {
            issuer: authority.issuer,
            scopes: ["tools"],
            connected_by: "default",
            last_refresh: null,
            last_error: null,
            needs_sign_in: false
          })
          assert.isNotNull(connection["expires_at"])
          assert.strictEqual(authority.asked[0]?.["resource"], tools.address)
          const rows = yield* service.query("select a::text from tool_server_authorizations a")
          for (const text of [JSON.stringify(server), page.text, JSON.stringify(rows)]) {
            assert.notMatch(text, /access-|refresh-/)
          }

          // The same client the next time.
          yield* service.connect("srv")
          assert.strictEqual(authority.registered(), 1)

          assert.strictEqual((yield* service.send("DELETE", "/api/mcp/servers/srv/connection")).status, 204)
          assert.isNull((yield* service.server("srv", "needs_sign_in"))["connection"])
          assert.strictEqual((yield* service.send("DELETE", "/api/mcp/servers/other/connection")).status, 404)
          assert.strictEqual((yield* service.send("POST", "/api/mcp/servers/other/connect")).status, 404)
        }),
      timeout
    )

    it.scoped(
      "refuses what does not come from where it began, and each answer the second time",
      () =>
        Effect.gen(function*() {
          const { authority, service, tools } = yield* world
          const other = yield* authorizationServer()
          const second = yield* protectedToolServer(other)
          yield* service.configure({ srv: { url: tools.address }, second: { url: second.address } })
          const refused = (address: string, reason: string) =>
            Effect.map(service.back(address), (page) => {
              assert.isAbove(page.status, 399, page.text)
              assert.include(page.text, reason)
            })
          const changed = (address: string, values: Readonly<Record<string, string | null>>) => {
            const url = new URL(address)
            for (const [name, value] of Object.entries(values)) {
              if (value === null) url.searchParams.delete(name)
              else url.searchParams.set(name, value)
            }
            return url.href
          }
          const fresh = service.begin("srv")
          yield* refused(
            changed(yield* fresh, { iss: "https://elsewhere.example" }),
            "is not of the authorization server"
          )
          yield* refused(changed(yield* fresh, { iss: null }), "is not of the authorization server")
          yield* refused(changed(yield* fresh, { state: "another" }), "did not begin here")
          yield* refused(changed(yield* fresh, { state: null }), "did not begin here")
          yield* refused(changed(yield* fresh, { code: null }), "sent no code")
          yield* refused(
            changed(yield* fresh, { error: "access_denied", error_description: "<b>No</b>" }),
            "&lt;b&gt;No"
          )

          // The code of one server with the state of another: mixed up by an attacker.
          const [here, there] = [new URL(yield* fresh), new URL(yield* service.begin("second"))]
          const mixed = changed(here.href, { code: there.searchParams.get("code"), iss: there.searchParams.get("iss") })
          yield* refused(mixed, "is not of the authorization server")
          assert.deepStrictEqual([authority.asked, other.asked], [[], []], "no code was sent anywhere")

          const good = yield* fresh
          assert.strictEqual((yield* service.back(good)).status, 200)
          yield* refused(good, "was completed already")
          const late = yield* fresh
          yield* service.query("update tool_server_sign_ins set expires_at = now()")
          yield* refused(late, "took more than 10 minutes")
          const replayed = changed(yield* fresh, { code: new URL(good).searchParams.get("code") })
          yield* refused(replayed, "invalid_grant")
        }),
      timeout
    )

    it.scoped(
      "is needed before a server is reached that is configured with it, although it does not ask",
      () =>
        Effect.gen(function*() {
          const { service } = yield* world
          const open = yield* httpToolServer()
          yield* service.configure({ open: { url: open.url("http"), auth: "oauth" } })
          assert.include(String((yield* service.server("open", "needs_sign_in"))["error"]), "needs a sign-in")
          assert.strictEqual(open.opened(), 0)
        }),
      timeout
    )

    it.scoped("leads back to where one came from, and to no other host", () =>
      Effect.gen(function*() {
        const { service } = yield* world
        for (
          const [given, shown] of [
            ["/console/tasks/1", "/console/tasks/1"],
            ["https://elsewhere.example/", "/"],
            ["//elsewhere.example/", "/"],
            ["/\\elsewhere.example", "/"],
            ["javascript:alert(1)", "/"]
          ] as const
        ) {
          const address = yield* service.begin("srv", `?return_to=${encodeURIComponent(given)}`)
          const page = yield* service.back(address)
          assert.include(page.text, `href="${service.base}${shown}"`, given)
          assert.notInclude(page.text, "elsewhere")
        }
      }), timeout)

    it.scoped("refuses servers whose metadata is of another, too large, or moved", () =>
      Effect.gen(function*() {
        const { authority, service, tools } = yield* world
        const refused = (reason: string) =>
          Effect.map(service.send("POST", "/api/mcp/servers/srv/connect"), ({ json, status, text }) => {
            assert.strictEqual(status, 409, text)
            assert.include(String(json["detail"]), reason)
          })
        tools.resource = { resource: "https://elsewhere.example/mcp" }
        yield* refused("is of another resource")
        tools.resource = { padding: "x".repeat(10_000_000) }
        yield* refused("more than 1000000 bytes")
        tools.resource = { authorization_servers: ["javascript:alert(1)"] }
        yield* refused("metadata")
        tools.resource = {}

        // A server that speaks for another issuer, to get its codes and secrets at a token endpoint of its own.
        authority.metadata = { issuer: "https://accounts.example.com" }
        yield* refused("is of another issuer: https://accounts.example.com")
        authority.metadata = { padding: "x".repeat(10_000_000) }
        yield* refused("more than 1000000 bytes")
        authority.metadata = { token_endpoint: "http://tokens.example.com/token" }
        yield* refused("it is not https")
        // Two ports of this machine are two sites.
        const { issuer: foreign } = yield* authorizationServer()
        for (const name of ["token_endpoint", "registration_endpoint", "revocation_endpoint"]) {
          authority.metadata = { [name]: `${foreign}/token` }
          yield* refused(`names an address of another site: ${foreign}/token`)
        }
        authority.metadata = { code_challenge_methods_supported: ["plain"] }
        yield* refused("code challenge")
        authority.metadata = { code_challenge_methods_supported: undefined }
        yield* refused("PKCE")
        authority.metadata = { registration_endpoint: undefined }
        yield* refused("client_id")
        const moved = yield* serve((_, response) => response.writeHead(302, { location: authority.issuer }).end())
        tools.resource = { authorization_servers: [moved] }
        yield* refused("publishes no metadata")
        assert.deepStrictEqual(authority.asked, [])

        // Whoever configures a client knows where it is registered.
        const other = yield* authorizationServer()
        yield* service.configure({ srv: { url: tools.address, client_id: "known" } })
        tools.resource = {}
        authority.metadata = { token_endpoint: `${other.issuer}/token` }
        yield* service.begin("srv")
      }), timeout)

    it.scoped(
      "sends the secret of a configured client to the first authorization server alone",
      () =>
        Effect.gen(function*() {
          const { authority, service, tools } = yield* world
          const greedy = yield* authorizationServer()
          yield* service.configure({
            srv: { url: tools.address, client_id: "ours", client_secret: "a-secret-of-ours", scope: "mail files" }
          })
          assert.strictEqual((yield* service.connect("srv")).status, 200)
          assert.deepInclude(authority.asked[0], { client_id: "ours", client_secret: "a-secret-of-ours" })
          assert.strictEqual(authority.registered(), 0)
          assert.notInclude((yield* service.send("GET", "/api/mcp/configure")).text, "a-secret-of-ours")
          tools.resource = { authorization_servers: [greedy.issuer] }
          const { json, status } = yield* service.send("POST", "/api/mcp/servers/srv/connect")
          assert.strictEqual(status, 409)
          assert.include(String(json["detail"]), "belongs to the authorization server")
          yield* service.send("DELETE", "/api/mcp/servers/srv/connection")
          assert.strictEqual((yield* service.connect("srv")).status, 200)
        }),
      timeout
    )

    it.scoped("needs nobody with client_credentials", () =>
      Effect.gen(function*() {
        const { authority, service, tools } = yield* world
        const entry = { url: tools.address, client_id: "ours", client_secret: "hush", grant_type: "client_credentials" }
        yield* service.configure({ srv: entry })
        yield* service.server("srv", "connected")
        assert.strictEqual(authority.asked[0]?.["grant_type"], "client_credentials")
        assert.strictEqual((yield* service.send("POST", "/api/mcp/servers/srv/connect")).status, 409)
      }), timeout)

    it.scoped(
      "refreshes tokens ahead of their end, once for two processes, and no refresh token twice",
      () =>
        Effect.gen(function*() {
          const { authority, service, tools } = yield* world
          const other = yield* startService({}, service.url)
          authority.seconds = 2
          yield* service.connect("srv")
          yield* Effect.all([service.server("srv", "connected"), other.server("srv", "connected")])
          let asked = 0
          const calls = Effect.forEach(
            [service, other, service, other],
            (process) => Effect.flatMap(process.asks("use srv__count {}"), (id) => process.task(id, "completed")),
            { concurrency: "unbounded" }
          ).pipe(Effect.tap((tasks) => Effect.sync(() => asked += tasks.length)))
          yield* Effect.repeat(calls, { schedule: pace, until: () => authority.refreshed() >= 2 })
          assert.strictEqual(authority.replayed(), 0)
          assert.strictEqual(tools.called().length, asked, "each call was made once")
          const { connection } = yield* service.server("srv", "connected")
          assert(isRecord(connection))
          assert.isNotNull(connection["last_refresh"])
        }),
      timeout
    )

    it.scoped(
      "pauses the tasks that call a server without one, tells once, and makes their calls after it",
      () =>
        Effect.gen(function*() {
          const { authority, service, tools } = yield* world
          yield* service.connect("srv")
          yield* service.server("srv", "connected")
          authority.revoke()
          const ids = yield* Effect.forEach([1, 2, 3], () => service.asks("use srv__count {}"))
          for (const id of ids) {
            const task = yield* service.task(id, "waiting_input")
            assert.deepInclude(task["waiting_for"], { reason: "sign_in", who: null })
            assert.include(String(task["question"]), `${service.base}/console/tool-servers?server=srv`)
          }
          assert.deepStrictEqual(tools.called(), [])
          const answered = yield* service.send("POST", "/human_response", { task_id: ids[0], response: "Go on" })
          assert.strictEqual(answered.status, 409, answered.text)
          const told = yield* service.query("select 1 from notifications where title = 'srv needs a sign-in'")
          assert.lengthOf(told, 1)

          assert.strictEqual((yield* service.connect("srv")).status, 200)
          for (const id of ids) yield* service.task(id, "completed")
          assert.lengthOf(tools.called(), 3)
        }),
      timeout
    )

    it.scoped(
      "is waited for no longer where its server is gone, disabled, or needs none any more",
      () =>
        Effect.gen(function*() {
          const { authority, service, tools } = yield* world
          const open = yield* httpToolServer()
          const names = ["renamed", "disabled", "srv"]
          yield* service.configure(Object.fromEntries(names.map((name) => [name, { url: tools.address }])))
          for (const name of names) {
            yield* service.connect(name)
            yield* service.server(name, "connected")
          }
          authority.revoke()
          const ids = yield* Effect.forEach(names, (name) => service.asks(`use ${name}__count {}`))
          for (const id of ids) {
            assert.deepInclude((yield* service.task(id, "waiting_input"))["waiting_for"], { reason: "sign_in" })
          }
          yield* service.configure({
            other: { url: tools.address },
            disabled: { url: tools.address, disabled: true },
            srv: { url: open.url("http") }
          })
          const said = yield* Effect.forEach(
            ids,
            (id) => Effect.map(service.task(id, "completed"), (task) => JSON.stringify(task))
          )
          assert.include(said[0], "its server was removed or renamed")
          assert.include(said[1], "the tool server disabled is disabled")
          assert.include(said[2], "one")
          assert.deepStrictEqual(tools.called(), [], "nothing was called at the old one")
          assert.deepStrictEqual(open.called(), ["count"])
        }),
      timeout
    )

    it.scoped("is what a subtask waits for that needs it, too", () =>
      Effect.gen(function*() {
        const { authority, service } = yield* world
        yield* service.connect("srv")
        yield* service.server("srv", "connected")
        authority.revoke()
        const dispatch = { task_description: "use srv__count {}" }
        const id = yield* service.asks(`use dispatch_subagent ${JSON.stringify(dispatch)}`)
        const waits = Effect.map(
          service.send("GET", `/task/${id}/subtasks`),
          ({ json }) => JSON.stringify(json)
        )
        const listed = yield* eventually(waits, (text) => text.includes("\"reason\":\"sign_in\""))
        assert.include(listed, "Waits for a sign-in at the tool server srv by an owner or admin")
        assert.notInclude(listed, "\"until\":null")
        yield* service.send("POST", `/task/${id}/cancel`)
      }), timeout)

    it.scoped("retries a refresh that fails for now, and the task gets its result", () =>
      Effect.gen(function*() {
        const { authority, service, tools } = yield* world
        authority.seconds = 2
        yield* service.connect("srv")
        yield* service.server("srv", "connected")
        authority.refusal = { status: 503, body: { error: "temporarily_unavailable" } }
        yield* callUntil(
          service,
          service.query("select 1 from tool_server_authorizations where error is not null"),
          ({ length }) => length > 0
        )
        authority.refusal = null
        yield* service.query("update tool_server_authorizations set refresh_at = now()")
        yield* service.query("select pg_notify('troupe_tool_servers', '')")
        const id = yield* service.asks("use srv__count {}")
        yield* service.task(id, "completed")
        assert.include(JSON.stringify(yield* service.send("GET", `/task/${id}`)), "one")
        assert.isAbove(authority.refreshed(), 0)
        assert.isAbove(tools.called().length, 0)
      }), timeout)

    it.scoped("keeps tokens that were issued while its connection to the database ended", () =>
      Effect.gen(function*() {
        const { authority, service, tools } = yield* world
        authority.seconds = 2
        yield* service.connect("srv")
        yield* service.server("srv", "connected")
        let ended = 0
        authority.atRefresh = (moment) =>
          moment === "arrived" ? Effect.succeed(true) : Effect.map(
            service.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
and state = 'idle in transaction' and query like '%tool_server_authorizations%'`),
            ({ length }) => {
              ended += length
              authority.atRefresh = null
              return true
            }
          )
        const call = Effect.flatMap(service.asks("use srv__count {}"), (id) => service.task(id, "completed"))
        const calls = yield* Effect.repeat(Effect.as(call, 1), {
          schedule: Schedule.zipRight(pace, Schedule.count),
          until: () => authority.refreshed() >= 2
        })
        assert.strictEqual(ended, 1)
        assert.strictEqual(authority.replayed(), 0)
        assert.lengthOf(tools.called(), calls + 1)
      }), timeout)

    for (
      const [overlaps, status, outcome] of [
        [true, "connected", "goes on if the server takes the refresh token once more"],
        [false, "needs_sign_in", "ends for good, told once, if the server takes a refresh token once"]
      ] as const
    ) {
      it.scoped(`whose refreshed tokens are lost on the way ${outcome}`, () =>
        Effect.gen(function*() {
          const { authority, service } = yield* world
          authority.seconds = 600
          authority.overlaps = overlaps
          authority.atRefresh = (moment) => Effect.succeed(moment === "arrived")
          yield* service.connect("srv")
          const told = service.query("select 1 from notifications where title = 'srv needs a sign-in'")
          const before = yield* told
          yield* service.server("srv", "connected")
          yield* service.query("update tool_server_authorizations set refresh_at = now()")
          yield* service.query("select pg_notify('troupe_tool_servers', '')")
          yield* callUntil(
            service,
            service.query("select 1 from tool_server_authorizations where error is not null"),
            ({ length }) => length > 0
          )
          assert.deepStrictEqual([authority.refreshed(), authority.replayed()], [1, 0])
          authority.atRefresh = null
          yield* service.query("update tool_server_authorizations set refresh_at = now()")
          yield* service.query("select pg_notify('troupe_tool_servers', '')")
          yield* callUntil(service, Effect.sync(() => authority.replayed()), (count) => count > 0)
          yield* service.server("srv", status)
          assert.strictEqual(authority.replayed(), 1)
          assert.lengthOf(yield* told, before.length + (overlaps ? 0 : 1))
        }), timeout)
    }

    it.scoped(
      "revokes the tokens of a connection that is forgotten, as the authorization server wants it",
      () =>
        Effect.gen(function*() {
          const { authority, service, tools } = yield* world
          const client = { client_id: "theirs", client_secret: "a-secret" }
          const basic = `Basic ${Buffer.from("theirs:a-secret").toString("base64")}`
          for (
            const [entry, metadata, given] of [
              [{}, {}, { authorization: "", client_id: "client-1" }],
              [client, {}, { authorization: "", ...client }],
              [client, { revocation_endpoint_auth_methods_supported: ["client_secret_basic"] }, {
                authorization: basic
              }]
            ] as const
          ) {
            authority.metadata = metadata
            yield* service.configure({ srv: { url: tools.address, ...entry } })
            yield* service.connect("srv")
            authority.revoked.splice(0)
            assert.strictEqual((yield* service.send("DELETE", "/api/mcp/servers/srv/connection")).status, 204)
            yield* eventually(Effect.sync(() => authority.revoked), ({ length }) => length === 2)
            const kinds = authority.revoked.map((one) => ({ ...one, token: (one["token"] ?? "").replace(/-.*/, "") }))
            assert.deepStrictEqual<ReadonlyArray<object>>(kinds, [
              { ...given, token: "refresh", token_type_hint: "refresh_token" },
              { ...given, token: "access", token_type_hint: "access_token" }
            ])
          }
        }),
      timeout
    )

    it.scoped(
      "forgets a connection whether or not its tokens can be revoked, says if not, and sends them to no forbidden address",
      () =>
        Effect.gen(function*() {
          const { authority, service, tools } = yield* world
          yield* service.configure({ srv: { url: tools.address, client_id: "fourth" } })
          const other = yield* authorizationServer()
          let requests = 0
          const told = service.query<{ body: string }>(
            "select body from notifications where title = 'The tokens of srv are not revoked'"
          )
          const reasons: Array<string> = []
          for (
            const [status, metadata, more, reason] of [
              [200, {}, 2, null],
              [200, { revocation_endpoint: undefined }, 0, null],
              [200, { revocation_endpoint: "http://tokens.example.com/revoke" }, 0, "it is not https"],
              [200, { revocation_endpoint: `http://user@${new URL(other.issuer).host}/revoke` }, 0, "a user name"],
              [503, {}, 2, "server_error: HTTP 503: {}"],
              [400, {}, 2, "server_error: HTTP 400: {}"]
            ] as const
          ) {
            authority.revocation = status
            authority.metadata = metadata
            yield* service.connect("srv")
            assert.strictEqual((yield* service.send("DELETE", "/api/mcp/servers/srv/connection")).status, 204)
            assert.isNull((yield* service.server("srv"))["connection"])
            requests += more
            if (reason !== null) reasons.push(reason)
            yield* eventually(Effect.sync(() => authority.revoked), ({ length }) => length >= requests)
            const bodies = yield* eventually(told, ({ length }) => length >= reasons.length)
            assert.include(JSON.stringify(bodies), reason ?? "")
          }
          assert.lengthOf(authority.revoked, requests)
          assert.lengthOf(yield* told, reasons.length)
          assert.notMatch(JSON.stringify(yield* told), /access-|refresh-/)
          assert.lengthOf(other.revoked, 0)
        }),
      timeout
    )

    it.scoped("asks for more scopes when a call needs them", () =>
      Effect.gen(function*() {
        const { authority, service, tools } = yield* world
        yield* service.connect("srv")
        yield* service.server("srv", "connected")
        tools.scope = "tools:write"
        const id = yield* service.asks("use srv__count {}")
        const task = yield* service.task(id, "waiting_input")
        assert.deepInclude(task["waiting_for"], { reason: "sign_in" })
        assert.strictEqual((yield* service.connect("srv")).status, 200)
        yield* service.task(id, "completed")
        assert.isTrue(authority.isValid(String(tools.headers()["authorization"]).slice(7), "tools"))
        assert.lengthOf(tools.called(), 1)
      }), timeout)
  }
)
