import { assert, layer } from "@effect/vitest"
import { rpcPath } from "@troupe/api/TroupeRpcs"
import { Effect } from "effect"
import { hosted, People, send } from "./hosted.ts"
import { isProblem, request } from "./RawHttp.ts"
import { Service } from "./service.ts"

interface Made {
  readonly id: string
  readonly token: string
  readonly prefix: string
}

const create = (by: string, given: object = {}) =>
  Effect.gen(function*() {
    const { port } = yield* Service
    const made = yield* send(port, "POST", "/api/tokens", by, { name: "Reports", ...given })
    assert.strictEqual(made.status, 201, made.text)
    return JSON.parse(made.text) as Made
  })

const statusOf = (method: string, path: string, token: string, body?: unknown) =>
  Effect.gen(function*() {
    const { port } = yield* Service
    return (yield* send(port, method, path, token, body)).status
  })

const ofOwner = Effect.map(People, ({ owner }) => owner)
const ofMember = Effect.map(People, ({ member }) => member)

layer(hosted(), { excludeTestServices: true })("A token of a member", (it) => {
  it.effect("is shown once, and acts as its member over HTTP, RPC, MCP and webhooks", () =>
    Effect.gen(function*() {
      const { port, query } = yield* Service
      const member = yield* ofMember
      const me = JSON.parse((yield* send(port, "GET", "/users/me", member)).text) as { readonly id: string }
      const { id, prefix, token } = yield* create(member, { expires_in_days: 1 })
      assert.match(token, /^trp_[A-Za-z0-9]{40}$/)
      assert.isTrue(token.startsWith(prefix))
      const list = yield* send(port, "GET", "/api/tokens", member)
      assert.notInclude(list.text, token)
      assert.notInclude(JSON.stringify(yield* query("select * from access_tokens")), token)
      const [listed] = list.json as unknown as ReadonlyArray<Record<string, unknown>>
      assert.deepInclude(listed, { id, name: "Reports", prefix, role: "member", last_used_at: null })
      assert.hasAllKeys(listed, ["id", "name", "prefix", "role", "created_at", "last_used_at", "expires_at"])
      assert.deepInclude((yield* send(port, "GET", "/users/me", token)).json, { id: me.id })
      const made = yield* send(port, "POST", "/chat", token, { message: "m" })
      assert.deepInclude(JSON.parse(made.text).task, { creator: me.id })
      const call = { _tag: "Request", id: "1", tag: "get", payload: { task_id: JSON.parse(made.text).task_id } }
      const rpc = yield* request(port, {
        method: "POST",
        path: rpcPath,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/ndjson" },
        body: `${JSON.stringify(call)}\n`
      })
      assert.strictEqual(rpc.status, 200, rpc.text)
      const mcp = yield* request(port, {
        method: "POST",
        path: "/mcp",
        headers: { authorization: `Bearer ${token}`, accept: "application/json, text/event-stream" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })
      })
      assert.strictEqual(mcp.status, 200, mcp.text)
      assert.strictEqual(yield* statusOf("POST", "/webhook/orders", token, { order: 1 }), 200)
      const [stored] = yield* query<{ creator: string }>("select creator from inbound_messages where type = 'orders'")
      assert.strictEqual(stored?.creator, me.id)
    }))

  it.effect("records its use without a write at each request", () =>
    Effect.gen(function*() {
      const { query } = yield* Service
      const { id, token } = yield* create(yield* ofMember)
      const writes = Effect.map(
        query<{ row: string; used: boolean }>(
          "select xmin::text as row, last_used_at is not null as used from access_tokens where id = $1",
          [id]
        ),
        ([found]) => found
      )
      yield* statusOf("GET", "/tasks", token)
      const first = yield* writes
      assert.isTrue(first?.used)
      // The process forgets whom it has found.
      const other = yield* create(yield* ofMember)
      assert.strictEqual(yield* statusOf("DELETE", `/api/tokens/${other.id}`, yield* ofMember), 204)
      yield* statusOf("GET", "/tasks", token)
      assert.deepStrictEqual(yield* writes, first)
    }))

  it.effect("creates no token", () =>
    Effect.gen(function*() {
      const { port } = yield* Service
      const { token } = yield* create(yield* ofOwner, { role: "owner" })
      isProblem(yield* send(port, "POST", "/api/tokens", token, { name: "More" }), 403, "forbidden")
    }))

  it.effect("may do no more than its role, and no more than its member", () =>
    Effect.gen(function*() {
      const { port, query } = yield* Service
      const [owner, member] = [yield* ofOwner, yield* ofMember]
      const limits = (token: string) => statusOf("GET", "/api/limits", token)
      const capped = yield* create(owner)
      const admin = yield* create(owner, { role: "admin" })
      assert.deepStrictEqual([yield* limits(capped.token), yield* limits(admin.token)], [403, 200])
      assert.strictEqual(yield* statusOf("POST", "/team/invite", capped.token, { email: "new@example.org" }), 403)
      isProblem(yield* send(port, "POST", "/api/tokens", member, { name: "x", role: "admin" }), 403, "forbidden")
      const { json } = yield* send(port, "GET", "/team/info", owner)
      const seat = (json as unknown as { members: ReadonlyArray<{ id: string; email: string }> }).members
        .find(({ email }) => email === "member@example.org")
      const change = (role: string) => send(port, "PUT", `/team/members/${seat?.id}`, owner, { role })
      yield* change("admin")
      const raised = yield* create(member, { role: "admin" })
      assert.strictEqual(yield* limits(raised.token), 200)
      yield* change("member")
      assert.strictEqual(yield* limits(raised.token), 403)
      yield* query("delete from access_tokens")
    }))

  it.effect("ends when it is revoked, when it expires, and with the seat", () =>
    Effect.gen(function*() {
      const { port, query } = yield* Service
      const { owner, provider } = yield* People
      yield* send(port, "POST", "/team/invite", owner, { email: "ada@example.org" })
      const ada = yield* provider.token({ sub: "ada", email: "ada@example.org" })
      const [revoked, expired, kept] = [
        yield* create(ada),
        yield* create(ada, { expires_in_days: 1 }),
        yield* create(ada)
      ]
      const tasks = (made: Made) => statusOf("GET", "/tasks", made.token)
      assert.deepStrictEqual([yield* tasks(revoked), yield* tasks(kept)], [200, 200])
      assert.strictEqual(yield* statusOf("DELETE", `/api/tokens/${revoked.id}`, ada), 204)
      assert.strictEqual(yield* tasks(revoked), 401)
      isProblem(yield* send(port, "DELETE", `/api/tokens/${revoked.id}`, ada), 404, "access-token-not-found")
      isProblem(yield* send(port, "DELETE", "/api/tokens/x", ada), 404, "access-token-not-found")
      yield* query("update access_tokens set expires_at = now() where id = $1", [expired.id])
      const refused = yield* send(port, "GET", "/tasks", expired.token)
      assert.deepStrictEqual([refused.status, refused.headers["www-authenticate"]?.slice(0, 6)], [401, "Bearer"])
      const { json } = yield* send(port, "GET", "/team/info", owner)
      const seat = (json as unknown as { members: ReadonlyArray<{ id: string; email: string }> }).members
        .find(({ email }) => email === "ada@example.org")
      assert.strictEqual(yield* statusOf("DELETE", `/team/members/${seat?.id}`, owner), 204)
      assert.strictEqual(yield* tasks(kept), 401)
    }))

  it.effect("is seen and revoked by its member, owner and admins only", () =>
    Effect.gen(function*() {
      const { port } = yield* Service
      const [owner, member] = [yield* ofOwner, yield* ofMember]
      const [own, other] = [yield* create(member), yield* create(owner)]
      const me = JSON.parse((yield* send(port, "GET", "/users/me", member)).text) as { readonly id: string }
      const idsIn = (token: string, query = "") =>
        Effect.map(
          send(port, "GET", `/api/tokens${query}`, token),
          ({ text }) => (JSON.parse(text) as ReadonlyArray<Made>).map(({ id }) => id)
        )
      assert.include(yield* idsIn(member), own.id)
      assert.notInclude(yield* idsIn(member), other.id)
      assert.include(yield* idsIn(owner, `?user_id=${me.id}`), own.id)
      assert.strictEqual(yield* statusOf("DELETE", `/api/tokens/${other.id}`, member), 404)
      assert.strictEqual(yield* statusOf("DELETE", `/api/tokens/${own.id}`, owner), 204)
    }))

  it.effect("that nobody has is refused, and one of another form without a statement", () =>
    Effect.gen(function*() {
      const { port } = yield* Service
      const { token } = yield* create(yield* ofMember)
      const guesses = ["trp_", `trp_${"a".repeat(40)}`, `${token}x`, token.slice(0, -1), "trp_%00"]
      for (const guess of guesses) isProblem(yield* send(port, "GET", "/tasks", guess), 401, "unauthenticated")
    }))

  it.effect("is not created by a request that is not valid, which says what is wrong", () =>
    Effect.gen(function*() {
      const { port } = yield* Service
      const owner = yield* ofOwner
      for (
        const [body, path] of [
          [{}, "name"],
          [{ name: " " }, "name"],
          [{ name: "x", role: "king" }, "role"],
          [{ name: "x", expires_in_days: 0 }, "expires_in_days"],
          [{ name: "x", expires_in_days: 1.5 }, "expires_in_days"],
          [{ name: "x", expires_in_days: 1e9 }, "expires_in_days"]
        ] as const
      ) {
        const { errors } = isProblem(yield* send(port, "POST", "/api/tokens", owner, body), 400, "invalid-request")
        assert.deepStrictEqual(errors?.map((error) => error.path), [path])
      }
    }))
})
