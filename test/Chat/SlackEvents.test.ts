import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { type ChatEvent, orderingKeyOf, senderOf } from "../../src/Chat/ChatEvent.ts"
import { eventRequestOf } from "../../src/Chat/Slack/SlackEvents.ts"

const read = (value: unknown) => eventRequestOf(Buffer.from(JSON.stringify(value)))

const requestOf = (event: unknown) => read({ type: "event_callback", event_id: "Ev1", event })

const eventOf = (event: unknown): ChatEvent => {
  const found = requestOf(event)
  assert(found._tag === "Event")
  return found.event
}

const said = { type: "message", channel: "C1", user: "U1", ts: "1.1", text: "Hello &amp; bye", channel_type: "channel" }

describe("events of the chat platform", () => {
  it("have an id, and name our own users", () => {
    const found = read({
      type: "event_callback",
      event_id: "Ev1",
      event: said,
      authorizations: [{ user_id: "UBOT", is_bot: true, more: 1 }],
      unknown: {}
    })
    assert(found._tag === "Event")
    assert.deepStrictEqual([found.id, found.type, found.ourselves], ["Ev1", "message", ["UBOT"]])
  })

  it.each([
    ["im", "D1", true],
    ["app_home", "D1", true],
    [undefined, "D1", true],
    [null, "D1", true],
    ["mpim", "G1", false],
    ["channel", "C1", false]
  ])(
    "of the type %j in %j are direct messages: %j",
    (channel_type, channel, isDirect) => assert.deepInclude(eventOf({ ...said, channel_type, channel }), { isDirect })
  )

  it.each(["file_share", "me_message", "thread_broadcast", "message_share"])(
    "of the subtype %s are a person's",
    (subtype) => assert.deepInclude(eventOf({ ...said, subtype }), { _tag: "Message", text: ["Hello & bye"] })
  )

  it.each(["channel_topic", "channel_purpose", "group_topic", "group_purpose"])(
    "of the subtype %s change what the channel is about",
    (subtype) =>
      assert.deepStrictEqual(eventOf({ ...said, subtype, topic: "News" }), { _tag: "ChannelChanged", channel: "C1" })
  )

  it("about an edit have what the message says now, also without a text", () => {
    const blocks = [{
      type: "rich_text",
      elements: [{ type: "rich_text_section", elements: [{ type: "text", text: "new" }] }]
    }]
    assert.deepInclude(eventOf({ ...said, subtype: "message_changed", message: { ts: "1.1", user: "U2", blocks } }), {
      _tag: "MessageChanged",
      text: ["new"],
      user: "U2"
    })
  })

  it("about the deleted first message of a thread are a deletion", () => {
    const message = { subtype: "tombstone", user: "USLACKBOT", ts: "1.1", text: "This message was deleted." }
    const changed = { ...said, subtype: "message_changed", message, previous_message: { user: "U3", text: "old" } }
    assert.deepStrictEqual(eventOf(changed), { _tag: "MessageDeleted", channel: "C1", id: "1.1", user: "U3" })
  })

  it.each([
    [{ ...said, bot_id: "B1" }],
    [{ ...said, user: "USLACKBOT" }],
    [{ ...said, subtype: "message_changed", message: {} }],
    [{ ...said, subtype: "bot_message" }],
    [{ ...said, subtype: "channel_join" }],
    [{ ...said, user: undefined }],
    [{ type: "reaction_added", user: "U1" }],
    [{ type: "member_joined_channel", user: "U1" }],
    [null]
  ])("%j is acknowledged without effect", (event) => assert.strictEqual(requestOf(event)._tag, "Ignored"))

  it.each([
    [{ type: "group_archive", channel: "C1" }, "ChannelClosed"],
    [{ type: "team_join", user: { id: "U1" } }, "UserChanged"]
  ])("%j is read", (event, tag) => assert.strictEqual(eventOf(event)._tag, tag))

  it.each([
    [{ ...said, user: "U1" }, "U1"],
    [{ ...said, subtype: "message_changed", message: { ts: "1.1", text: "new", user: "U2" } }, "U2"],
    [{ ...said, subtype: "message_deleted", deleted_ts: "1.1", previous_message: { user: "U3" } }, "U3"],
    [{ type: "user_change", user: { id: "U4" } }, "U4"],
    [{ type: "channel_left", channel: "C1" }, null]
  ])("%j has the data of a person", (event, user) => assert.strictEqual(senderOf(eventOf(event)), user))

  it("of one conversation have one key", () => {
    const keys = [said, { ...said, type: "app_mention" }, { ...said, ts: "1.2", thread_ts: "1.1" }].map((event) =>
      orderingKeyOf(eventOf(event))
    )
    assert.deepStrictEqual(keys, ["C1/1.1", "C1/1.1", "C1/1.1"])
    assert.strictEqual(orderingKeyOf(eventOf({ ...said, channel: "D1", channel_type: "im", thread_ts: "9.9" })), "D1")
  })

  it.prop("never fail to be read", [fc.json()], ([json]) => void eventRequestOf(Buffer.from(json)))

  it.prop("may have any value in any field", [
    fc.dictionary(
      fc.constantFrom(
        ..."type channel user ts text thread_ts subtype files bot_id attachments blocks message".split(" ")
      ),
      fc.oneof(fc.constantFrom("message", "app_mention", "channel_rename", "C1"), fc.jsonValue())
    )
  ], ([event]) => void requestOf(event))

  it.prop("may be no JSON at all", [fc.uint8Array()], ([bytes]) => {
    const found = eventRequestOf(bytes)
    if (found._tag === "Unreadable") assert.include(found.reason, "body")
  })
})
