import { assert } from "@effect/vitest"
import { post } from "../Http/RawHttp.ts"
import type { Posted } from "../support/ChatDoubles.ts"
import { eventually } from "../support/Eventually.ts"
import {
  type ChatTest,
  command,
  direct,
  isReplyTo,
  lastTask,
  mention,
  posted,
  posts,
  question,
  Service,
  tasks,
  uses,
  write
} from "./chatService.ts"

/** Messages to a running agent, files, schedules, commands and lost answers. */
export const work = (test: ChatTest): void => {
  test("a message in the thread reaches the running agent", function*(before) {
    yield* write({ ...direct, text: `${question()}\n\n${uses("wait", { seconds: 600 })}` })
    const asked = (yield* posted(before + 1))[before]
    assert(asked !== undefined)
    yield* write({ ...direct, text: "blue", replyTo: asked })
    const { query } = yield* Service
    yield* eventually(
      query(
        "select from actors where status = 'running' and runner is null and wake_at > now() + interval '1 minute'"
      ),
      ({ length }) => length > 0
    )
    yield* write({ ...direct, text: "use list_directory {}", replyTo: asked })
    assert.include((yield* posted(before + 2))[before + 1]?.text, "list_directory: ok")
    assert.lengthOf(yield* tasks, 1)
  })

  test("files come with the request, and with the result", function*(before) {
    const file = { name: "offers.csv", content: "a;b" }
    const written = yield* write({
      ...mention,
      text: `${uses("write_file", { path: "report.md", content: "# Hi" })}\n\n${
        uses("attach_file", { path: "report.md" })
      }`,
      file
    })
    const all = yield* posted(before + 2)
    const [result, shared] = [all[before], all[before + 1]]
    isReplyTo(written, result)
    isReplyTo(written, shared)
    assert.deepStrictEqual(shared?.files.map(({ name }) => name), ["report.md"])
    assert.match((yield* tasks)[0]?.attachments[0] ?? "", /^team-chat\/[^/]+\/\w+-offers\.csv$/)
  })

  test("a long result comes whole, in parts", function*(before) {
    const words = Array.from({ length: 1_500 }, (_, at) => `word${at}`).join(" ")
    yield* write({ ...direct, text: uses("ask_human", { question: words }) })
    const said = (all: ReadonlyArray<Posted>) =>
      all.slice(before).map(({ text }) => text).join("").replaceAll(/\s/g, "")
    const { double } = yield* Service
    const all = yield* eventually(double.posts, (found) => said(found).includes(words.replaceAll(" ", "")))
    assert.isAtLeast(all.length, before + 2)
  })

  test("a reminder is confirmed, and comes where it was asked for", function*(before) {
    const { port, query } = yield* Service
    const written = yield* write({ ...mention, text: "remind me to drink every day at 9" })
    const confirmed = (yield* posted(before + 1))[before]
    isReplyTo(written, confirmed)
    assert.match(confirmed?.text ?? "", /I will remind you regularly: \*?drink\*?\. The rule is `every day at 9`/)
    const [planned] = yield* query<{ id: string }>("select id::text from schedules")
    yield* post(port, `/api/schedules/${planned?.id}/run`, {})
    const reminder = (yield* posted(before + 2))[before + 1]
    assert.strictEqual(reminder?.room, "team")
    assert.match(reminder?.text ?? "", /Reminder: drink/)
    assert.deepStrictEqual(yield* tasks, [])
  })

  test("a time that can't be read makes no schedule and no task, and is explained", function*(before) {
    const { query } = yield* Service
    yield* write({ ...direct, text: "schedule the report at blurgh" })
    assert.include((yield* posted(before + 1))[before]?.text, "I did not schedule anything")
    assert.deepStrictEqual(yield* query("select from schedules"), [])
    assert.deepStrictEqual(yield* tasks, [])
  })

  test("a scheduled task posts its result where it was asked for", function*(before) {
    const { port, query } = yield* Service
    yield* write({ ...direct, text: "schedule write a poem every monday at 8" })
    yield* posted(before + 1)
    const [planned] = yield* query<{ id: string }>("select id::text from schedules")
    yield* post(port, `/api/schedules/${planned?.id}/run`, {})
    assert.strictEqual((yield* posted(before + 2))[before + 1]?.room, "direct")
    const { id } = yield* lastTask("completed")
    yield* write({ ...direct, text: "with a chart" })
    yield* posted(before + 3)
    assert.deepInclude(yield* lastTask("completed"), { continued_from: id })
  })

  test("commands list, show, answer and cancel tasks", function*(before) {
    assert.include(yield* command("bob", "help"), "lists your latest tasks")
    assert.include(yield* command("bob", "tasks"), "You have no tasks yet.")
    yield* write({ by: "bob", room: "direct", text: question() })
    const { double } = yield* Service
    yield* eventually(double.posts, (all) => all.slice(before).some(({ text }) => text.includes("Which colour?")))
    const { id } = yield* lastTask("waiting_input")
    assert.include(yield* command("bob", "tasks"), id.slice(-8))
    assert.include(yield* command("bob", `status ${id.slice(-8)}`), "Which colour?")
    assert.include(yield* command("bob", `answer ${id.slice(-8)} blue`), "Thanks.")
    yield* lastTask("completed")
    yield* write({ by: "bob", room: "direct", text: `new: ${question()}` })
    const next = yield* lastTask("waiting_input")
    assert.include(yield* command("bob", `cancel ${next.id}`), "cancelled")
    yield* lastTask("failed")
  })

  test("an empty request is answered with help", function*(before) {
    yield* write({ ...mention, text: "" })
    const { double } = yield* Service
    // The end of an earlier task may be posted beside it.
    yield* eventually(
      double.posts,
      (all) => all.slice(before).some(({ text }) => text.includes("Tell me what you need"))
    )
    assert.deepStrictEqual(yield* tasks, [])
  })

  test("a message whose answer the platform loses is not posted twice", function*(before) {
    const { double, query } = yield* Service
    double.loseNextAnswer()
    yield* write({ ...direct, text: "write a poem" })
    yield* lastTask("completed")
    yield* eventually(
      query<{ attempts: number; state: string }>("select attempts, state from outbox where channel = 'chat'"),
      (rows) => rows.some(({ attempts, state }) => attempts > 0 && state !== "sending")
    )
    assert.lengthOf(yield* posts, before + 1)
  })
}
