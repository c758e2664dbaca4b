import { request } from "@effect/platform-node/Undici"
import { assert } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { userWith } from "../../support/ChatAccounts.ts"
import {
  envelope,
  sendChallenge,
  sendCommand,
  sendEvent,
  sendInteraction,
  type SignOptions
} from "../../support/ChatEvents.ts"
import { troupeHere } from "../../support/CommandLine.ts"
import { eventually } from "../../support/Eventually.ts"
import { asks, inChat, posts, processed, said, Service, statusOf, tasks } from "./service.ts"

const channel = "CGENERAL"
const mention = { channel, user: "UADA", text: "<@UTROUPE> compare the offers" }
const events = "/team-chat/dm_response"
const forged: ReadonlyArray<SignOptions> = [{ secret: "other" }, { skew: -301 }]

const command = (text: string, user = "UADA", options?: SignOptions) =>
  Effect.gen(function*() {
    const { platform, url } = yield* Service
    const { body, status } = yield* sendCommand(platform, `${url}/team-chat/command`, { user, channel, text }, options)
    const answer = JSON.parse(body)
    return {
      status,
      text: String(answer.text),
      type: answer.response_type,
      blocks: JSON.stringify(answer.blocks ?? [])
    }
  })

/** What a command that changes something answers in the end. */
const told = (text: string) =>
  Effect.gen(function*() {
    assert.include((yield* command(text)).text, "the answer follows")
    yield* processed
    const [last] = (yield* posts).slice(-1)
    const payload: unknown = JSON.parse(last?.payload ?? "null")
    assert(typeof payload === "object" && payload !== null && "text" in payload && "response_url" in payload)
    return { text: String(payload.text), blocks: JSON.stringify("blocks" in payload ? payload.blocks : []) }
  })

const press = (action: object, user = "UADA") =>
  Effect.gen(function*() {
    const { platform, url } = yield* Service
    const { body, status } = yield* sendInteraction(`${url}/team-chat/interactive`, {
      type: "block_actions",
      user: { id: user },
      response_url: platform.responseUrl,
      actions: [action]
    })
    assert.strictEqual(status, 200)
    return String(JSON.parse(body).text)
  })

const givenTask = Effect.flatMap(said(mention), () =>
  Effect.map(tasks, ([task]) => {
    assert(task !== undefined)
    return task.id
  }))

inChat("Requests of the chat platform", (test) => {
  test("are a feature of the service", function*() {
    const { url } = yield* Service
    const version: unknown = yield* Effect.promise(() =>
      request(`${url}/api/version`).then((found) => found.body.json())
    )
    assert.deepInclude(version, { features: { ...Object(version).features, chat: true, channels: true } })
  })

  test("verify the address, under both names of the headers", function*() {
    const { url } = yield* Service
    for (const brand of ["Slack", "Chat"] as const) {
      const answer = yield* sendChallenge(`${url}${events}`, "abc", { brand })
      assert.deepStrictEqual(answer, { status: 200, body: "{\"challenge\":\"abc\"}" })
    }
  })

  test("that are forged or old do nothing", function*() {
    const { query, url } = yield* Service
    for (const options of forged) {
      assert.deepStrictEqual(
        yield* sendEvent(`${url}${events}`, envelope({ type: "app_mention", ...mention, ts: "1.1" }), options),
        { status: 200, body: "{\"ok\":false,\"error\":\"invalid_signature\"}" }
      )
      assert.strictEqual((yield* sendInteraction(`${url}/team-chat/interactive`, {}, options)).status, 401)
      assert.strictEqual((yield* command("help", "UADA", options)).status, 401)
    }
    assert.deepStrictEqual(yield* query("select from inbound_messages"), [])
  })

  test("with an event that could not be stored are answered with 503, and processed when they are sent again", function*() {
    const { query, url } = yield* Service
    const event = envelope({ type: "app_mention", ...mention, ts: "1.1" })
    const send = sendEvent(`${url}${events}`, event)
    yield* query("alter table inbound_messages add constraint full_disk check (source <> 'chat') not valid")
    const failed = yield* Effect.ensuring(send, query("alter table inbound_messages drop constraint full_disk"))
    assert.strictEqual(failed.status, 503, failed.body)
    assert.deepStrictEqual(yield* send, { status: 200, body: "{\"ok\":true}" })
    yield* processed
    assert.lengthOf(yield* tasks, 1)
  })

  test("of unknown types are acknowledged", function*() {
    const { query, url } = yield* Service
    for (const type of ["reaction_added", "some_new_type"]) {
      const answer = yield* sendEvent(`${url}${events}`, envelope({ type, user: "UADA" }))
      assert.deepStrictEqual(answer, { status: 200, body: "{\"ok\":true}" })
    }
    assert.deepStrictEqual(yield* query("select from inbound_messages"), [])
  })

  test("stop reminders by the button, once", function*() {
    const { platform, query } = yield* Service
    yield* said({ ...mention, text: "<@UTROUPE> remind me to drink every day at 9" })
    const [made] = yield* query<{ id: string }>("select id::text from schedules")
    const stop = { action_id: "stop_reminders", value: made?.id }
    assert.include(yield* press(stop), "I no longer remind you")
    assert.deepStrictEqual(yield* query("select status from schedules"), [{ status: "done" }])
    assert.deepInclude(yield* Queue.take(platform.responses), { replace_original: true })
    assert.include(yield* press(stop), "I no longer remind you")
    assert.include(yield* press({ ...stop, value: "other" }), "no such reminder")
    assert.include(yield* press({ action_id: "other" }), "no longer valid")
  })

  test("make a task of a recurring reminder by the button, for its user alone, and show what now runs", function*() {
    const { platform, query } = yield* Service
    yield* said({ ...mention, text: "<@UTROUPE> every monday at 8 send the report" })
    const [confirmed] = yield* posts
    const [made] = yield* query<{ id: string }>("select id::text from schedules")
    const change = { action_id: "make_task", value: made?.id }
    assert.include(confirmed?.payload, JSON.stringify("stop_reminders"))
    assert.include(confirmed?.payload, `"text":"Make it a task"`)
    assert.include(confirmed?.payload, `"action_id":"make_task"`)
    const kinds = query<{ kind: string; status: string; cron: string }>("select kind, status, cron from schedules")
    assert.include(yield* press(change, "UBOB"), "Only its user, an owner or an admin")
    assert.deepInclude(yield* Queue.take(platform.responses), { replace_original: false })
    assert.deepStrictEqual(yield* kinds, [{ kind: "reminder", status: "active", cron: "0 8 * * 1" }])
    for (const _ of [1, 2]) {
      assert.include(yield* press(change), "I will start regularly: *send the report*")
      const answer = yield* Queue.take(platform.responses)
      assert.deepInclude(answer, { replace_original: true })
      assert.include(JSON.stringify(answer), `"action_id":"stop_reminders"`)
      assert.deepStrictEqual(yield* kinds, [{ kind: "task", status: "active", cron: "0 8 * * 1" }])
    }
    assert.include(yield* press({ action_id: "stop_reminders", value: made?.id }), "I no longer start this")
    assert.include(yield* press(change), "has ended")
    assert.deepStrictEqual(yield* kinds, [{ kind: "task", status: "done", cron: "0 8 * * 1" }])
    assert.include(yield* press({ ...change, value: "other" }), "no such reminder")
  })

  test("are pressed buttons, also of somebody new, but not of a bot, a guest or a person whom the platform does not know", function*() {
    const { platform, query } = yield* Service
    yield* query(`delete from users where id = ${userWith("UNEW")}`)
    platform.state.user("NEW", { name: "new", real_name: "Somebody New" })
    platform.state.user("ROBOT", { is_bot: true })
    platform.state.user("GUEST", { is_restricted: true })
    const id = yield* givenTask
    yield* asks(id)
    const choice = {
      action_id: "answer_choice:0",
      value: JSON.stringify({ task_id: id, call: "call_1", answer: "Blue" })
    }
    assert.include(yield* press(choice, "UROBOT"), "only for members")
    assert.include(yield* press(choice, "UNOBODY"), "could not load your profile")
    assert.include(yield* press(choice, "UGUEST"), "waits for the person who gave the task")
    assert.strictEqual(yield* statusOf(id), "waiting_input")
    assert.include(yield* press(choice, "UNEW"), "answered: *Blue*")
  })

  test("change no task that has all tools for whoever has become a guest, not even an own one", function*() {
    const { query } = yield* Service
    const id = yield* givenTask
    yield* asks(id)
    yield* query(`update users set is_guest = true where id = ${userWith("UADA")}`)
    const choice = {
      action_id: "answer_choice:0",
      value: JSON.stringify({ task_id: id, call: "call_1", answer: "Blue" })
    }
    assert.include(yield* press(choice), "waits for the person who gave the task")
    assert.include((yield* told(`answer ${id} Blue`)).text, "Only its creator")
    const [made] = yield* tasks
    yield* said({ ...mention, text: "Blue", thread_ts: `${JSON.parse(made?.reply_to ?? "").thread_ts}` })
    assert.strictEqual(yield* statusOf(id), "waiting_input")
    yield* query("update tasks set assignee = creator, assigned_by_answer = true where id = $1", [id])
    assert.include(yield* press(choice), "waits for the person who gave the task")
    yield* query("update tasks set assigned_by_answer = false where id = $1", [id])
    yield* query("update actors set asks_approval = true where task_id = $1", [id])
    assert.include(yield* press(choice), "waits for the person who gave the task", "a guest approves nothing")
    yield* query("update actors set asks_approval = false where task_id = $1", [id])
    assert.include(yield* press(choice), "answered: *Blue*")
  })

  test("are slash commands, answered to their user alone", function*() {
    const { query } = yield* Service
    assert.deepInclude(yield* command("help"), { status: 200, type: "ephemeral" })
    assert.include((yield* command("tasks")).text, "no tasks")
    const started = yield* told("Write a poem")
    assert.include(started.text, "I started")
    const [task] = yield* tasks
    assert.deepInclude(task, {
      description: "Write a poem",
      reply_to: JSON.stringify({ channel: "DADA", thread_ts: null, user: "UADA" })
    })
    const id = task?.id ?? ""
    const short = id.slice(-8)
    assert.include((yield* command("tasks")).text, short)
    assert.include((yield* command("status")).text, "Write a poem")
    yield* asks(id)
    assert.include((yield* command(`status ${short}`)).text, "Red or blue?")
    assert.include((yield* told(`answer ${short} Blue`)).text, "Thanks.")
    assert.include((yield* told(`answer ${short} Red`)).text, "does not wait for an answer")
    assert.strictEqual((yield* query("select from inbox")).length, 1)
    assert.include((yield* told(`cancel ${id}`)).text, "cancelled")
    assert.include((yield* command(`status 00000000`)).text, "no task")
    const reminder = yield* told("remind me to drink at 9am")
    assert.include(reminder.text, "I will remind you")
    assert.notInclude(reminder.blocks, "stop_reminders")
    const recurring = yield* told("remind me to drink every day at 9")
    const [other, made] = yield* query<{ id: string; channel_id: string }>(
      "select id::text, channel_id from schedules order by schedules.id"
    )
    assert.deepStrictEqual([other?.channel_id, made?.channel_id], ["DADA", "DADA"])
    assert.include(recurring.blocks, `"value":"${made?.id}"`)
    assert.include((yield* command("answer")).text, "answer &lt;id&gt; &lt;text&gt;")
  })

  test("show ids that the command line takes, and take those of the command line", function*() {
    const { url } = yield* Service
    const id = yield* givenTask
    const [, short = ""] = /`([0-9a-f]+)`/.exec((yield* command("tasks")).text) ?? []
    const shown = yield* troupeHere(Number(new URL(url).port))(["show", short.toUpperCase()])
    assert.strictEqual(shown.code, 0, shown.stderr)
    assert.include(shown.stdout, id)
    for (const part of [id, id.slice(0, 13), short]) {
      assert.include((yield* command(`status ${part}`)).text, short)
    }
    const unknown = yield* troupeHere(Number(new URL(url).port))(["show", "00000000"])
    assert.include(unknown.stderr, "There is no task 00000000")
  })

  test("are kept before they are acknowledged, and done once, however often they arrive", function*() {
    const { platform, query, url } = yield* Service
    yield* said({ channel, user: "UBOB", text: "hello" })
    const given = { user: "UADA", channel, text: "Write a poem to <@UBOB>" }
    for (const trigger of ["7.8.9", null]) {
      yield* Effect.replicateEffect(sendCommand(platform, `${url}/team-chat/command`, { ...given, trigger }), 3)
    }
    const stored = yield* query("select from inbound_messages where url = '/team-chat/command'")
    assert.isAtMost(stored.length, 3)
    yield* processed
    const made = yield* tasks
    assert.strictEqual(made.length, stored.length)
    assert.strictEqual(made[0]?.description, "Write a poem to @Bob")
  })

  test("of bots and unknown users make no user that could be used", function*() {
    const { platform } = yield* Service
    platform.state.user("ROBOT", { is_bot: true })
    assert.include((yield* command("tasks", "UROBOT")).text, "only for members")
    assert.strictEqual((yield* command("Write a poem", "UROBOT")).status, 200)
    assert.strictEqual((yield* command("Write a poem", "UNOBODY")).status, 200)
    yield* eventually(
      Effect.flatMap(Service, ({ query }) => query<{ state: string }>("select state from inbound_messages")),
      (all) => all.length === 2 && all.every(({ state }) => state === "done" || state === "failed")
    )
    assert.deepStrictEqual(yield* tasks, [])
  })
})

inChat("Requests of the chat platform, with a rate limit", (test) => {
  test("are not limited if they are signed; forged ones count for their address", function*() {
    const { url } = yield* Service
    const challenge = Effect.map(sendChallenge(`${url}${events}`, "abc"), ({ status }) => status)
    const press = (options?: SignOptions) =>
      Effect.map(sendInteraction(`${url}/team-chat/interactive`, {}, options), ({ status }) => status)
    assert.deepStrictEqual(yield* Effect.replicateEffect(challenge, 5), [200, 200, 200, 200, 200])
    assert.deepStrictEqual(yield* Effect.replicateEffect(press({ secret: "other" }), 4), [401, 401, 429, 429])
    assert.deepStrictEqual([yield* challenge, yield* press()], [200, 400])
  })
}, { RATE_LIMIT_PER_MINUTE: "2" })
