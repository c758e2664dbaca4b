import { request } from "@effect/platform-node/Undici"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { account } from "../../support/ChatAccounts.ts"
import { say } from "../../support/ChatEvents.ts"
import { channel, mention } from "./mentions.ts"
import { asks, ends, inChat, posts, said, send, Service, statusOf, tasks } from "./service.ts"

inChat("Messages of a self-hosted team", (test) => {
  test("a mention makes one task in its thread, however often it arrives and as how many events", function*() {
    yield* said({ channel, user: "UBOB", text: "hello" })
    const { ts } = yield* said(mention, 7)
    const [made, ...others] = yield* tasks
    assert.deepStrictEqual(others, [])
    assert(made !== undefined)
    assert.deepInclude(made, {
      description: "compare the offers & tell @Bob",
      source: "chat",
      reply_to: JSON.stringify({ channel, thread_ts: ts, user: "UADA" })
    })
    const { query } = yield* Service
    assert.deepStrictEqual(yield* query("select key from task_threads"), [{ key: `${channel}/${ts}` }])
    assert.deepStrictEqual(
      yield* query(`select ${account} as account, name from users where id = $1`, [made.creator]),
      [{ account: "UADA", name: "Ada Lovelace" }]
    )
  })

  test("a reply in the thread answers the question, continues a finished task, and reaches a running agent", function*() {
    const { query } = yield* Service
    const { ts } = yield* said(mention)
    const [made] = yield* tasks
    assert(made !== undefined)
    const reply = { channel, user: "UBOB", thread_ts: ts }
    yield* said({ ...reply, text: "Mind the budget" })
    yield* asks(made.id)
    yield* said({ ...reply, text: "Blue &lt;3" })
    assert.strictEqual(yield* statusOf(made.id), "running")
    const inbox = yield* query<{ body: string }>("select body from inbox where task_id = $1 order by number", [
      made.id
    ])
    assert.deepStrictEqual(inbox.map(({ body }) => JSON.parse(body).text), ["Mind the budget", "Blue <3"])
    yield* ends(made.id)
    yield* said({ ...reply, text: "And the third?" })
    const [, next, ...others] = yield* tasks
    assert.deepStrictEqual(others, [])
    assert.deepInclude(next, { description: "And the third?", continued_from: made.id })
    assert.include(next?.context, "Mind the budget")
  })

  test("a mention answers a question in its thread, and makes another task beside a running one", function*() {
    const { ts } = yield* said(mention)
    const [made] = yield* tasks
    assert(made !== undefined)
    yield* asks(made.id)
    yield* said({ ...mention, thread_ts: ts, text: "<@UTROUPE> blue" })
    assert.strictEqual(yield* statusOf(made.id), "running")
    assert.strictEqual((yield* tasks).length, 1)
    yield* said({ ...mention, thread_ts: ts, text: "<@UTROUPE> check the dates too" })
    const [, second] = yield* tasks
    assert.deepInclude(second, { description: "check the dates too", continued_from: null })
    assert.include(second?.context, "Ada Lovelace: @you compare the offers & tell @Bob")
  })

  test("direct messages make tasks, answer questions, and continue in their threads", function*() {
    const direct = { channel: "DADA", user: "UADA" }
    const { ts } = yield* said({ ...direct, text: "Write a poem" })
    const [made] = yield* tasks
    assert(made !== undefined)
    assert.deepInclude(made, { description: "Write a poem", project_id: null })
    yield* asks(made.id, "About what?")
    yield* said({ ...direct, text: "The sea" })
    assert.strictEqual(yield* statusOf(made.id), "running")
    yield* ends(made.id)
    yield* said({ ...direct, text: "new: Now a story" })
    yield* said({ ...direct, thread_ts: ts, text: "Longer" })
    const [, story, longer] = yield* tasks
    assert.deepInclude(story, { description: "Now a story", continued_from: null })
    assert.deepInclude(longer, { description: "Longer", continued_from: made.id })
  })

  test("of a guest of the workspace has only the guest's own files and memories, also as a schedule", function*() {
    const { platform, query, url } = yield* Service
    platform.state.user("GUEST", { is_restricted: true })
    yield* said({ ...mention, user: "UGUEST" })
    const { ts } = yield* said(mention)
    const [, ofAda] = yield* tasks
    yield* asks(ofAda?.id ?? "")
    yield* said({ channel, user: "UGUEST", thread_ts: ts, text: "Red" })
    assert.strictEqual(yield* statusOf(ofAda?.id ?? ""), "waiting_input", "the question is for people of the team")
    yield* said({ ...mention, user: "UGUEST", text: "<@UTROUPE> schedule compare the offers at 9am tomorrow" })
    const access = () => query("select tool_access, source from tasks order by id")
    assert.deepStrictEqual(yield* access(), [
      { tool_access: "own", source: "chat" },
      { tool_access: "all", source: "chat" }
    ])
    const [planned] = yield* query<{ id: string }>("select id::text from schedules")
    const run = yield* Effect.promise(() => request(`${url}/api/schedules/${planned?.id}/run`, { method: "POST" }))
    assert.strictEqual(run.statusCode, 200)
    assert.deepStrictEqual((yield* access())[2], { tool_access: "own", source: "schedule" })
  })

  test("files come with it: those that an upload could be", function*() {
    const { files, platform } = yield* Service
    const file = (id: string, name: string, content: string) => {
      const made = { id, name, size: content.length, content: Buffer.from(content) }
      platform.state.files.set(id, made)
      return made
    }
    yield* said({
      ...mention,
      subtype: "file_share",
      files: [file("F1", "offers.csv", "a;b"), file("F2", "setup.exe", "MZ"), file("F3", "fake.pdf", "no")]
    })
    const [made] = yield* tasks
    assert(made !== undefined)
    assert.strictEqual(made.attachments.length, 1)
    const [path = ""] = made.attachments
    assert.match(path, /^team-chat\/[\d.]+\/F1-offers\.csv$/)
    assert.strictEqual(yield* Effect.promise(() => readFile(join(files, made.creator, path), "utf8")), "a;b")
    const downloads = platform.requests.filter(({ method }) => method === "download").length
    assert.strictEqual(downloads, platform.state.files.size - 1)
    assert.include(made.context, "setup.exe: its extension is not one of")
    assert.include(made.context, "fake.pdf: ")
  })

  test("bots, edits and messages without a mention make nothing", function*() {
    const { platform } = yield* Service
    platform.state.user("ROBOT", { is_bot: true })
    yield* said({ channel, user: "UBOB", text: "Has anybody seen the offers?" })
    yield* said({ channel, user: "UROBOT", text: "<@UTROUPE> loop" })
    const own = say(platform, { channel, user: "UTROUPE", bot_id: "BTROUPE", text: "<@UTROUPE> myself" })
    yield* send(own.events)
    assert.deepStrictEqual(yield* tasks, [])
    assert.deepStrictEqual(yield* posts, [])
  })

  test("tasks of one person are limited, which the person is notified of once", function*() {
    const { platform, query } = yield* Service
    const burst = Array.from(
      { length: 14 },
      (_, at) => say(platform, { ...mention, text: `<@UTROUPE> offer ${at}` })
    )
    yield* send(burst.flatMap(({ events }) => events))
    assert.strictEqual((yield* tasks).length, 10)
    assert.strictEqual((yield* posts).filter(({ payload }) => payload.includes("many tasks")).length, 1)
    yield* said({ ...mention, user: "UBOB" })
    assert.strictEqual((yield* tasks).length, 11)
    yield* query("delete from tasks")
    yield* said(mention)
    assert.strictEqual((yield* tasks).length, 1)
  })

  test("an empty mention is answered with help", function*() {
    yield* said({ ...mention, text: "<@UTROUPE>" })
    assert.deepStrictEqual(yield* tasks, [])
    assert.include((yield* posts)[0]?.payload, "Tell me what you need")
  })
})
