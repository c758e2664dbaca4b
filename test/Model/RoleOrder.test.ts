import { assert, describe, it } from "@effect/vitest"
import type { AssistantMessage, Message } from "@troupe/domain/Message"
import type { SentMessage } from "../../src/Model/Model.ts"
import { anyIds, inRoleOrder, shortIds, wordIds } from "../../src/Model/RoleOrder.ts"
import { call } from "../support/ScriptedModel.ts"

const user = (content: string): Message => ({ role: "user", content })
const calling = (content: string, ...ids: ReadonlyArray<string>): AssistantMessage => ({
  role: "assistant",
  content,
  tool_calls: ids.map((id) => call(id, "look"))
})
const result = (id: string, content = `result ${id}`): Message => ({
  role: "tool",
  tool_call_id: call(id, "look").id,
  name: "look",
  content
})

const rules = { isAssistantAfterTool: true, ids: anyIds }

const ordered = (...messages: ReadonlyArray<SentMessage>) =>
  inRoleOrder(messages, rules).map((message) => [message.role, message.content])

describe("The order of roles", () => {
  it("leaves a conversation that fits as it is, message by message", () => {
    const messages = [user("Find it"), calling("", "1", "2"), result("1"), result("2"), calling("", "3"), result("3")]
    assert.isTrue(inRoleOrder(messages, rules).every((message, index) => message === messages[index]))
  })

  it("merges neighbours of one role", () => {
    assert.deepStrictEqual(ordered(user("One."), user("Two."), calling("Half of "), calling("it."), user("And?")), [
      ["user", "One.\n\nTwo."],
      ["assistant", "Half of it."],
      ["user", "And?"]
    ])
  })

  it("merges no answer that has parts for its model alone, and leaves both as they are", () => {
    const [first, second] = [{ ...calling("Half of "), opaque: "r1" }, calling("it.", "1")]
    const third = { ...calling("Done."), opaque: "r3" }
    const messages = inRoleOrder([user("Go."), first, second, result("1"), calling("Almost. "), third], rules)
    assert.deepStrictEqual(messages.map(({ content }) => content), [
      "Go.",
      "Half of ",
      "Continue.",
      "it.",
      "result 1",
      "Almost. ",
      "Continue.",
      "Done.",
      "Continue."
    ])
    assert.deepStrictEqual([messages[1], messages[3], messages[7]], [first, second, third])
  })

  it("keeps the parts for its model of a message that gets other ids or no blank text", () => {
    const asked = { ...calling(" ", "functions.look:0"), opaque: "r1" }
    const [, message] = inRoleOrder([user("Find it"), asked, result("functions.look:0")], {
      isAssistantAfterTool: true,
      ids: shortIds
    })
    assert.deepInclude(message, { content: "", opaque: "r1" })
  })

  it("keeps the pictures of merged messages in their order", () => {
    const [merged] = inRoleOrder([
      { role: "user", content: "a", imageUrls: ["data:a"] },
      user("b"),
      { role: "user", content: "c", imageUrls: ["data:c"] }
    ], rules)
    assert.deepStrictEqual(merged, { role: "user", content: "a\n\nb\n\nc", imageUrls: ["data:a", "data:c"] })
  })

  it("lets a person's message wait for the results of the calls before it", () => {
    assert.deepStrictEqual(ordered(user("Find it"), calling("", "1", "2"), result("2"), user("Hurry!"), result("1")), [
      ["user", "Find it"],
      ["assistant", ""],
      ["tool", "result 1"],
      ["tool", "result 2"],
      ["assistant", "I have the results."],
      ["user", "Hurry!"]
    ])
  })

  it("puts the user's message beside the results where the provider takes both as one", () => {
    const messages = [user("Find it"), calling("", "1"), result("1"), user("Hurry!")]
    assert.deepStrictEqual<ReadonlyArray<SentMessage>>(
      inRoleOrder(messages, { isAssistantAfterTool: false, ids: anyIds }),
      messages
    )
  })

  it("gives a system message after the first and a result without its call to the user", () => {
    assert.deepStrictEqual(
      ordered({ role: "system", content: "A summary." }, result("0"), calling("", "1"), result("1")),
      [
        ["user", "[Note from the system]\nA summary.\n\n[Result of an earlier call of look]\nresult 0"],
        ["assistant", ""],
        ["tool", "result 1"]
      ]
    )
  })

  it("gives a call that has no result one that says so", () => {
    assert.deepStrictEqual(
      ordered(user("Find it"), calling("", "1", "2"), result("2"), calling("Found.")).slice(2, 4),
      [
        ["tool", "Error: this call was not carried out."],
        ["tool", "result 2"]
      ]
    )
  })

  it("begins and ends with the user", () => {
    assert.deepStrictEqual(ordered(calling("Hello.")), [
      ["user", "The conversation goes on here."],
      ["assistant", "Hello."],
      ["user", "Continue."]
    ])
    assert.deepStrictEqual(ordered(), [["user", "Continue."]])
  })

  it("leaves no message empty", () => {
    const messages = ordered(
      user(" "),
      calling("\n"),
      user("So?"),
      calling(" \n", "1"),
      result("1", ""),
      calling("Yes."),
      user("")
    )
    assert.deepStrictEqual(messages, [
      ["user", "(no text)\n\nSo?"],
      ["assistant", ""],
      ["tool", "(no output)"],
      ["assistant", "Yes."],
      ["user", "(no text)"]
    ])
  })

  it("gives calls and their results ids that the provider accepts, the same ones each time", () => {
    const messages = [user("Find it"), calling("", "functions.look:0"), result("functions.look:0")]
    const idsOf = (ids: typeof anyIds) =>
      inRoleOrder(messages, { isAssistantAfterTool: true, ids }).flatMap((message) =>
        message.role === "assistant"
          ? message.tool_calls.map(({ id }) => id)
          : message.role === "tool"
          ? [message.tool_call_id]
          : []
      )
    assert.deepStrictEqual(idsOf(anyIds), [call("functions.look:0", "").id, call("functions.look:0", "").id])
    for (const ids of [wordIds, shortIds]) {
      const [first = "", second] = idsOf(ids)
      assert.match(first, /^[a-zA-Z0-9]{9}$/)
      assert.strictEqual(second, first)
      assert.deepStrictEqual(idsOf(ids), [first, first])
    }
  })
})
