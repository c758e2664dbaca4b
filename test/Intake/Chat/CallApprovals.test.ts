import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { sendCommand, sendInteraction } from "../../support/ChatEvents.ts"
import { asks, inChat, posts, processed, said, Service, statusOf, tasks } from "./service.ts"

const channel = "CGENERAL"

interface Row {
  readonly call: string
  readonly who?: ReadonlyArray<string>
  readonly class?: "destructive" | "outside"
}

/** A task of Ada whose question in the channel asks about these calls. */
const givenCalls = (...rows: ReadonlyArray<Row>) =>
  Effect.gen(function*() {
    const { query } = yield* Service
    const { ts } = yield* said({ channel, user: "UADA", text: "<@UTROUPE> tidy up" })
    const id = (yield* tasks).at(-1)?.id ?? ""
    yield* asks(id, "May the agent make these calls?")
    const calls = rows.map(({ call }) => call)
    yield* query(
      "update actors set asks_approval = true, has_approvals = true, last_tool_call_id = $2, seq = seq + 1 where task_id = $1",
      [id, calls.length === 1 ? calls[0] : JSON.stringify(calls)]
    )
    yield* query(
      `insert into steps (task_id, seq, at, body) select task_id, seq, now(), '{"kind":"results","results":[]}'
from actors where task_id = $1`,
      [id]
    )
    for (const { call, class: ofClass = "outside", who = ["requester", "admin"] } of rows) {
      yield* query(
        `insert into approvals (id, task_id, tool_call_id, tool, class, arguments, files, parameters, preset, binding, who, created_at)
values ($1, $2, $3, 'files__delete', $4, '{}', '[]', '{}', 'balanced', '', $5, now())`,
        [randomUUID(), id, call, ofClass, who]
      )
    }
    yield* query(
      `insert into outbox (id, channel, recipient, kind, task_id, notification_id, state, due_at, ended_at, progress)
  select gen_random_uuid(), 'chat', 'UADA', 'notification', task_id, notification_id(now(), task_id, seq, 0), 'sent', null, now(), $2
  from actors where task_id = $1`,
      [id, JSON.stringify({ files: [], missing: [], buttons: { channel, ts: "1000000000.000100", text: "?" } })]
    )
    return { id, calls: calls.length === 1 ? calls[0] ?? "" : JSON.stringify(calls), ts }
  })

const press = (id: string, call: string, user: string, answer: string, approval?: string) =>
  Effect.gen(function*() {
    const { url } = yield* Service
    const { body } = yield* sendInteraction(`${url}/team-chat/interactive`, {
      user: { id: user },
      actions: [{
        action_id: "answer_choice:0",
        value: JSON.stringify({ task_id: id, call, answer, ...(approval === undefined ? {} : { approval }) })
      }]
    })
    yield* processed
    return String(JSON.parse(body).text)
  })

const statuses = (id: string) =>
  Effect.flatMap(Service, ({ query }) =>
    Effect.map(
      query<{ status: string }>("select status from approvals where task_id = $1 order by tool_call_id", [id]),
      (rows) => rows.map(({ status }) => status)
    ))

const userOf = (account: string) =>
  Effect.flatMap(Service, ({ query }) =>
    Effect.map(
      query<{ user_id: string }>("select user_id from chat_accounts where account = $1", [account]),
      ([row]) => row?.user_id ?? ""
    ))

const lastPost = Effect.map(posts, (all) => all.at(-1)?.payload ?? "")

inChat("Calls that ask in the team chat", (test) => {
  test("are decided one by one, or all that are open", function*() {
    const { calls, id } = yield* givenCalls({ call: "a" }, { call: "b" }, { call: "c" })
    assert.include(yield* press(id, "b", "UADA", "Deny"), "answered: *Deny*")
    assert.deepStrictEqual(yield* statuses(id), ["open", "denied", "open"])
    assert.include(yield* press(id, "b", "UADA", "Approve"), "has been answered")
    yield* press(id, calls, "UADA", "Approve")
    assert.deepStrictEqual(yield* statuses(id), ["approved", "denied", "approved"])
  })

  test("are decided by those whom the rule lists, and others are told whom", function*() {
    yield* said({ channel, user: "UBOB", text: "hello" })
    const bob = yield* userOf("UBOB")
    const { id } = yield* givenCalls({ call: "a", who: [bob] }, { call: "b" })
    assert.include(yield* press(id, "a", "UADA", "Approve"), `only the user ${bob} may give`)
    assert.include(
      yield* press(id, "b", "UBOB", "Approve"),
      "only its creator, its assignee, an owner or an admin may give"
    )
    assert.deepStrictEqual(yield* statuses(id), ["open", "open"])
    yield* press(id, "a", "UBOB", "Approve")
    yield* press(id, "b", "UADA", "Approve")
    assert.deepStrictEqual(yield* statuses(id), ["approved", "approved"])
  })

  test("are decided by an admin who did not give the task, unless the rule names only its people", function*() {
    yield* said({ channel, user: "UBOB", text: "hello" })
    const { query } = yield* Service
    const bob = yield* userOf("UBOB")
    yield* query("update users set role = 'admin' where id = $1", [bob])
    const { id } = yield* givenCalls({ call: "a" }, { call: "b", who: ["requester"] })
    yield* press(id, "a", "UBOB", "Approve")
    assert.include(yield* press(id, "b", "UBOB", "Approve"), "only its creator, its assignee may give")
    assert.deepStrictEqual(yield* statuses(id), ["approved", "open"])
    yield* query("update users set role = 'member' where id = $1", [bob])
  })

  test("are decided all or none by one button", function*() {
    const { calls, id } = yield* givenCalls({ call: "a" }, { call: "b", who: ["somebody"] })
    assert.include(yield* press(id, calls, "UADA", "Approve"), "only the user somebody may give")
    assert.deepStrictEqual(yield* statuses(id), ["open", "open"])
  })

  test("are decided all that are left by a button from before some were decided", function*() {
    const { query } = yield* Service
    const { calls, id } = yield* givenCalls({ call: "a" }, { call: "b" })
    const [first] = yield* query<{ id: string }>("select id::text from approvals where tool_call_id = 'a'")
    yield* press(id, "a", "UADA", "Deny", first?.id)
    yield* press(id, calls, "UADA", "Approve", first?.id)
    assert.deepStrictEqual(yield* statuses(id), ["denied", "approved"])
  })

  test("are not decided by a command, which gets the question with its buttons", function*() {
    const { platform, url } = yield* Service
    const { id } = yield* givenCalls({ call: "a" }, { call: "b" })
    const { query } = yield* Service
    yield* query("update actors set choices = '{Approve,Deny}' where task_id = $1", [id])
    for (const word of ["Approve", "Deny"]) {
      yield* sendCommand(platform, `${url}/team-chat/command`, { channel, user: "UADA", text: `answer ${id} ${word}` })
      yield* processed
      for (const label of ["Approve all (2)", "Deny 1", "Approve 2"]) assert.include(yield* lastPost, `"${label}"`)
    }
    assert.deepStrictEqual(yield* statuses(id), ["open", "open"])
  })

  test("are not decided by a button of a call that was asked anew since", function*() {
    const { id } = yield* givenCalls({ call: "a" })
    assert.include(yield* press(id, "a", "UADA", "Approve", randomUUID()), "has been answered")
    assert.deepStrictEqual(yield* statuses(id), ["open"])
  })

  test("are not approved by a typed word where they destroy something, which says where to decide", function*() {
    const { id, ts } = yield* givenCalls({ call: "a", class: "destructive" })
    const reply = { channel, thread_ts: ts, user: "UADA" }
    yield* said({ ...reply, text: "approve" })
    assert.include(yield* lastPost, "this call destroys something")
    assert.include(yield* lastPost, `https://troupe.example/console/tasks/${id}`)
    assert.deepStrictEqual(yield* statuses(id), ["open"])
    yield* said({ ...reply, text: "deny" })
    assert.deepStrictEqual(yield* statuses(id), ["denied"])
  })

  test("are denied by a typed word of who may, and others are told once", function*() {
    const { id, ts } = yield* givenCalls({ call: "a" })
    const reply = { channel, thread_ts: ts }
    for (const text of ["deny", "Approve"]) yield* said({ ...reply, user: "UBOB", text })
    const told = (yield* posts).filter(({ payload }) => payload.includes("is an approval that only its creator"))
    assert.lengthOf(told, 1)
    assert.deepStrictEqual([yield* statuses(id), yield* statusOf(id)], [["open"], "waiting_input"])
    yield* said({ ...reply, user: "UADA", text: "Deny." })
    assert.deepStrictEqual(yield* statuses(id), ["open"], "any other text is a message to the agent")
    yield* said({ ...reply, user: "UADA", text: "Deny" })
    assert.deepStrictEqual(yield* statuses(id), ["denied"])
  })
}, { BACKEND_API_URL: "https://troupe.example" })
