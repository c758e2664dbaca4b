import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { asks, ends, inChat, posts, processed, said, send, Service, statusOf, tasks } from "../Intake/Chat/service.ts"
import { envelope, sendCommand } from "../support/ChatEvents.ts"
import { channel, direct, kept, mention, messagesOf, onlyTask } from "./chatEvents.ts"

inChat("Words of the team chat", (test) => {
  const zeroWidth = "\u200B\u200C\u200D\u2060\uFEFF\u00AD\u200E\u202A"

  test("schedule and remind with invisible characters and odd spaces around them", function*() {
    const { query } = yield* Service
    yield* said({ ...mention, text: `<@UTROUPE>${zeroWidth}\u00A0${zeroWidth}remind me to pay in\u00A02\u202Fhours` })
    yield* said({ ...mention, text: "<@UTROUPE|troupe>:\u2066 sche\u00ADdule the report tomorrow at\u00A09\u2069" })
    yield* said({ ...mention, text: "schedule the letter <@UTROUPE> tomorrow at 9" })
    yield* said({ ...mention, text: "remind me to call tomorrow at 9 <@UTROUPE>\uFEFF" })
    assert.deepStrictEqual(yield* tasks, [])
    assert.deepStrictEqual(
      (yield* query<{ message: string }>("select message from schedules order by id")).map(({ message }) => message),
      ["pay", "the report", "the letter", "call"]
    )
  })

  test("that only mention us, with invisible characters, are answered with help", function*() {
    yield* said({ ...mention, text: `${zeroWidth}<@UTROUPE>${zeroWidth}` })
    assert.deepStrictEqual(yield* tasks, [])
    assert.include((yield* posts)[0]?.payload, "Tell me what you need")
  })

  test("give commands and approvals with invisible characters around them", function*() {
    const { platform, query, url } = yield* Service
    const { ts } = yield* said(mention)
    const { id } = yield* onlyTask
    const run = (text: string) =>
      Effect.map(
        sendCommand(platform, `${url}/team-chat/command`, { user: "UADA", channel, text }),
        ({ body }) => String(JSON.parse(body).text)
      )
    assert.include(yield* run(`${zeroWidth}tasks\u00A0${zeroWidth}`), "look at this")
    yield* asks(id)
    yield* query("update actors set asks_approval = true, choices = '{Send,Don''t send}'")
    yield* query(
      `insert into outbox (id, channel, recipient, kind, task_id, notification_id, state, due_at, ended_at, progress)
  select gen_random_uuid(), 'chat', 'UADA', 'notification', task_id, notification_id(now(), task_id, seq, 0), 'sent', null, now(), $1
  from actors`,
      [JSON.stringify({ files: [], missing: [], buttons: { channel, ts: "1000000000.000100", text: "Send?" } })]
    )
    yield* said({ channel, user: "UADA", thread_ts: ts, text: `${zeroWidth}Send${zeroWidth}` })
    assert.deepInclude((yield* messagesOf(id))[0], { approves: true })
    assert.include(yield* run(`cancel\u200B ${id.slice(-8)}\uFEFF`), "working on it")
    yield* processed
    assert.strictEqual(yield* statusOf(id), "failed")
  })

  test("show people, channels, groups and links as they read, with entities decoded once", function*() {
    yield* send([envelope({ type: "member_joined_channel", channel, user: "UTROUPE" })])
    yield* said({ channel, user: "UBOB", text: "hello" })
    const text = "<@UTROUPE> ask <@UBOB> <@UADA|ada> in <#CGENERAL> <#CGENERAL|> <!subteam^S1|@ops> <!here> "
      + "<https://example.org/?a=1&amp;b=2|the &amp; plan> 1 &lt; 2 &amp;lt; “yes”"
    yield* said({ ...mention, text })
    assert.strictEqual(
      (yield* onlyTask).description,
      "ask @Bob @Ada Lovelace in #general #general @ops @here the & plan (https://example.org/?a=1&b=2) 1 < 2 &lt; “yes”"
    )
  })

  test("are read from blocks where there is no text", function*() {
    const elements = [
      { type: "user", user_id: "UTROUPE" },
      { type: "text", text: " compare a < b " },
      { type: "link", url: "https://example.org", text: "plan" }
    ]
    const blocks = [{ type: "rich_text", elements: [{ type: "rich_text_section", elements }] }]
    yield* said({ channel, user: "UADA", text: "", fields: { blocks } })
    assert.strictEqual((yield* onlyTask).description, "compare a < b plan (https://example.org)")
  })

  test("come with a table that was pasted beside them, or alone", function*() {
    const rows = [["Item", "Price"], ["Desk", "300"]].map((row) => row.map((text) => ({ type: "raw_text", text })))
    const fields = { attachments: [{ id: 1, blocks: [{ type: "table", rows }], fallback: "[no preview available]" }] }
    yield* said({ ...direct, text: "Which is dear?", fields })
    yield* ends((yield* onlyTask).id)
    yield* said({ ...direct, text: "", fields })
    const made = yield* tasks
    assert.deepStrictEqual(made.map(({ description }) => description), [
      "Which is dear?",
      "See what was attached to this message."
    ])
    for (const { context } of made) {
      assert.include(context, "<attached_text>\nItem | Price\nDesk | 300\n</attached_text>")
    }
  })

  test("of an edit, a deletion or a bot start nothing", function*() {
    yield* send([envelope({ type: "member_joined_channel", channel, user: "UTROUPE" })])
    const { ts } = yield* said({ channel, user: "UBOB", text: "first" })
    const about = { type: "message", channel, ts: "9.9", channel_type: "channel" }
    const bot = { ...about, bot_id: "B1", text: "<@UTROUPE> loop" }
    yield* send([
      envelope({ ...about, subtype: "message_changed", message: { ts, user: "UBOB", text: "<@UTROUPE> second" } }),
      envelope({ ...bot, subtype: "bot_message" }),
      envelope({ ...bot, user: "UBOB" })
    ])
    assert.deepStrictEqual(yield* kept, ["@UTROUPE second"])
    const tombstone = { ts, user: "USLACKBOT", subtype: "tombstone", text: "This message was deleted." }
    yield* send([
      envelope({ ...about, subtype: "message_changed", message: tombstone, previous_message: { user: "UBOB" } })
    ])
    assert.deepStrictEqual(yield* kept, [])
    assert.deepStrictEqual(yield* tasks, [])
  })
})
