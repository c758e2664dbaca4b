import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { interactionOf } from "../../../src/Chat/Slack/SlackProtocol.ts"
import { type Command, commandOf } from "../../../src/Intake/Chat/Commands.ts"

const id = "0199d1c2-7f3a-7b8e-9c41-2f6a5e0b1d34"

describe("slash commands", () => {
  it.each<readonly [string, Command]>([
    ["", { _tag: "Help" }],
    [" help ", { _tag: "Help" }],
    ["tasks", { _tag: "Tasks" }],
    ["status", { _tag: "Status", id: null }],
    [`status ${id}`, { _tag: "Status", id }],
    ["STATUS 5e0b1d34", { _tag: "Status", id: "5e0b1d34" }],
    [`cancel ${id}`, { _tag: "Cancel", id }],
    ["cancel", { _tag: "Incomplete", usage: "cancel <id>" }],
    [`answer ${id} Blue,\nplease`, { _tag: "Answer", id, text: "Blue,\nplease" }],
    [`answer ${id}`, { _tag: "Incomplete", usage: "answer <id> <text>" }],
    ["`tasks`", { _tag: "Tasks" }],
    ["“status” <5e0b1d34>", { _tag: "Status", id: "5e0b1d34" }],
    ["answer `5e0b1d34` “Blue”", { _tag: "Answer", id: "5e0b1d34", text: "“Blue”" }],
    ["cancel my meeting", { _tag: "Request", text: "cancel my meeting" }],
    ["answer my mails", { _tag: "Request", text: "answer my mails" }],
    ["help me write", { _tag: "Request", text: "help me write" }],
    ["status of the project", { _tag: "Request", text: "status of the project" }]
  ])("%j", (text, expected) => assert.deepStrictEqual(commandOf(text), expected))
})

describe("buttons", () => {
  const form = (payload: unknown) => new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
  const user = { id: "U1", name: "ada" }

  it.each([
    [form({ user, actions: [{ action_id: "other", value: "1" }] }), "Pressed"],
    [form({ user, actions: [{ action_id: "answer_choice", value: "{}" }] }), "Pressed"],
    [form({ user }), "Pressed"],
    [form({ actions: [] }), "Unreadable"],
    ["payload=%7B", "Unreadable"],
    ["other=1", "Unreadable"]
  ])("%j", (text, tag) => assert.strictEqual(interactionOf(new URLSearchParams(text))._tag, tag))

  it.prop("never fail to be read", [fc.string()], ([text]) => void interactionOf(new URLSearchParams(text)))
})
