import { assert, describe, it } from "@effect/vitest"
import { ScheduleId, TaskId } from "@troupe/domain/Ids"
import { ChatPostJson, chatPostText, ChoiceValueJson } from "@troupe/domain/TeamChat"
import { Schema } from "effect"
import { choiceBlocks, recurringBlocks, section } from "../../src/Delivery/ChatBlocks.ts"

const taskId = TaskId.make("0199f0c2-7d5a-7c3e-9b1f-2f6a4c8d1e55")

const Actions = Schema.Struct({
  elements: Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
})

describe("Blocks of the chat platform", () => {
  it("have a button for each choice, whose value says what it answers", () => {
    const [actions] = choiceBlocks({ taskId, call: "ask1", choices: ["Red", "x".repeat(100)] })
    assert.deepInclude(actions, { type: "actions" })
    const { elements } = Schema.decodeUnknownSync(Actions)(actions)
    assert.deepStrictEqual(elements.map(({ action_id }) => action_id), ["answer_choice:0", "answer_choice:1"])
    assert.deepStrictEqual(Schema.decodeUnknownSync(ChoiceValueJson)(elements[1]?.["value"]), {
      task_id: taskId,
      call: "ask1",
      answer: "x".repeat(100)
    })
    assert.deepNestedInclude(elements[1], { "text.text": `${"x".repeat(74)}…` })
  })

  it("let the platform look for no mentions in a text", () => {
    assert.deepStrictEqual(section("@here").text, { type: "mrkdwn", text: "@here", verbatim: true })
  })

  it("have none where the platform has no room for them", () => {
    assert.deepStrictEqual(choiceBlocks({ taskId, call: null, choices: ["x".repeat(2_000)] }), [])
    assert.deepStrictEqual(choiceBlocks({ taskId, call: null, choices: Array.from({ length: 26 }, String) }), [])
  })

  it("end a reminder's schedule, and survive the outbox", () => {
    const post = {
      text: "Tea",
      blocks: recurringBlocks("Tea", { id: ScheduleId.make("019a0000-0000-7000-8000-000000000001"), kind: "reminder" })
    }
    assert.deepStrictEqual(Schema.decodeSync(ChatPostJson)(chatPostText(post)), post)
    assert.include(chatPostText(post), "\"action_id\":\"stop_reminders\"")
  })
})
