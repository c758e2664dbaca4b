import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createHash, randomUUID } from "node:crypto"
import { makeBrowser } from "../support/Browser.ts"
import { hosted, People, publicUrl, send, signedIn } from "./hosted.ts"
import { isProblem } from "./RawHttp.ts"
import { Service } from "./service.ts"

const configured = (entry: object = {}) =>
  Effect.gen(function*() {
    const { port } = yield* Service
    const { owner } = yield* People
    const servers = { mcpServers: { srv: { url: "https://tools.invalid/mcp", disabled: true, ...entry } } }
    const { status, text } = yield* send(port, "POST", "/api/mcp/configure", owner, servers)
    assert.strictEqual(status, 200, text)
  })

/** A sign-in that somebody has begun, by the state of the address to which the browser comes back. */
const begunBy = (email: string) =>
  Effect.gen(function*() {
    const { query } = yield* Service
    const state = randomUUID()
    const digest = createHash("sha256").update(state).digest("base64url")
    yield* query(
      `insert into tool_server_sign_ins (state, server, user_id, begun_by, secrets, expires_at)
select $1, 'srv', '', id, '{"sealed":"of another key"}', now() + interval '10 minutes' from users where email = $2`,
      [digest, email]
    )
    return {
      path: `/auth/mcp/callback?state=${state}&code=c`,
      isPending: Effect.map(query("select 1 from tool_server_sign_ins where state = $1", [digest]), (rows) =>
        rows.length === 1)
    }
  })

const settings = { SECRETS_KEY: "k".repeat(32) }

layer(hosted(settings), { excludeTestServices: true })("The sign-in at a tool server of a hosted service", (it) => {
  it.effect("is for owner and admins where it is for everybody, and else for each member", () =>
    Effect.gen(function*() {
      const { port } = yield* Service
      const { member, owner } = yield* People
      const connect = (token: string) => send(port, "POST", "/api/mcp/servers/srv/connect", token)
      const forget = (token: string) => send(port, "DELETE", "/api/mcp/servers/srv/connection", token)
      yield* configured()
      isProblem(yield* connect(member), 403, "forbidden")
      isProblem(yield* forget(member), 403, "forbidden")
      // Allowed; the host of the server does not exist.
      assert.strictEqual((yield* connect(owner)).status, 409)
      assert.strictEqual((yield* forget(owner)).status, 204)
      yield* configured({ per_user: true })
      assert.strictEqual((yield* connect(member)).status, 409)
      assert.strictEqual((yield* forget(member)).status, 204)
      assert.strictEqual((yield* forget("")).status, 401)
    }))

  it.effect("is completed by the browser of the person who began it alone", () =>
    Effect.gen(function*() {
      const { port } = yield* Service
      yield* configured()
      const { isPending, path } = yield* begunBy("owner@example.org")
      const own = yield* begunBy("member@example.org")
      const nobody = yield* makeBrowser(port).send("GET", path)
      assert.strictEqual(nobody.status, 401)
      assert.include(nobody.text, `${publicUrl.href}auth/login?return_to=`)
      const browser = yield* signedIn
      const other = yield* browser.send("GET", path)
      assert.strictEqual(other.status, 403)
      assert.include(other.text, "Somebody else began this sign-in.")
      assert.isTrue(yield* isPending)
      assert.strictEqual((yield* browser.send("GET", own.path)).status, 400)
      assert.isFalse(yield* own.isPending, "it was taken")
    }))

  it.effect("publishes who the service is as a client, to everybody", () =>
    Effect.gen(function*() {
      const { port } = yield* Service
      const { json, status } = yield* send(port, "GET", "/auth/mcp/client.json", null)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(json, {
        client_id: `${publicUrl.href}auth/mcp/client.json`,
        client_name: "Troupe",
        client_uri: publicUrl.href,
        redirect_uris: [`${publicUrl.href}auth/mcp/callback`],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none"
      })
    }))
})
