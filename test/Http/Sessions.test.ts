import { assert, layer } from "@effect/vitest"
import { rpcPath } from "@troupe/api/TroupeRpcs"
import { Effect } from "effect"
import { makeBrowser, ownPage, type Page, signIn } from "../support/Browser.ts"
import { hosted, People, publicUrl, session, signedIn } from "./hosted.ts"
import { Service } from "./service.ts"

const status = ({ status }: Page) => status

layer(hosted(), { excludeTestServices: true })("A browser with a session", (it) => {
  it.scoped("can change something only from pages of the service", () =>
    Effect.gen(function*() {
      const browser = yield* signedIn
      const chat = (headers: Readonly<Record<string, string>>) =>
        Effect.map(browser.send("POST", "/chat", { headers, body: { message: "m" } }), status)
      assert.strictEqual(yield* chat({ origin: "https://evil.example" }), 403)
      assert.strictEqual(yield* chat({ "sec-fetch-site": "same-site", origin: "https://www.example.org" }), 403)
      assert.strictEqual(yield* chat({}), 403)
      assert.strictEqual(yield* chat({ origin: publicUrl.origin }), 202)
      const call = { jsonrpc: "2.0", id: 1, method: "tools/list" }
      const foreign = { origin: "https://evil.example" }
      assert.strictEqual(status(yield* browser.send("POST", "/mcp", { headers: foreign, body: call })), 403)
      assert.strictEqual(status(yield* browser.send("POST", rpcPath, { headers: foreign, body: call })), 403)
      assert.strictEqual(status(yield* browser.send("POST", "/auth/logout", { headers: foreign, body: {} })), 403)
    }))

  it.effect("that sends a token too is the caller of the token", () =>
    Effect.gen(function*() {
      const { owner } = yield* People
      const browser = yield* signedIn
      const { text } = yield* browser.send("GET", "/auth/session", { headers: { authorization: `Bearer ${owner}` } })
      assert.deepInclude(JSON.parse(text), { role: "owner", signed_in_by: "token" })
      const wrong = { ...ownPage, authorization: "Bearer expired" }
      assert.strictEqual(status(yield* browser.send("GET", "/auth/session", { headers: wrong })), 401)
    }))

  it.effect("signs out alone, or everywhere", () =>
    Effect.gen(function*() {
      const [here, there, elsewhere] = [yield* signedIn, yield* signedIn, yield* signedIn]
      const stolen = here.copy()
      const out = yield* here.send("POST", "/auth/logout", { headers: ownPage, body: {} })
      assert.strictEqual(out.status, 204, out.text)
      assert.isFalse(here.jar.has(session))
      assert.strictEqual(status(yield* stolen.send("GET", "/tasks")), 401)
      assert.strictEqual(status(yield* there.send("GET", "/tasks")), 200)
      yield* there.send("POST", "/auth/logout", { headers: ownPage, body: { everywhere: true } })
      assert.strictEqual(status(yield* elsewhere.send("GET", "/tasks")), 401)
    }))

  it.effect("that signs in again has one session", () =>
    Effect.gen(function*() {
      const browser = yield* signedIn
      const before = browser.copy()
      yield* signIn(browser)
      assert.strictEqual(status(yield* before.send("GET", "/tasks")), 401)
      assert.strictEqual(status(yield* browser.send("GET", "/tasks")), 200)
    }))

  it.effect("is signed out after a time without use, and after a day in any case", () =>
    Effect.gen(function*() {
      const { query } = yield* Service
      const browser = yield* signedIn
      const tasks = Effect.map(browser.send("GET", "/tasks"), status)
      yield* query("update sessions set expires_at = now() + interval '1 hour'")
      assert.strictEqual(yield* tasks, 200)
      const [used] = yield* query(
        "select count(*)::integer as count from sessions where expires_at > now() + interval '7 hours'"
      )
      assert.deepStrictEqual(used, { count: 1 })
      yield* query("update sessions set ends_at = now() + interval '2 hours', expires_at = now() + interval '1 hour'")
      assert.strictEqual(yield* tasks, 200)
      const [last] = yield* query("select count(*)::integer as count from sessions where expires_at = ends_at")
      assert.deepStrictEqual(last, { count: 1 })
      yield* query("update sessions set expires_at = now()")
      assert.strictEqual(yield* tasks, 401)
    }))

  it.effect("has the member's present role, and is signed out with the seat or when it belongs to another account", () =>
    Effect.gen(function*() {
      const { port, query } = yield* Service
      const { owner } = yield* People
      const browser = yield* signedIn
      const reload = Effect.map(browser.send("POST", "/api/skills/reload", { headers: ownPage }), status)
      assert.strictEqual(yield* reload, 403)
      yield* query("update team_members set role = 'admin' where email = 'member@example.org'")
      assert.strictEqual(yield* reload, 200)
      yield* query("update team_members set role = 'member' where email = 'member@example.org'")
      assert.strictEqual(yield* reload, 403)
      yield* query("update team_members set subject = 'other' where email = 'member@example.org'")
      assert.strictEqual(status(yield* browser.send("GET", "/tasks")), 401)
      yield* query("update team_members set subject = 'member' where email = 'member@example.org'")
      assert.strictEqual(status(yield* browser.send("GET", "/tasks")), 200)
      const [seat] = yield* query<{ id: string }>("select id from team_members where email = 'member@example.org'")
      const removal = makeBrowser(port).send("DELETE", `/team/members/${seat?.id}`, {
        headers: { authorization: `Bearer ${owner}` }
      })
      assert.strictEqual(status(yield* removal), 204)
      assert.strictEqual(status(yield* browser.send("GET", "/tasks")), 401)
      assert.deepStrictEqual(yield* query("select from sessions"), [])
    }))
})
