import { assert } from "@effect/vitest"
import { post } from "../Http/RawHttp.ts"
import { eventually } from "../support/Eventually.ts"
import {
  callsOf,
  type ChatTest,
  choose,
  direct,
  lastTask,
  mail,
  mention,
  posted,
  processed,
  Service,
  write
} from "./chatService.ts"

/** Calls that need an approval, and what decides about them. */
export const decisions = (test: ChatTest): void => {
  test("a mail is sent once who gave the task has chosen so, and nobody else may", function*(before) {
    const { query } = yield* Service
    const sent = query("select from outbox where channel = 'email'")
    yield* write({ ...mention, text: mail })
    const asked = (yield* posted(before + 1))[before]
    yield* lastTask("waiting_input")
    yield* choose(asked, "Send", "bob")
    yield* processed
    assert.deepStrictEqual(yield* sent, [])
    yield* lastTask("waiting_input")
    yield* choose(asked, "Send", "ada")
    yield* lastTask("completed")
    assert.lengthOf(yield* sent, 1)
  })

  test("a mail is not sent by a word beside the question", function*(before) {
    const { query } = yield* Service
    yield* write({ ...direct, text: mail })
    yield* posted(before + 1)
    yield* lastTask("waiting_input")
    yield* write({ ...direct, text: "Send" })
    assert.include((yield* posted(before + 2))[before + 1]?.text, "I did not send anything yet")
    assert.deepStrictEqual(yield* query("select from outbox where channel = 'email'"), [])
    yield* lastTask("waiting_input")
  })

  test("calls that ask are shown with what was decided about each, wherever that was", function*(before) {
    const { double, port } = yield* Service
    yield* write({ ...mention, text: `${mail}\n${mail}` })
    yield* posted(before + 1)
    const { id } = yield* lastTask("waiting_input")
    const decide = (calls: ReadonlyArray<object>) => post(port, `/task/${id}/approvals`, { decisions: calls })
    const shows = (...lines: ReadonlyArray<RegExp>) =>
      eventually(double.posts, (all) => lines.every((line) => line.test(all[before]?.text ?? "")))
    const [one = "", two = ""] = yield* callsOf(id)
    yield* decide([{ tool_call_id: two, decision: "deny", reason: "not him" }])
    yield* shows(/^1\. send_email: open$/m, /^2\. send_email: denied by .*: not him$/m)
    yield* decide([{ tool_call_id: one, decision: "approve" }])
    yield* lastTask("completed")
    yield* shows(/^1\. send_email: approved by /m, /^2\. send_email: denied by .*: not him$/m)
  })

  test("a task that is cancelled closes the message about its calls", function*(before) {
    const { double, port } = yield* Service
    yield* write({ ...mention, text: mail })
    yield* posted(before + 1)
    const { id } = yield* lastTask("waiting_input")
    yield* post(port, `/task/${id}/cancel`, {})
    yield* eventually(double.posts, (all) => all[before]?.text.includes("the task was cancelled") === true)
  })

  test("a typed word decides only where one call is open", function*(before) {
    const { port, query } = yield* Service
    yield* write({ ...mention, text: `${mail}\n${mail}` })
    const asked = (yield* posted(before + 1))[before]
    const { id } = yield* lastTask("waiting_input")
    assert(asked !== undefined)
    const say = (text: string) => write({ by: "ada", room: "team", text, replyTo: asked })
    yield* say("Approve")
    assert.include((yield* posted(before + 2))[before + 1]?.text, "2 calls are open")
    yield* say("deny")
    assert.include((yield* posted(before + 3))[before + 2]?.text, "2 calls are open")
    const [one = ""] = yield* callsOf(id)
    yield* post(port, `/task/${id}/approvals`, { decisions: [{ tool_call_id: one, decision: "deny" }] })
    yield* say("approve")
    yield* lastTask("completed")
    assert.lengthOf(yield* query("select from outbox where channel = 'email'"), 1)
  })
}
