import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { v7 } from "uuid"
import { hosted, People, send } from "./hosted.ts"
import { isProblem } from "./RawHttp.ts"
import { Service } from "./service.ts"

interface Row {
  readonly call: string
  readonly who?: ReadonlyArray<string>
  readonly class?: string
}

const idOf = (token: string) =>
  Effect.flatMap(
    Service,
    ({ port }) => Effect.map(send(port, "GET", "/users/me", token), ({ text }) => String(JSON.parse(text).id))
  )

/** A task of the owner or the member that asks about these calls. */
const givenCalls = (token: string, ...rows: ReadonlyArray<Row>) =>
  Effect.gen(function*() {
    const { port, query } = yield* Service
    const { json } = yield* send(port, "POST", "/chat", token, { message: "Tidy up" })
    const id = String(Object(json)["task_id"])
    const calls = rows.map(({ call }) => call)
    yield* query(
      `update actors set status = 'waiting_input', wake_at = null, runner = null, question = 'May it?', choices = '{Approve,Deny}',
  asks_approval = true, has_approvals = true, last_tool_call_id = $2 where task_id = $1`,
      [id, calls.length === 1 ? calls[0] : JSON.stringify(calls)]
    )
    for (const { call, class: ofClass = "outside", who = ["requester", "admin"] } of rows) {
      yield* query(
        `insert into approvals (id, task_id, tool_call_id, tool, class, arguments, files, parameters, preset, binding, who, created_at)
values ($6, $1, $2, 'files__delete', $3, '{"path":"a","force":true}', '[]', $5, 'balanced', '', $4, now())`,
        [
          id,
          call,
          ofClass,
          who,
          JSON.stringify({
            type: "object",
            properties: { path: { type: "string" }, force: { type: "boolean" } },
            required: ["path"]
          }),
          v7()
        ]
      )
    }
    return id
  })

const decide = (token: string, id: string, ...decisions: ReadonlyArray<object>) =>
  Effect.flatMap(Service, ({ port }) => send(port, "POST", `/task/${id}/approvals`, token, { decisions }))

const approve = (call: string, more: object = {}) => ({ tool_call_id: call, decision: "approve", ...more })

const statusesOf = (id: string) =>
  Effect.flatMap(Service, ({ query }) =>
    Effect.map(
      query<{ status: string }>("select status from approvals where task_id = $1 order by tool_call_id", [id]),
      (rows) => rows.map(({ status }) => status)
    ))

const listed = (token: string, parameters: string) =>
  Effect.flatMap(Service, ({ port }) =>
    Effect.map(
      send(port, "GET", `/api/approvals?${parameters}`, token),
      ({ text }) => (JSON.parse(text) as ReadonlyArray<{ readonly task_id: string; readonly tool_call_id: string }>)
    ))

const callsOf = (rows: ReadonlyArray<{ readonly tool_call_id: string }>) => rows.map(({ tool_call_id }) => tool_call_id)

layer(hosted(), { excludeTestServices: true })("Approvals of a hosted service", (it) => {
  it.effect("are listed newest first by status, task and tool, a page at a time", () =>
    Effect.gen(function*() {
      const { owner } = yield* People
      const { port } = yield* Service
      const id = yield* givenCalls(owner, { call: "a" }, { call: "b" })
      assert.deepStrictEqual(callsOf(yield* listed(owner, `task_id=${id}`)), ["b", "a"])
      yield* decide(owner, id, approve("a"))
      assert.deepStrictEqual(callsOf(yield* listed(owner, `task_id=${id}&status=open`)), ["b"])
      assert.deepStrictEqual(callsOf(yield* listed(owner, `task_id=${id}&status=approved&tool=files__delete`)), ["a"])
      assert.deepStrictEqual(yield* listed(owner, `task_id=${id}&tool=other`), [])
      const page = yield* send(port, "GET", `/api/approvals?task_id=${id}&limit=1`, owner)
      assert.match(page.headers["link"] ?? "", /; rel="next"$/)
      for (const wrong of ["status=done", "task_id=x", "limit=0"]) {
        isProblem(yield* send(port, "GET", `/api/approvals?${wrong}`, owner), 400, "invalid-request")
      }
    }))

  it.effect("have all fields of the contract", () =>
    Effect.gen(function*() {
      const { owner } = yield* People
      const id = yield* givenCalls(owner, { call: "a" })
      const [row] = yield* listed(owner, `task_id=${id}`)
      assert.containSubset(row, {
        task_id: id,
        tool_call_id: "a",
        tool: "files__delete",
        server: null,
        class: "outside",
        context: "trusted",
        outside_since: null,
        private_since: null,
        arguments: { path: "a", force: true },
        files: [],
        rule: null,
        preset: "balanced",
        requester: yield* idOf(owner),
        who: ["requester", "admin"],
        status: "open",
        decided_by: null,
        decided_at: null,
        via: null,
        edited: false
      })
    }))

  it.effect("are decided all or none, and once: a later decision is told who made the first, and when", () =>
    Effect.gen(function*() {
      const { owner } = yield* People
      const id = yield* givenCalls(owner, { call: "a" }, { call: "b" })
      const mine = yield* idOf(owner)
      isProblem(yield* decide(owner, id, approve("a"), approve("nothing")), 400, "task-request-invalid")
      assert.deepStrictEqual(yield* statusesOf(id), ["open", "open"])
      const other = "01a20000-0000-7000-8000-000000000001"
      isProblem(yield* decide(owner, id, { ...approve("a"), approval: other }), 409, "task-state-conflict")
      assert.deepStrictEqual(yield* statusesOf(id), ["open", "open"])
      const accepted = yield* decide(owner, id, { tool_call_id: "b", decision: "deny", reason: "It is needed" })
      assert.strictEqual(accepted.status, 202)
      assert.containSubset(JSON.parse(accepted.text), { task_id: id, status: "waiting_input" })
      const [denied] = yield* listed(owner, `task_id=${id}&status=denied`)
      assert.containSubset(denied, { reason: "It is needed", decided_by: mine, via: "api" })
      const again = yield* decide(owner, id, approve("a"), approve("b"))
      isProblem(again, 409, "approval-decided")
      assert.match(again.text, new RegExp(`by ${mine}, at 20\\d\\d-`))
      assert.deepStrictEqual(yield* statusesOf(id), ["open", "denied"])
      const last = yield* decide(owner, id, approve("a"))
      assert.deepStrictEqual([last.status, JSON.parse(last.text).status], [202, "running"])
    }))

  it.effect("take other arguments that fit the tool's schema, and remember nothing destructive", () =>
    Effect.gen(function*() {
      const { owner } = yield* People
      const id = yield* givenCalls(owner, { call: "a" }, { call: "b", class: "destructive" })
      for (const args of [{}, { path: 1 }, { path: "b", force: "yes" }]) {
        isProblem(yield* decide(owner, id, approve("a", { arguments: args })), 400, "task-request-invalid")
      }
      isProblem(yield* decide(owner, id, approve("b", { remember: { scope: "task" } })), 400, "task-request-invalid")
      isProblem(
        yield* decide(owner, id, approve("a", { remember: { scope: "task", same: ["/nothing"] } })),
        400,
        "task-request-invalid"
      )
      assert.strictEqual((yield* decide(owner, id, approve("a", { arguments: { path: "b" } }))).status, 202)
      const [row] = yield* listed(owner, `task_id=${id}&status=approved`)
      assert.containSubset(row, { edited: true, arguments: { path: "b" } })
    }))

  it.effect("are decided by those whom the rule lists, who see their row and the task's outline", () =>
    Effect.gen(function*() {
      const { member, owner } = yield* People
      const { port } = yield* Service
      const mine = yield* idOf(member)
      const id = yield* givenCalls(owner, { call: "a", who: [mine] }, { call: "b" })
      assert.deepStrictEqual(callsOf(yield* listed(member, `task_id=${id}`)), ["a"])
      const task = JSON.parse((yield* send(port, "GET", `/task/${id}`, member)).text)
      assert.deepStrictEqual(callsOf(task.approvals), ["a"])
      assert.deepStrictEqual([task.question, task.description], [null, ""])
      isProblem(yield* decide(member, id, approve("b")), 403, "forbidden")
      isProblem(yield* decide(owner, id, approve("a")), 403, "forbidden")
      assert.strictEqual((yield* decide(member, id, approve("a"))).status, 202)
      assert.strictEqual((yield* decide(owner, id, approve("b"))).status, 202)
    }))

  it.effect("are decided by nobody in the name of another, and by a token with no more than its role", () =>
    Effect.gen(function*() {
      const { member, owner } = yield* People
      const { port } = yield* Service
      const id = yield* givenCalls(owner, { call: "a", who: [yield* idOf(member)] }, { call: "b", who: ["admin"] })
      const named = { task_id: id, response: "Approve", tool_call_id: "a", user_id: yield* idOf(member) }
      isProblem(yield* send(port, "POST", "/human_response", owner, named), 403, "forbidden")
      const tokenOf = (role: string) =>
        Effect.map(
          send(port, "POST", "/api/tokens", owner, { name: role, role }),
          ({ text }) => String(JSON.parse(text).token)
        )
      isProblem(yield* decide(yield* tokenOf("member"), id, approve("b")), 403, "forbidden")
      assert.deepStrictEqual(yield* statusesOf(id), ["open", "open"])
      assert.strictEqual((yield* decide(yield* tokenOf("admin"), id, approve("b"))).status, 202)
    }))

  it.effect("are not seen, and not decided, by a member who has nothing to do with them", () =>
    Effect.gen(function*() {
      const { member, owner } = yield* People
      const { port } = yield* Service
      const id = yield* givenCalls(owner, { call: "a" })
      assert.deepStrictEqual(yield* listed(member, `task_id=${id}`), [])
      assert.deepStrictEqual(JSON.parse((yield* send(port, "GET", `/task/${id}`, member)).text).approvals, [])
      const refused = yield* decide(member, id, approve("a"))
      isProblem(refused, 403, "forbidden")
      isProblem(yield* decide(member, "01a20a81-0000-7000-8000-000000000000", approve("a")), 404, "task-not-found")
    }))

  it.effect("are answered by Approve and Deny with the call's id, and any other text is a message", () =>
    Effect.gen(function*() {
      const { owner } = yield* People
      const { port } = yield* Service
      const id = yield* givenCalls(owner, { call: "a" }, { call: "b" })
      const answer = (response: string, more: object = {}) =>
        send(port, "POST", "/human_response", owner, { task_id: id, response, ...more })
      const unnamed = yield* answer("Approve")
      isProblem(unnamed, 409, "task-state-conflict")
      assert.include(unnamed.text, "tool_call_id")
      assert.strictEqual((yield* answer("Only the first")).status, 202)
      assert.deepStrictEqual(yield* statusesOf(id), ["open", "open"])
      assert.strictEqual((yield* answer("Deny", { tool_call_id: "a" })).status, 202)
      assert.deepStrictEqual(yield* statusesOf(id), ["denied", "open"])
      assert.strictEqual((yield* answer("Approve", { tool_call_id: "b" })).status, 202)
      assert.deepStrictEqual(yield* statusesOf(id), ["denied", "approved"])
    }))

  it.effect("are closed with their task", () =>
    Effect.gen(function*() {
      const { owner } = yield* People
      const { port } = yield* Service
      const cancelled = yield* givenCalls(owner, { call: "a" })
      yield* send(port, "POST", `/task/${cancelled}/cancel`, owner, {})
      assert.deepStrictEqual(yield* statusesOf(cancelled), ["cancelled"])
      isProblem(yield* decide(owner, cancelled, approve("a")), 409, "approval-decided")
      const archived = yield* givenCalls(owner, { call: "a" })
      yield* send(port, "DELETE", `/task/${archived}`, owner)
      assert.deepStrictEqual(yield* statusesOf(archived), ["cancelled"])
      yield* send(port, "DELETE", `/task/${archived}`, owner)
      assert.deepStrictEqual(yield* statusesOf(archived), [])
    }))
})
