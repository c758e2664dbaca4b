import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { sendCommand, sendInteraction } from "../../support/ChatEvents.ts"
import { asks, inChat, posts, processed, said, Service, statusOf, tasks } from "./service.ts"

const channel = "CGENERAL"
const mention = { channel, user: "UADA", text: "<@UTROUPE> write to Eva" }

const postedAt = (channel: string, ts: string) =>
  JSON.stringify({ files: [], missing: [], buttons: { channel, ts, text: "May this mail be sent?" } })

/** A task of Ada that asks for approval by `call_1`, posted before or after what is said now. */
const givenApproval = (since: "earlier" | "later", request: Parameters<typeof said>[0] = mention) =>
  Effect.gen(function*() {
    const { query } = yield* Service
    const { ts } = yield* said(request)
    const id = (yield* tasks).at(-1)?.id ?? ""
    yield* asks(id, "May this mail be sent?")
    yield* query(
      "update actors set asks_approval = true, choices = '{Send,Don''t send}' where task_id = $1",
      [id]
    )
    yield* query(
      `insert into outbox (id, channel, recipient, kind, task_id, notification_id, state, due_at, ended_at, progress)
  select gen_random_uuid(), 'chat', 'UADA', 'notification', task_id, notification_id(now(), task_id, seq, 0), 'sent', null, now(), $2
  from actors where task_id = $1`,
      [id, postedAt(request.channel, since === "earlier" ? "1000000000.000100" : "2000000000.000100")]
    )
    return { id, ts }
  })

const press = (id: string, call: string | null, user: string, answer = "Send") =>
  Effect.gen(function*() {
    const { url } = yield* Service
    const value = JSON.stringify({ task_id: id, call, answer })
    const { body } = yield* sendInteraction(`${url}/team-chat/interactive`, {
      user: { id: user },
      actions: [{ action_id: "answer_choice:0", value }]
    })
    yield* processed
    return String(JSON.parse(body).text)
  })

const approvals = Effect.flatMap(Service, ({ query }) =>
  Effect.map(
    query<{ body: string }>("select body from inbox"),
    (rows) => rows.map(({ body }) => JSON.parse(body) as { text: string; approves: boolean })
  ))

const refusals = Effect.map(
  posts,
  (all) => all.filter(({ payload }) => payload.includes("waits for the person who gave the task"))
)

const lastStepOf = (id: string) =>
  Effect.flatMap(Service, ({ query }) =>
    Effect.map(
      query<{ body: string }>("select body from steps where task_id = $1 order by seq desc limit 1", [id]),
      ([row]) => JSON.parse(row?.body ?? "{}") as object
    ))

inChat("An approval in the team chat", (test) => {
  test("is given by the button of its question, by who gave the task", function*() {
    const { id } = yield* givenApproval("earlier")
    assert.include(yield* press(id, "call_1", "UBOB"), "waits for the person who gave the task")
    assert.include(yield* press(id, "call_0", "UADA"), "has been answered")
    assert.strictEqual(yield* statusOf(id), "waiting_input")
    assert.include(yield* press(id, "call_1", "UADA"), "answered: *Send*")
    assert.include(yield* press(id, "call_1", "UADA", "Don't send"), "has been answered")
    const [given, ...others] = yield* approvals
    assert.deepInclude(given, { text: "Send", approves: true })
    assert.deepStrictEqual(others, [])
    assert.deepInclude(yield* lastStepOf(id), {
      kind: "answered",
      name: "Ada Lovelace",
      via: "chat",
      decision: "approved"
    })
  })

  test("is not given by the other button", function*() {
    const { id } = yield* givenApproval("earlier")
    yield* press(id, "call_1", "UADA", "Don't send")
    assert.deepInclude((yield* approvals)[0], { approves: false })
  })

  test("is given in the thread, by who gave the task, after the question", function*() {
    const { id, ts } = yield* givenApproval("earlier")
    const reply = { channel, thread_ts: ts, text: "send" }
    yield* said({ ...reply, user: "UBOB", text: "I would read it first" })
    assert.lengthOf(yield* refusals, 0)
    for (const text of ["send", "Don’t send"]) yield* said({ ...reply, user: "UBOB", text })
    assert.lengthOf(yield* refusals, 1, "a colleague is told once why nothing happens")
    assert.strictEqual(yield* statusOf(id), "waiting_input")
    yield* said({ ...reply, user: "UADA" })
    assert.deepInclude((yield* approvals)[0], { text: "send", approves: true })
  })

  test("is not given in a direct message outside of the thread, which tells where to answer", function*() {
    const direct = { channel: "DADA", user: "UADA" }
    const { id, ts } = yield* givenApproval("earlier", { ...direct, text: "write to Eva" })
    yield* said({ ...direct, text: "Send" })
    assert.strictEqual(yield* statusOf(id), "waiting_input")
    assert.include((yield* posts).at(-1)?.payload, "press the button of the question, or answer in its thread")
    yield* said({ ...direct, thread_ts: ts, text: "Send" })
    assert.deepInclude((yield* approvals)[0], { text: "Send", approves: true })
  })

  test("is not given by a command, which gets the question with its buttons", function*() {
    const { id } = yield* givenApproval("earlier")
    const { platform, url } = yield* Service
    const command = (text: string) =>
      Effect.zipRight(
        sendCommand(platform, `${url}/team-chat/command`, { channel, user: "UADA", text }),
        processed
      )
    yield* command(`answer ${id} Send`)
    assert.strictEqual(yield* statusOf(id), "waiting_input")
    const { blocks, text } = JSON.parse((yield* posts).at(-1)?.payload ?? "")
    assert.strictEqual(text, "May this mail be sent?")
    assert.deepStrictEqual(
      blocks[1].elements.map((button: { readonly value: string }) => JSON.parse(button.value)),
      ["Send", "Don't send"].map((answer) => ({ task_id: id, call: "call_1", answer }))
    )
    yield* command(`answer ${id} Rather not`)
    assert.deepInclude((yield* approvals)[0], { text: "Rather not", approves: false })
  })

  test("is not given, nor refused, by what was said before the question was posted, or where it was not", function*() {
    const told = Effect.map(posts, (all) => all.filter(({ payload }) => payload.includes("press the button")).length)
    const { id: later, ts } = yield* givenApproval("later")
    yield* said({ channel, thread_ts: ts, user: "UADA", text: "Send" })
    assert.deepStrictEqual([yield* statusOf(later), yield* told], ["waiting_input", 1])
    const { id, ts: other } = yield* givenApproval("earlier", { ...mention, text: "<@UTROUPE> write to Eva again" })
    const { query } = yield* Service
    yield* query("update outbox set progress = null where task_id = $1", [id])
    yield* said({ channel, thread_ts: other, user: "UADA", text: "Send" })
    assert.deepStrictEqual([yield* statusOf(id), yield* told], ["waiting_input", 2])
    yield* said({ channel, thread_ts: other, user: "UADA", text: "Rather not" })
    yield* press(later, "call_1", "UADA")
    const [refused, approved] = yield* approvals
    assert.deepInclude(refused, { text: "Rather not", approves: false })
    assert.deepInclude(approved, { text: "Send", approves: true })
  })
})
