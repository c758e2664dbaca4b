import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { userWith } from "../../support/ChatAccounts.ts"
import { envelope } from "../../support/ChatEvents.ts"
import { eventually } from "../../support/Eventually.ts"
import { inChat, posts, said, send, Service, tasks } from "./service.ts"

const channel = "CGENERAL"
const joined = envelope({ type: "member_joined_channel", channel, user: "UTROUPE" })

const state = Effect.flatMap(
  Service,
  ({ query }) =>
    Effect.map(
      query<{ name: string; is_active: boolean; is_member: boolean; project_id: string | null }>(
        "select name, is_active, is_member, project_id from channels"
      ),
      ([found]) => found
    )
)

const members = Effect.flatMap(Service, ({ query }) =>
  Effect.map(
    query<{ account: string }>(
      "select account from channel_members join chat_accounts using (user_id) where deactivated_at is null order by 1"
    ),
    (rows) => rows.map(({ account }) => account)
  ))

const isThere = (rows: ReadonlyArray<unknown>) => rows.length > 0

/** The members come without the event waiting for them. */
const synced = eventually(members, (all) => all.join() === "UADA,UBOB")

inChat("Events of channels", (test) => {
  test("an invitation syncs the channel, makes it a project and introduces us, once", function*() {
    yield* send([joined])
    yield* send([envelope({ type: "member_joined_channel", channel, user: "UTROUPE" })])
    assert.deepInclude(yield* state, { name: "general", is_active: true, is_member: true, project_id: channel })
    yield* synced
    const [introduction, ...others] = yield* posts
    assert.deepStrictEqual(others, [])
    assert.strictEqual(introduction?.recipient, JSON.stringify({ channel, thread_ts: null, user: null }))
  })

  test("an invitation waits for no list of members, and is retried while the platform is unavailable", function*() {
    const { platform, query } = yield* Service
    platform.misbehave("conversations.info", { _tag: "status", status: 503 })
    platform.misbehave("conversations.members", { _tag: "slow", millis: 1_500 })
    yield* Effect.fork(send([joined]))
    yield* eventually(
      query("select from inbound_messages where epoch = 1 and attempts = 0 and state = 'pending'"),
      isThere
    )
    yield* query("update inbound_messages set due_at = now() where state = 'pending'")
    yield* eventually(query("select from inbound_messages where state = 'done'"), isThere)
    assert.deepInclude(yield* state, { project_id: channel })
    assert.strictEqual((yield* posts).length, 1)
    assert.deepStrictEqual(yield* members, [])
    yield* synced
  })

  test("a new topic is known at once", function*() {
    const { platform, query } = yield* Service
    yield* send([joined])
    yield* synced
    Object.assign(platform.state.channels.get(channel) ?? {}, { topic: "Launch on Friday", purpose: "The moon" })
    yield* send([
      envelope({
        type: "message",
        subtype: "channel_topic",
        channel,
        user: "UADA",
        ts: "1795000000.000100",
        topic: "Launch"
      })
    ])
    assert.deepStrictEqual(yield* query("select topic, purpose from channels"), [
      { topic: "Launch on Friday", purpose: "The moon" }
    ])
    assert.deepStrictEqual(yield* tasks, [])
  })

  test("tasks of a channel belong to its project, whose agents read the channel's other messages", function*() {
    const { query } = yield* Service
    yield* send([joined])
    yield* said({ channel, user: "UBOB", text: "The offers are in &amp; cheap" })
    yield* said({ channel, user: "UADA", text: "<@UTROUPE> compare the offers" })
    assert.strictEqual((yield* tasks)[0]?.project_id, channel)
    assert.deepStrictEqual(yield* query("select content from channel_messages"), [{
      content: "The offers are in & cheap"
    }])
  })

  test("messages that mention nobody are stored as they were last edited", function*() {
    const { query } = yield* Service
    yield* send([joined])
    const first = yield* said({ channel, user: "UBOB", text: "The offers are cheap" })
    const second = yield* said({ channel, user: "UBOB", text: "Nobody knows" })
    const message = { ts: first.ts, text: "The offers are <@UADA>'s", user: "UBOB" }
    yield* send([
      envelope({ type: "message", channel, subtype: "message_changed", message }),
      envelope({ type: "message", channel, subtype: "message_deleted", deleted_ts: second.ts })
    ])
    assert.deepStrictEqual(yield* query("select content from channel_messages"), [
      { content: "The offers are @Ada Lovelace's" }
    ])
  })

  test("people join and leave", function*() {
    const { platform } = yield* Service
    yield* send([joined])
    yield* synced
    const paged = platform.callsOf("conversations.members").length
    platform.state.user("EVE", { name: "eve" })
    platform.state.channels.get(channel)?.members.add("UEVE")
    yield* send([envelope({ type: "member_joined_channel", channel, user: "UEVE" })])
    assert.deepStrictEqual(yield* members, ["UADA", "UBOB", "UEVE"])
    yield* send([envelope({ type: "member_left_channel", channel, user: "UBOB" })])
    assert.deepStrictEqual(yield* members, ["UADA", "UEVE"])
    assert.strictEqual(platform.callsOf("conversations.members").length, paged)
  })

  test("renamed, left and deleted channels", function*() {
    const { platform } = yield* Service
    yield* send([joined])
    platform.state.channel("GENERAL", { name: "everyone", members: ["UTROUPE", "UADA"] })
    yield* send([envelope({ type: "channel_rename", channel: { id: channel, name: "everyone" } })])
    assert.strictEqual((yield* state)?.name, "everyone")
    yield* send([envelope({ type: "channel_left", channel })])
    assert.deepInclude(yield* state, { is_active: true, is_member: false, project_id: channel })
    yield* send([envelope({ type: "channel_deleted", channel })])
    assert.deepInclude(yield* state, { is_active: false })
  })

  test("profiles follow the platform", function*() {
    const { platform, query } = yield* Service
    yield* send([joined])
    platform.state.user("ADA", { name: "ada", real_name: "Ada King" })
    yield* send([envelope({ type: "user_change", user: { id: "UADA" } })])
    assert.deepStrictEqual(yield* query(`select name from users where id = ${userWith("UADA")}`), [{
      name: "Ada King"
    }])
  })
})
