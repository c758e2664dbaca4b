import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { authorizationServer, protectedToolServer } from "../support/AuthorizationServer.ts"
import { serve } from "../support/LocalServer.ts"
import { startService } from "./signIn.ts"
import { Service, timeout, world } from "./signInWorld.ts"

layer(Layer.scoped(Service, startService()), { excludeTestServices: true, timeout })(
  "The sign-in at a tool server",
  (it) => {
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
  }
)
