import { request } from "@effect/platform-node/Undici"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { account, userWith } from "../../support/ChatAccounts.ts"
import { say } from "../../support/ChatEvents.ts"
import { asks, ends, inChat, posts, said, send, Service, statusOf, tasks } from "./service.ts"

const channel = "CGENERAL"
const mention = { channel, user: "UADA", text: "<@UTROUPE> compare the offers &amp; tell <@UBOB>" }

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

  test("times make schedules, and are confirmed or explained in the thread", function*() {
    const { query } = yield* Service
    const { ts } = yield* said({ ...mention, text: "<@UTROUPE> remind me to drink every day at 9" })
    yield* said({ ...mention, text: "<@UTROUPE> schedule the report at blurgh" })
    yield* said({ channel: "DADA", user: "UADA", text: "remind me to call Bob in 2 hours" })
    assert.deepStrictEqual(yield* tasks, [])
    const made = yield* query<object>(
      "select kind, message, cron, timezone, channel_id from schedules order by id"
    )
    assert.deepStrictEqual(made, [
      { kind: "reminder", message: "drink", cron: "0 9 * * *", timezone: "Europe/Berlin", channel_id: channel },
      { kind: "reminder", message: "call Bob", cron: null, timezone: "Europe/Berlin", channel_id: "DADA" }
    ])
    const [daily, refused, once, ...others] = yield* posts
    assert.deepStrictEqual(others, [])
    assert.strictEqual(daily?.recipient, JSON.stringify({ channel, thread_ts: ts, user: "UADA" }))
    assert.include(daily?.payload, "stop_reminders")
    assert.include(refused?.payload, "blurgh")
    assert.include(once?.payload, "call Bob")
  })

  test("a recurring task or reminder is confirmed with its next three runs, and a button that stops it", function*() {
    const { query } = yield* Service
    yield* said({ ...mention, text: "<@UTROUPE> remind me to drink every evening at 6" })
    yield* said({ ...mention, text: "<@UTROUPE> schedule send the report every morning at 7" })
    assert.deepStrictEqual(yield* query("select kind, message, cron from schedules order by id"), [
      { kind: "reminder", message: "drink", cron: "0 18 * * *" },
      { kind: "task", message: "send the report", cron: "0 7 * * *" }
    ])
    const [reminder, task] = yield* posts
    for (const [post, clock] of [[reminder, "18:00"], [task, "07:00"]] as const) {
      const { text } = JSON.parse(post?.payload ?? "null")
      const shown = String(text).match(/<!date\^\d+\^\{date_long_pretty\} at \{time\}\|[^>]*>/g) ?? []
      assert.lengthOf(shown, 3)
      for (const run of shown) assert.include(run, clock)
    }
    assert.include(task?.payload, "\"action_id\":\"stop_reminders\"")
    assert.notInclude(task?.payload, "make_task")
    assert.deepStrictEqual(yield* tasks, [])
  })

  test("what can't be read whole makes no schedule and no task, and is answered with what works", function*() {
    const { query } = yield* Service
    const requests = [
      ["remind me to water every 3 days at 9", "every 3 days can't be scheduled"],
      ["schedule a report every 3 days at 9", "every 3 days can't be scheduled"],
      ["please remind me to call today at 5pm or tomorrow at 9", "but \"or\" beside it"],
      ["remind me tomorrow at 9", "Also say what to do"]
    ] as const
    for (const [text] of requests) yield* said({ ...mention, text: `<@UTROUPE> ${text}` })
    const replies = yield* posts
    requests.forEach(([, reason], index) => {
      const { text } = JSON.parse(replies[index]?.payload ?? "null")
      assert.include(text, "I did not schedule anything")
      assert.include(text, reason)
      assert.include(text, "`schedule &lt;what&gt; every &lt;recurrence&gt;`")
    })
    assert.deepStrictEqual(yield* query("select from schedules"), [])
    assert.deepStrictEqual(yield* tasks, [])
  })

  test("a reminder for somebody else comes to their feed and to the thread, and one set in private to their own", function*() {
    const { query } = yield* Service
    yield* said({ channel: "DBOB", user: "UBOB", text: "help me to begin" })
    yield* query("delete from outbox")
    const { ts } = yield* said({ channel, user: "UADA", text: "We have much to do" })
    yield* said({ ...mention, thread_ts: ts, text: "<@UTROUPE> remind <@UBOB> to call *home* in 2 hours" })
    yield* said({ channel: "DADA", user: "UADA", text: "remind bob every day at 9 to drink" })
    const [{ id: bob } = { id: "" }] = yield* query<{ id: string }>(`select ${userWith("UBOB")} as id`)
    assert.deepStrictEqual(
      yield* query<object>("select user_id, message, timezone, channel_id, thread from schedules order by id"),
      [
        {
          user_id: bob,
          message: "call *home* (set by Ada Lovelace)",
          timezone: "Europe/Berlin",
          channel_id: channel,
          thread: ts
        },
        {
          user_id: bob,
          message: "drink (set by Ada Lovelace)",
          timezone: "Europe/Berlin",
          channel_id: "UBOB",
          thread: null
        }
      ]
    )
    const [once, daily, ...others] = yield* posts
    assert.deepStrictEqual(others, [])
    assert.strictEqual(once?.recipient, JSON.stringify({ channel, thread_ts: ts, user: "UADA" }))
    assert.include(once?.payload, "I will remind Bob: *call *home* (set by Ada Lovelace)*")
    assert.include(daily?.payload, "I will remind Bob regularly")
    // The words are somebody else's: they become no task that runs with his rights.
    assert.notInclude(daily?.payload, "make_task")
  })

  test("a reminder for nobody known, or for one of several, is refused with the reason", function*() {
    const { query } = yield* Service
    yield* said({ channel: "DADA", user: "UADA", text: "help me to begin" })
    yield* query("delete from outbox")
    yield* query("delete from tasks")
    yield* query("insert into users (id, name) values ('zoe1', 'Zoe One'), ('zoe2', 'Zoe Two') on conflict do nothing")
    for (const name of ["nobody", "zoe", "Zoe Two"]) {
      yield* said({ ...mention, text: `<@UTROUPE> remind ${name} to call in 2 hours` })
    }
    const [nobody, several, one] = yield* posts
    assert.include(JSON.parse(nobody?.payload ?? "").text, "I know nobody called \"nobody\"")
    assert.include(JSON.parse(several?.payload ?? "").text, "several people match \"zoe\": Zoe One, Zoe Two.")
    assert.include(one?.payload, "I will remind Zoe Two")
    assert.deepStrictEqual(yield* query("select user_id from schedules"), [{ user_id: "zoe2" }])
    assert.deepStrictEqual(yield* tasks, [])
  })

  test("a guest sets reminders for themselves alone, and gets none that is meant for somebody of the team", function*() {
    const { platform, query } = yield* Service
    yield* said({ channel: "DADA", user: "UADA", text: "help me to begin" })
    yield* said({ channel: "DADA", user: "UBOB", text: "help me to begin" })
    platform.state.user("GUEST", {
      name: "bob",
      real_name: "Bob",
      profile: { display_name: "Bob" },
      is_restricted: true
    })
    for (const who of ["<@UBOB>", "Bob", "Ada Lovelace"]) {
      yield* said({ ...mention, user: "UGUEST", text: `<@UTROUPE> remind ${who} to pay me in 2 hours` })
    }
    assert.deepStrictEqual(yield* query("select from schedules"), [])
    const refusals = (yield* posts).filter(({ payload }) => payload.includes("set reminders for themselves only"))
    assert.lengthOf(refusals, 3)
    const userOf = (id: string) =>
      Effect.map(query<{ id: string }>(`select ${userWith(id)} as id`), ([user]) => user?.id)
    yield* said({ ...mention, user: "UGUEST", text: "<@UTROUPE> remind me to pay in 2 hours" })
    yield* said({ ...mention, text: "<@UTROUPE> remind Bob to pay in 2 hours" })
    yield* said({ ...mention, text: "<@UTROUPE> remind <@UGUEST> to pay in 2 hours" })
    assert.deepStrictEqual(yield* query("select user_id from schedules order by id"), [
      { user_id: yield* userOf("UGUEST") },
      { user_id: yield* userOf("UBOB") },
      { user_id: yield* userOf("UGUEST") }
    ])
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
