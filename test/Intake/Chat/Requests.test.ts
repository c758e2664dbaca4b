import { request } from "@effect/platform-node/Undici"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
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
import { channel, command, givenTask, mention, told } from "./requests.ts"
import { asks, inChat, processed, said, Service, tasks } from "./service.ts"

const events = "/team-chat/dm_response"

const forged: ReadonlyArray<SignOptions> = [{ secret: "other" }, { skew: -301 }]

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
