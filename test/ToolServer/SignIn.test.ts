import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { authorizationServer } from "../support/AuthorizationServer.ts"
import { httpToolServer } from "../support/HttpToolServer.ts"
import { isRecord, startService } from "./signIn.ts"
import { Service, timeout, world } from "./signInWorld.ts"

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
      "asks for more scopes when a call needs them, of those who can sign in, too",
      () =>
        Effect.gen(function*() {
          const { authority, service, tools } = yield* world
          yield* service.connect("srv")
          yield* service.server("srv", "connected")
          tools.scope = "tools:write"
          const id = yield* service.asks("use srv__count {}")
          const task = yield* service.task(id, "waiting_input")
          assert.deepInclude(task["waiting_for"], { reason: "sign_in" })
          const second = yield* service.asks("use srv__count {}")
          yield* service.task(second, "waiting_input")
          const told = yield* service.query<{ readonly body: string }>(
            "select body from notifications where title = 'srv needs a sign-in'"
          )
          assert.lengthOf(told, 1)
          assert.include(told[0]?.body, "asks for more than was allowed: tools:write.")
          assert.strictEqual((yield* service.connect("srv")).status, 200)
          yield* service.task(id, "completed")
          yield* service.task(second, "completed")
          assert.isTrue(authority.isValid(String(tools.headers()["authorization"]).slice(7), "tools"))
          assert.lengthOf(tools.called(), 2)
        }),
      timeout
    )

    it.scoped(
      "asks once for the scopes that different calls need, and says so again after its tokens were refreshed",
      () =>
        Effect.gen(function*() {
          const { service, tools } = yield* world
          yield* service.connect("srv")
          yield* service.server("srv", "connected")
          yield* service.query("delete from notifications where title = 'srv needs a sign-in'")
          const connectionOf = Effect.map(service.server("srv"), ({ connection }) => connection)
          for (const scope of ["tools:write", "tools:admin", "tools:write"]) {
            // As a refresh of the tokens does.
            yield* service.query("update tool_server_authorizations set error = null")
            tools.scope = scope
            yield* service.task(yield* service.asks("use srv__count {}"), "waiting_input")
            const connection = yield* connectionOf
            assert(isRecord(connection))
            assert.include(JSON.stringify(connection["last_error"]), "asks for more than was allowed")
          }
          const told = yield* service.query("select from notifications where title = 'srv needs a sign-in'")
          assert.lengthOf(told, 2)
          yield* service.connect("srv")
          const connection = yield* connectionOf
          assert(isRecord(connection))
          assert.deepStrictEqual(connection["scopes"], ["tools", "tools:write", "tools:admin"])
        }),
      timeout
    )
  }
)
