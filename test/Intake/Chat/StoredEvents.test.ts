import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import type { ReceivedEvent } from "../../../src/Chat/ChatEvent.ts"
import { slackProtocol } from "../../../src/Chat/Slack/SlackProtocol.ts"
import { eventIn, storedEvent } from "../../../src/Intake/Chat/StoredEvents.ts"

const slack = slackProtocol(Option.none())
const read = (body: string, url = "/team-chat/dm_response") => eventIn({ body: Buffer.from(body), url }, slack)

const message: ReceivedEvent = {
  ourselves: ["UTROUPE"],
  event: {
    _tag: "Message",
    isMention: true,
    isDirect: false,
    channel: "C1",
    user: "U1",
    id: "1795000000.000100",
    at: 1_795_000_000.000_1,
    thread: null,
    replyTo: "C1/1795000000.000100",
    text: [{ kind: "user", id: "UTROUPE", label: "" }, " compare the offers"],
    quoted: [],
    files: []
  }
}

describe("An event in the queue", () => {
  it("is read as it was stored", () => {
    assert.deepStrictEqual(read(storedEvent(message)), Option.some(message))
  })

  it("of an earlier version is read as the platform sent it", () => {
    const sent = {
      type: "event_callback",
      event_id: "Ev1",
      authorizations: [{ user_id: "UTROUPE" }],
      event: {
        type: "app_mention",
        channel: "C1",
        user: "U1",
        ts: "1795000000.000100",
        text: "<@UTROUPE> compare the offers"
      }
    }
    const found = Option.getOrThrow(read(JSON.stringify(sent)))
    assert.deepInclude(found, { ourselves: message.ourselves, event: message.event })
    const command = Option.getOrThrow(read("user_id=U1&channel_id=C1&text=tasks", "/team-chat/command"))
    assert.deepStrictEqual(command.event, {
      _tag: "Command",
      user: "U1",
      channel: "C1",
      text: ["tasks"],
      answerTo: null
    })
  })

  it("that is no event is none", () => {
    for (const body of ["", "{}", "{\"event\": {\"_tag\": \"Other\"}}"]) assert.isTrue(Option.isNone(read(body)))
  })
})
