import { assert, describe, it } from "@effect/vitest"
import { ChatPostJson, chatPostText } from "@troupe/domain/TeamChat"
import { Schema } from "effect"
import { formatted } from "../../src/Chat/ChatMessage.ts"
import { postsOf } from "../../src/Chat/Slack/SlackPosts.ts"

const Actions = Schema.Struct({
  elements: Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
})

const choices = (...labels: ReadonlyArray<string>) =>
  labels.map((label) => ({ action: "answer_choice", label, value: label }))

const question = formatted("Which?", "Which?\n- a list")

describe("Messages of the chat platform", () => {
  it("have a button for each choice, and list those that it cuts", () => {
    const [post] = postsOf({ text: [question], buttons: choices("Red", "x".repeat(100)) })
    assert.strictEqual(post?.text, "Which?\n\n• a list")
    const { elements } = Schema.decodeUnknownSync(Actions)(post?.controls?.[1])
    assert.deepStrictEqual(elements.map(({ action_id }) => action_id), ["answer_choice:0", "answer_choice:1"])
    assert.strictEqual(elements[1]?.["value"], "x".repeat(100))
    assert.deepNestedInclude(elements[1], { "text.text": `${"x".repeat(74)}…` })
    assert.strictEqual(postsOf({ text: [question], buttons: choices("Red", "Blue") })[0]?.text, "Which?")
  })

  it("let the platform look for no mentions in a text", () => {
    const [post] = postsOf({ text: ["@here"], buttons: choices("Red") })
    assert.deepNestedInclude(post?.controls?.[0], { text: { type: "mrkdwn", text: "@here", verbatim: true } })
  })

  it("have no buttons where the platform has no room for them", () => {
    for (const buttons of [choices("x".repeat(2_001)), choices(...Array.from({ length: 26 }, String))]) {
      assert.deepStrictEqual(postsOf({ text: [question], buttons }), [{ text: "Which?\n\n• a list" }])
    }
  })

  it("survive the outbox", () => {
    const [post] = postsOf({ text: ["Tea"], buttons: [{ action: "stop_reminders", label: "Stop", value: "1" }] })
    assert(post !== undefined)
    assert.deepStrictEqual(Schema.decodeSync(ChatPostJson)(chatPostText(post)), post)
    assert.include(chatPostText(post), "\"action_id\":\"stop_reminders\"")
  })
})
