import { FetchHttpClient } from "@effect/platform"
import { assert, layer } from "@effect/vitest"
import { TroupeRpc } from "@troupe/client/TroupeRpc"
import { Context, Effect, Layer } from "effect"
import { accounts } from "../support/ChatAccounts.ts"
import { troupeHere } from "../support/CommandLine.ts"
import { overHttp } from "../support/McpClient.ts"
import { call, type Json, object, refused } from "./calls.ts"
import { hosted, People, send } from "./hosted.ts"
import { isProblem, request } from "./RawHttp.ts"
import { Service, startService } from "./service.ts"
import { file, formOf, formType, user } from "./uploads.ts"

const name = "Ada Lovelace"
const id = "u-ada"

const withAda = Layer.tap(
  Layer.scoped(Service, startService()),
  (context) =>
    Context.get(context, Service).query(
      `insert into users (id, name, email, overrides) values ('${id}', '${name}', 'ada@example.org', '{name,email}')`
    )
)

const upload = (port: number, owner: string) =>
  request(port, {
    method: "POST",
    path: "/upload-file",
    headers: { "content-type": formType },
    body: formOf(user(owner), file())
  })

layer(withAda, { excludeTestServices: true })("Where a request names a person", (it) => {
  it.effect("an id, an address and a name mean the same, in every request", () =>
    Effect.gen(function*() {
      const { port, query } = yield* Service
      const url = "https://example.org/hook"
      for (const given of [id, "ADA@example.org", "ada lovelace"]) {
        const chat = yield* object("POST", "/chat", 202, { message: "m", user_id: given, assignee: given })
        assert.deepInclude(chat["task"], { creator: id, assignee: id })
        const task = String(chat["task_id"])
        for (const filter of ["creator", "assignee"]) {
          const query = `?${filter}=${encodeURIComponent(given)}`
          const found = (yield* call("GET", `/tasks${query}`, 200)).json as ReadonlyArray<Json>
          assert.strictEqual(found[0]?.["id"], task)
          assert.notDeepInclude(yield* object("GET", `/tasks/counts${query}`, 200), { pending: 0 })
        }
        yield* call("POST", `/task/${task}/message`, 202, { message: "And?", user_id: given })
        const bulk = { action: "cancel", filter: { creator: given, assignee: given } }
        yield* call("POST", "/tasks/bulk", 202, bulk)
        const [stored] = yield* query<{ filter: string }>("select filter from bulk_operations order by id desc limit 1")
        assert.deepInclude(JSON.parse(stored?.filter ?? ""), { creator: id, assignee: id })
        const reminder = { message: "Tea", kind: "reminder", every: "0 9 * * *", user_id: given }
        assert.deepInclude(yield* object("POST", "/api/schedules", 201, reminder), { user_id: id })
        assert.deepInclude(yield* object("POST", "/api/subscriptions", 201, { url, user_id: given }), { user_id: id })
        for (const list of ["/api/schedules", "/api/subscriptions"]) {
          const found = (yield* call("GET", `${list}?user_id=${encodeURIComponent(given)}`, 200)).json as ReadonlyArray<
            Json
          >
          assert.deepStrictEqual([...new Set(found.map(({ user_id }) => user_id))], [id])
        }
        const users = (yield* call("GET", `/users?user_id=${encodeURIComponent(given)}`, 200)).json
        assert.deepStrictEqual((users as ReadonlyArray<Json>).map((one) => one["id"]), [id])
        assert.deepInclude(JSON.parse((yield* upload(port, given)).text), { user_id: id })
      }
    }))

  it.effect("nobody is told with the nearest names, also over RPC and MCP and on the command line", () =>
    Effect.gen(function*() {
      const { port } = yield* Service
      const given = "Ada Lovelase"
      const query = encodeURIComponent(given)
      const answers = [
        yield* refused("task-request-invalid", "POST", "/chat", 400, { message: "m", user_id: given }),
        yield* refused("task-request-invalid", "POST", "/chat", 400, { message: "m", assignee: given }),
        yield* refused("person-unknown", "POST", "/human_response", 400, {
          task_id: "x",
          response: "r",
          user_id: given
        }),
        yield* refused("person-unknown", "POST", "/task/x/message", 400, { message: "m", user_id: given }),
        yield* refused("person-unknown", "GET", `/tasks?creator=${query}`, 400),
        yield* refused("person-unknown", "GET", `/tasks/counts?assignee=${query}`, 400),
        yield* refused("person-unknown", "POST", "/tasks/bulk", 400, { action: "retry", filter: { creator: given } }),
        yield* refused("person-unknown", "POST", "/api/schedules", 400, {
          message: "m",
          at: "tomorrow",
          user_id: given
        }),
        yield* refused("person-unknown", "GET", `/api/schedules?user_id=${query}`, 400),
        yield* refused("person-unknown", "GET", `/api/subscriptions?user_id=${query}`, 400),
        yield* refused("person-unknown", "GET", `/users?user_id=${query}`, 400)
      ]
      assert.deepStrictEqual(answers.flat(), [
        "user_id",
        "assignee",
        "user_id",
        "user_id",
        "creator",
        "assignee",
        "filter.creator",
        "user_id",
        "user_id",
        "user_id",
        "user_id"
      ])
      const near = "did you mean one of these: Ada Lovelace (ada@example.org)"
      const { errors } = isProblem(yield* upload(port, given), 400, "person-unknown")
      assert.deepStrictEqual(errors, [{
        path: "user_id",
        message: `nobody has the id, address or name ${given}; ${near}`
      }])
      const mcp = yield* overHttp(port)
      for (
        const [tool, args] of [["create_task", { message: "m", assignee: given }], ["list_tasks", {
          creator: given
        }]] as const
      ) {
        const { isError, text } = yield* mcp.call(tool, args)
        assert.isTrue(isError)
        assert.include(text, near)
      }
      const baseUrl = `http://127.0.0.1:${port}`
      const rpc = Context.get(
        yield* Layer.build(Layer.provide(TroupeRpc.layer({ baseUrl }), FetchHttpClient.layer)),
        TroupeRpc
      )
      assert.include((yield* Effect.flip(rpc.list({ creator: given }))).message, near)
      for (const words of [["tasks", "--user", given], ["files", "--user", given]]) {
        const { code, stderr } = yield* troupeHere(port)(words)
        assert.notStrictEqual(code, 0)
        assert.include(stderr, near)
      }
      const files = yield* troupeHere(port)(["files", "--user", "Ada Lovelace"])
      assert.deepInclude(files, { code: 0 })
      assert.include(files.stdout, "a.txt")
    }).pipe(Effect.scoped))

  it.effect("an unknown id is a new user's, but no assignee, filter or address makes one", () =>
    Effect.gen(function*() {
      const made = yield* object("POST", "/chat", 202, { message: "m", user_id: "zoe" })
      assert.deepInclude(made["task"], { creator: "zoe" })
      yield* refused("task-request-invalid", "POST", "/chat", 400, { message: "m", assignee: "yan" })
      yield* refused("task-request-invalid", "POST", "/chat", 400, { message: "m", user_id: "yan@example.org" })
      yield* refused("person-unknown", "GET", "/tasks?creator=yan", 400)
      assert.deepStrictEqual((yield* call("GET", "/api/schedules?user_id=yan", 200)).json, [])
      assert.deepStrictEqual((yield* call("GET", "/users?user_id=yan", 200)).json, [])
    }))

  it.effect("a request that is repeated under its key has its first answer, whoever is gone or has the name too", () =>
    Effect.gen(function*() {
      const { query } = yield* Service
      const key = { "idempotency-key": "named" }
      const body = { message: "m", user_id: "Vera Vane", assignee: "Vera Vane" }
      yield* query("insert into users (id, name) values ('v1', 'Vera Vane')")
      const first = yield* object("POST", "/chat", 202, body, key)
      yield* query("insert into users (id, name) values ('v2', 'Vera Vane')")
      assert.strictEqual((yield* object("POST", "/chat", 202, body, key))["task_id"], first["task_id"])
      yield* refused("task-request-invalid", "POST", "/chat", 400, body)
    }))
})

layer(hosted(), { excludeTestServices: true })("In hosted mode", (it) => {
  it.effect("members name themselves, everybody as assignee and in filters, and nobody else as the user", () =>
    Effect.gen(function*() {
      const { port, query } = yield* Service
      const { member, owner } = yield* People
      // The first request of both signs them in.
      for (const token of [member, owner]) yield* send(port, "GET", "/users/me", token)
      yield* query("insert into users (id, name) values ('outsider', 'Olga Outside')")
      yield* query(accounts({ outsider: "U7" }))
      const own = yield* send(port, "POST", "/chat", member, {
        message: "m",
        user_id: "Member@example.org",
        assignee: "owner@example.org"
      })
      assert.strictEqual(own.status, 202, own.text)
      for (const other of ["owner@example.org", "nobody@example.org", "nobody", "Olga Outside"]) {
        const answer = isProblem(
          yield* send(port, "POST", "/chat", member, { message: "m", user_id: other }),
          403,
          "forbidden"
        )
        assert.notInclude(JSON.stringify(answer), "owner@")
        for (const list of ["/api/schedules", "/api/subscriptions"]) {
          const path = `${list}?user_id=${encodeURIComponent(other)}`
          isProblem(yield* send(port, "GET", path, member), 403, "forbidden")
        }
      }
      const found = yield* send(port, "GET", "/tasks?assignee=owner@example.org", member)
      assert.lengthOf(JSON.parse(found.text), 1)
      for (const assignee of ["Olga Outside", "yan", "ownr@example.org"]) {
        const { errors } = isProblem(
          yield* send(port, "POST", "/chat", owner, { message: "m", assignee }),
          400,
          "task-request-invalid"
        )
        assert.strictEqual(errors?.[0]?.path, "assignee")
        assert.notInclude(errors?.[0]?.message ?? "", "Olga Outside (")
      }
      isProblem(
        yield* send(port, "POST", "/chat", owner, { message: "m", user_id: "yan" }),
        400,
        "task-request-invalid"
      )
    }))
})
