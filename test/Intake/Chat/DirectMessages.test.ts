import { request } from "@effect/platform-node/Undici"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { sendCommand } from "../../support/ChatEvents.ts"
import { asks, ends, inChat, posts, processed, said, Service, statusOf, tasks } from "./service.ts"

const direct = { channel: "DADA", user: "UADA" }

/** Makes everything that was said, asked and answered older. */
const later = (minutes: number) =>
  Effect.flatMap(Service, ({ query }) =>
    query(
      `with older as (select make_interval(mins => $1::integer) as by), tasks_older as (
  update tasks set created_at = created_at - by from older
), actors_older as (
  update actors set completed_at = completed_at - by from older
), outbox_older as (
  update outbox set created_at = created_at - by from older
)
update inbound_messages set received_at = received_at - by from older`,
      [minutes]
    ))

const inboxOf = (id: string | undefined) =>
  Effect.flatMap(Service, ({ query }) =>
    Effect.map(
      query<{ body: string }>("select body from inbox where task_id = $1 order by number", [id]),
      (rows) => rows.map(({ body }): unknown => JSON.parse(body).text)
    ))

/** A direct message started a task, which has ended. */
const finished = Effect.gen(function*() {
  yield* said({ ...direct, text: "Write a poem in English" })
  const [made] = yield* tasks
  assert(made !== undefined)
  yield* ends(made.id)
  return made.id
})

inChat("A direct message outside of a thread", (test) => {
  test("within an hour of the result continues the task, and is told what came before", function*() {
    const id = yield* finished
    yield* later(59)
    yield* said({ ...direct, text: "Shorter please, same rules" })
    const [, next, ...others] = yield* tasks
    assert.deepStrictEqual(others, [])
    assert.deepInclude(next, { description: "Shorter please, same rules", continued_from: id })
    assert.include(next?.context, "Write a poem in English")
    yield* ends(next?.id ?? "")
    yield* later(59)
    yield* said({ ...direct, text: "And a title" })
    const [, , last] = yield* tasks
    assert.deepInclude(last, { continued_from: next?.id ?? null })
    assert.include(last?.context, "Write a poem in English")
  })

  test("after an hour starts a new task", function*() {
    yield* finished
    yield* later(61)
    yield* said({ ...direct, text: "Write a story" })
    assert.deepInclude((yield* tasks)[1], { description: "Write a story", continued_from: null, context: null })
  })

  test("steers the task that is at work, and starts a new one an hour after the last message", function*() {
    yield* said({ ...direct, text: "Write a poem" })
    const [made] = yield* tasks
    for (const text of ["Mind the metre", "And the rhymes"]) {
      yield* later(50)
      yield* said({ ...direct, text })
    }
    assert.strictEqual((yield* tasks).length, 1)
    assert.deepStrictEqual(yield* inboxOf(made?.id), ["Mind the metre", "And the rhymes"])
    yield* later(61)
    yield* said({ ...direct, text: "Write a story" })
    assert.deepInclude((yield* tasks)[1], { description: "Write a story", continued_from: null })
  })

  test("answers the task that waits, however long it has waited", function*() {
    yield* said({ ...direct, text: "Write a poem" })
    const [made] = yield* tasks
    yield* asks(made?.id ?? "", "About what?")
    yield* later(600)
    yield* said({ ...direct, text: "The sea" })
    assert.strictEqual(yield* statusOf(made?.id ?? ""), "running")
    assert.strictEqual((yield* tasks).length, 1)
  })

  test("that begins with new: starts a new task, whatever the one before does", function*() {
    const starts = [
      ["new: Write a story", "Write a story"],
      ["NEW TASK: one", "one"],
      ["*new:* two", "two"],
      ["`new: three`", "three"],
      ["\u201cnew\uff1a four\u201d", "four"]
    ] as const
    yield* said({ ...direct, text: "Write a poem" })
    const [made] = yield* tasks
    for (const [text] of starts) yield* said({ ...direct, text })
    yield* asks(made?.id ?? "", "About what?")
    yield* said({ ...direct, text: "new: five" })
    assert.strictEqual(yield* statusOf(made?.id ?? ""), "waiting_input")
    assert.deepStrictEqual(
      (yield* tasks).slice(1).map(({ continued_from, description }) => [description, continued_from]),
      [...starts.map(([, text]) => [text, null]), ["five", null]]
    )
  })

  test("that only looks so belongs to the task before", function*() {
    const id = yield* finished
    yield* said({ ...direct, text: "new ideas: more of them" })
    assert.deepInclude((yield* tasks)[1], { description: "new ideas: more of them", continued_from: id })
  })

  test("with new: and nothing else is answered with help, which explains it", function*() {
    const { platform, url } = yield* Service
    yield* finished
    yield* said({ ...direct, text: "new:" })
    assert.strictEqual((yield* tasks).length, 1)
    assert.include((yield* posts)[0]?.payload, "begin with `new:`")
    const { body } = yield* sendCommand(platform, `${url}/team-chat/command`, { ...direct, text: "help" })
    assert.include(body, "begin with `new:`")
  })

  test("with a time is scheduled, also while a task is at work", function*() {
    const { query } = yield* Service
    yield* said({ ...direct, text: "Write a poem" })
    const [made] = yield* tasks
    yield* said({ ...direct, text: "remind me to call Bob in 2 hours" })
    assert.deepStrictEqual(yield* inboxOf(made?.id), [])
    assert.deepStrictEqual(yield* query("select message from schedules"), [{ message: "call Bob" }])
  })

  test("is no part of the conversation of somebody else, or in a thread of its own", function*() {
    const id = yield* finished
    yield* said({ channel: "DBOB", user: "UBOB", text: "Write a story" })
    yield* said({ ...direct, thread_ts: "1700000000.000100", text: "Something else" })
    const [, ofBob, inThread] = yield* tasks
    assert.deepInclude(ofBob, { description: "Write a story", continued_from: null })
    assert.deepInclude(inThread, { description: "Something else", continued_from: null })
    assert.notStrictEqual(inThread?.id, id)
  })

  test("continues the task of a schedule whose result came last", function*() {
    const { query, url } = yield* Service
    yield* finished
    yield* said({ ...direct, text: "schedule the report every monday at 8" })
    const [planned] = yield* query<{ id: string }>("select id::text from schedules")
    const run = yield* Effect.promise(() => request(`${url}/api/schedules/${planned?.id}/run`, { method: "POST" }))
    assert.strictEqual(run.statusCode, 200)
    const [, report] = yield* tasks
    yield* ends(report?.id ?? "")
    yield* said({ ...direct, text: "With a chart" })
    assert.deepInclude((yield* tasks)[2], { description: "With a chart", continued_from: report?.id ?? null })
  })
})

inChat("The slash command", (test) => {
  test("starts a new task beside the conversation, which then goes on with that one", function*() {
    const { platform, url } = yield* Service
    yield* finished
    yield* sendCommand(platform, `${url}/team-chat/command`, { ...direct, text: "new: Write a story" })
    yield* processed
    const [, story] = yield* tasks
    assert.deepInclude(story, { description: "Write a story", continued_from: null })
    yield* ends(story?.id ?? "")
    yield* said({ ...direct, text: "Longer" })
    assert.deepInclude((yield* tasks)[2], { description: "Longer", continued_from: story?.id ?? null })
  })
})
