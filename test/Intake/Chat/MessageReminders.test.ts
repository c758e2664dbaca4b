import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { userWith } from "../../support/ChatAccounts.ts"
import { channel, mention } from "./mentions.ts"
import { inChat, posts, said, Service, tasks } from "./service.ts"

inChat("Messages of a self-hosted team", (test) => {
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
})
