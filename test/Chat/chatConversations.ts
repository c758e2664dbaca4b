import { assert } from "@effect/vitest"
import { eventually } from "../support/Eventually.ts"
import {
  type ChatTest,
  choose,
  direct,
  isReplyTo,
  lastTask,
  mention,
  posted,
  posts,
  processed,
  question,
  Service,
  tasks,
  write
} from "./chatService.ts"

/** What starts and continues tasks, and how questions are answered. */
export const conversations = (test: ChatTest): void => {
  test(
    "a mention starts one task, however often it is delivered, and its result is posted in its thread",
    function*(before) {
      const written = yield* write({ ...mention, text: "list what there is\nuse list_directory {}" }, { times: 3 })
      yield* processed
      const result = (yield* posted(before + 1))[before]
      isReplyTo(written, result)
      assert.include(result?.text, "list_directory: ok")
      assert.lengthOf(yield* tasks, 1)
      assert.lengthOf(yield* posts, before + 1)
    }
  )

  test("a request that the platform has not signed does nothing", function*(before) {
    const { query } = yield* Service
    yield* write({ ...mention, text: "list what there is" }, { isForged: true })
    assert.deepStrictEqual(yield* query("select from inbound_messages"), [])
    assert.lengthOf(yield* posts, before)
  })

  test("what is said to others in a channel starts nothing, nor what a bot says", function*(before) {
    yield* write({ by: "bob", room: "team", text: "has anybody seen the offers?" })
    yield* write({ by: "robot", room: "team", text: "loop", mentions: true })
    yield* processed
    assert.deepStrictEqual(yield* tasks, [])
    assert.lengthOf(yield* posts, before)
  })

  test("a direct message starts a task, and the next one continues it", function*(before) {
    yield* write({ ...direct, text: "write a poem" })
    const first = (yield* posted(before + 1))[before]
    assert.strictEqual(first?.room, "direct")
    const { id } = yield* lastTask("completed")
    yield* write({ ...direct, text: "shorter, please" })
    yield* posted(before + 2)
    assert.deepInclude(yield* lastTask("completed"), { description: "shorter, please", continued_from: id })
  })

  test("a direct message that begins with new: starts another task", function*(before) {
    yield* write({ ...direct, text: "write a poem" })
    yield* posted(before + 1)
    yield* write({ ...direct, text: "new: write a story" })
    yield* posted(before + 2)
    assert.deepInclude(yield* lastTask("completed"), { description: "write a story", continued_from: null })
  })

  test("a reply to a result continues its task, without a mention", function*(before) {
    yield* write({ ...mention, text: "write a poem" })
    const result = (yield* posted(before + 1))[before]
    const { id } = yield* lastTask("completed")
    assert(result !== undefined)
    yield* write({ by: "bob", room: "team", text: "and a title", replyTo: result })
    yield* posted(before + 2)
    assert.deepInclude(yield* lastTask("completed"), { description: "and a title", continued_from: id })
  })

  test("a question is posted in the thread to who must answer, and a reply answers it", function*(before) {
    const written = yield* write({ ...mention, text: question() })
    const asked = (yield* posted(before + 1))[before]
    isReplyTo(written, asked)
    assert.match(asked?.text ?? "", /^(?:<@UADA>|@11) Which colour\?/)
    assert(asked !== undefined)
    yield* write({ ...mention, mentions: false, text: "blue", replyTo: asked })
    const result = (yield* posted(before + 2))[before + 1]
    assert.include(result?.text, "ask_human: ok: blue")
    assert.lengthOf(yield* tasks, 1)
  })

  test("a direct message answers the question of its conversation", function*(before) {
    yield* write({ ...direct, text: question() })
    yield* posted(before + 1)
    yield* write({ ...direct, text: "blue" })
    assert.include((yield* posted(before + 2))[before + 1]?.text, "ask_human: ok: blue")
    assert.lengthOf(yield* tasks, 1)
  })

  test("a choice answers the question, which then shows who has chosen what", function*(before) {
    yield* write({ ...mention, text: question("Red", "Dark blue") })
    yield* posted(before + 1)
    yield* lastTask("waiting_input")
    yield* eventually(posts, (all) => all[before] !== undefined)
    yield* choose((yield* posts)[before], "Dark blue", "ada")
    assert.include((yield* posted(before + 2))[before + 1]?.text, "ask_human: ok: Dark blue")
    const { double } = yield* Service
    yield* eventually(double.posts, (all) => /Answered by [Aa]da.*: Dark blue/.test(all[before]?.text ?? ""))
  })
}
