import { SqlError } from "@effect/sql/SqlError"
import { assert } from "@effect/vitest"
import { AgentName } from "@troupe/domain/Agent"
import { TaskId } from "@troupe/domain/Ids"
import { Effect, Option } from "effect"
import { Agents } from "../../../src/Agent/Definition/Agents.ts"
import { Tasks } from "../../../src/Task/UseCase/Tasks.ts"
import { accounts } from "../../support/ChatAccounts.ts"
import { alice, bob } from "../../support/GivenTasks.ts"
import { Wire } from "../../support/TaskWorld.ts"
import { inSchedules, overdue, scheduleRequest } from "./schedules.ts"

const descriptions = Effect.flatMap(Wire, ({ query }) =>
  Effect.map(
    query<{ description: string }>("select description from tasks order by description"),
    (rows) => rows.map(({ description }) => description)
  ))

/** Makes the next attempt of failed runs due. */
const retryNow = Effect.flatMap(
  Wire,
  ({ query }) => query("update schedules set retry_at = now() - interval '1 hour' where retry_at is not null")
)

inSchedules("Due schedules", (test) => {
  test("run once however many runs were missed, and are planned from now on", function*(schedules, { runDue }) {
    const recurring = yield* schedules.create(scheduleRequest({ every: "hourly" }, { message: "Recurring" }))
    const once = yield* schedules.create(scheduleRequest({ at: "in 1 hour" }, { message: "Once" }))
    yield* schedules.create(scheduleRequest({ at: "in 2 hours" }, { message: "Later" }))
    yield* runDue
    assert.deepStrictEqual(yield* descriptions, [])
    yield* overdue(recurring.id, "26 hours")
    yield* overdue(once.id)
    yield* runDue
    yield* runDue
    assert.deepStrictEqual(yield* descriptions, ["Once", "Recurring"])
    const after = yield* schedules.find(recurring.id)
    assert.deepStrictEqual(after.next_runs, recurring.next_runs)
    assert.isNotNull(after.last_run_at)
    const tasks = yield* Tasks
    const { items: made } = yield* tasks.list({ schedule_id: recurring.id })
    assert.isTrue(made.every(({ schedule_id }) => schedule_id === recurring.id))
    assert.deepStrictEqual(made.map(({ id }) => id), [after.last_task_id])
    assert.deepInclude(yield* schedules.find(once.id), { status: "done", next_runs: [], at: once.at })
  }, { atOneMoment: true })

  test(
    "make tasks of their agent, whose name is checked when they are set, and pause where it is gone, with the reason",
    function*(schedules, { runDue, runNow }) {
      const agents = yield* Agents
      const tasks = yield* Tasks
      const unknown = yield* Effect.flip(schedules.create(scheduleRequest({ every: "hourly" }, { agent: "gardner" })))
      assert.match(unknown.message, /^agent: there is no agent "gardner"/)
      yield* agents.create({ name: AgentName.make("gardener"), description: "Waters.", instructions: "Water." })
      const made = yield* schedules.create(scheduleRequest({ every: "hourly" }, { agent: "Gardener" }))
      assert.strictEqual(made.agent, "gardener")
      const ran = Option.getOrThrow(yield* runNow(made.id))
      assert.strictEqual((yield* tasks.find(ran.last_task_id ?? TaskId.make(""))).agent, "gardener")
      assert.strictEqual((yield* schedules.change(made.id, { title: "Plants" })).agent, "gardener")
      yield* agents.remove("gardener")
      yield* overdue(made.id)
      const { query } = yield* Wire
      for (let attempt = 1; attempt <= 8; attempt++) {
        yield* Effect.flip(runDue)
        yield* retryNow
      }
      assert.strictEqual((yield* schedules.find(made.id)).status, "paused")
      const [told] = yield* query<{ body: string }>("select body from notifications where kind = 'reminder'")
      assert.include(told?.body, "once the cause is fixed: agent: there is no agent \"gardener\".")
      assert.isNull((yield* schedules.change(made.id, { agent: null })).agent)
    },
    { atOneMoment: true }
  )

  test("run once if two processes look at the same time", function*(schedules, { runDue }) {
    for (const message of ["One", "Two", "Three"]) {
      yield* overdue((yield* schedules.create(scheduleRequest({ every: "hourly" }, { message }))).id)
    }
    yield* Effect.all([runDue, runDue, runDue], { concurrency: "unbounded" })
    yield* runDue
    assert.deepStrictEqual(yield* descriptions, ["One", "Three", "Two"])
  }, { atOneMoment: true })

  test(
    "neither repeat nor lose a run that a crash interrupts, and hold no other one up",
    function*(schedules, { runDue }) {
      const wire = yield* Wire
      const made = yield* schedules.create(scheduleRequest({ every: "hourly" }, { message: "Broken" }))
      yield* overdue(made.id, "2 hours")
      yield* overdue((yield* schedules.create(scheduleRequest({ every: "hourly" }, { message: "Whole" }))).id)
      // The task is inserted, and then the answer of the database is lost.
      wire.after = ({ name, values }) =>
        name === "tasks_insert" && JSON.stringify(values).includes("Broken")
          ? Effect.fail(new SqlError({ cause: null, message: "connection lost" }))
          : Effect.void
      const failed = yield* Effect.flip(runDue)
      assert.deepStrictEqual(failed.ids, [made.id])
      assert.deepStrictEqual(yield* descriptions, ["Whole"])
      assert.deepInclude(yield* schedules.find(made.id), { last_run_at: null, last_task_id: null })
      wire.after = () => Effect.void
      yield* runDue
      assert.deepStrictEqual(yield* descriptions, ["Whole"])
      yield* retryNow
      yield* runDue
      yield* runDue
      assert.deepStrictEqual(yield* descriptions, ["Broken", "Whole"])
    },
    { atOneMoment: true }
  )

  test("that are paused, stopped or deleted do not run", function*(schedules, { runDue }) {
    const [one, two, three] = yield* Effect.all(
      [1, 2, 3].map(() => schedules.create(scheduleRequest({ every: "hourly" })))
    )
    for (const made of [one, two, three]) if (made !== undefined) yield* overdue(made.id)
    if (one !== undefined) yield* schedules.pause(one.id)
    if (two !== undefined) yield* schedules.stop(two.id, alice)
    if (three !== undefined) yield* schedules.remove(three.id)
    yield* runDue
    assert.deepStrictEqual(yield* descriptions, [])
  })

  test("of somebody who is not in the team are paused instead, in hosted mode", function*(schedules, { runDue }) {
    const { query } = yield* Wire
    const foreign = yield* schedules.create(scheduleRequest({ every: "hourly" }, { message: "Foreign" }))
    const own = yield* schedules.create(scheduleRequest({ every: "hourly" }, { message: "Own", user_id: bob }))
    yield* query(
      `insert into team_members (id, email, role, user_id, issuer, subject, joined_at)
values (gen_random_uuid(), 'bob@example.org', 'member', 'bob', 'https://id.example.org', 'bob', now())`
    )
    yield* overdue(foreign.id)
    yield* overdue(own.id)
    yield* runDue
    assert.deepStrictEqual(yield* descriptions, ["Own"])
    assert.deepInclude(yield* schedules.find(foreign.id), { status: "paused", next_runs: [], last_run_at: null })
    const refused = yield* Effect.flip(schedules.runNow(foreign.id))
    assert.include(refused.message, "its user is not in the team")
    assert.deepStrictEqual(yield* descriptions, ["Own"])
  }, { isHosted: true })

  test(
    "that always fail delay no other one, are tried less and less often, and are paused at last with a notification",
    function*(schedules, { runDue }) {
      const wire = yield* Wire
      // Longer due than the last one.
      yield* wire.query(
        `insert into schedules (id, user_id, kind, message, cron, timezone, next_run_at)
select gen_random_uuid(), 'alice', 'task', 'Broken', '0 0 1 1 *', 'UTC', now() - interval '1 day' from generate_series(1, 3)`
      )
      yield* overdue(
        (yield* schedules.create(scheduleRequest({ every: "hourly" }, { user_id: bob, message: "Whole" }))).id
      )
      wire.before = ({ name, values }) =>
        name === "tasks_insert" && JSON.stringify(values).includes("Broken")
          ? Effect.fail(new SqlError({ cause: null, message: "refused" }))
          : Effect.void
      const attempts = Effect.sync(() => wire.sent.filter(({ name }) => name === "tasks_insert").length)
      assert.lengthOf((yield* Effect.flip(runDue)).ids, 3)
      assert.deepStrictEqual(yield* descriptions, ["Whole"])
      const before = yield* Effect.zipLeft(attempts, runDue)
      assert.strictEqual(yield* attempts, before)
      yield* wire.query(
        "delete from schedules where message = 'Broken' and id <> (select min(id::text)::uuid from schedules where message = 'Broken')"
      )
      const delays: Array<number> = []
      for (let failures = 1; failures < 8; failures++) {
        const [row] = yield* wire.query<{ failures: number; delay: number }>(
          "select failures, extract(epoch from retry_at - clock_timestamp())::float8 as delay from schedules where failures > 0"
        )
        assert.strictEqual(row?.failures, failures)
        delays.push(row?.delay ?? 0)
        yield* retryNow
        yield* Effect.flip(runDue)
      }
      assert.isBelow(delays[0] ?? 0, 11)
      assert.isAbove(delays[5] ?? 0, 2_000)
      assert.isAtMost(delays[6] ?? 0, 3_600)
      const [paused, ...others] = yield* schedules.list({
        user_id: alice,
        status: "paused",
        limit: 10,
        cursor: Option.none()
      })
      assert.deepStrictEqual(others, [])
      const told = yield* wire.query<{ title: string; body: string }>(
        "select title, body from notifications where user_id = 'alice'"
      )
      assert.lengthOf(told, 1)
      assert.include(told[0]?.body, `failed 8 times in a row`)
      wire.before = () => Effect.void
      yield* runDue
      assert.deepStrictEqual(yield* descriptions, ["Whole"])
      if (paused !== undefined) yield* schedules.resume(paused.id)
      assert.lengthOf(
        yield* wire.query("select from schedules where failures = 0 and retry_at is null and due_at is not null"),
        2
      )
    },
    { atOneMoment: true }
  )
})

inSchedules("A reminder", (test) => {
  test("is in the feed, and in the team chat once, with a button that stops a recurring one", function*(schedules) {
    const { query } = yield* Wire
    const remind = (when: { readonly at: string } | { readonly every: string }, channel: string | null) =>
      Effect.flatMap(
        schedules.create(
          scheduleRequest(when, {
            kind: "reminder",
            message: "*Stretch*",
            ...(channel === null ? {} : { postedTo: channel })
          })
        ),
        ({ id }) => schedules.runNow(id)
      )
    const posts = Effect.map(
      query<{ recipient: string; payload: string }>(
        "delete from outbox where channel = 'chat' returning recipient, payload"
      ),
      (rows) => rows.map(({ payload, recipient }) => ({ recipient, ...JSON.parse(payload) }))
    )
    const recurring = yield* remind({ every: "hourly" }, "C1")
    yield* query(accounts({ alice: "U1" }))
    yield* query("update users set notify_by = '{chat}' where id = 'alice'")
    yield* query("delete from outbox")
    yield* schedules.runNow(recurring.id)
    const [post, ...others] = yield* posts
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(JSON.parse(post?.recipient ?? ""), { channel: "C1", thread_ts: null, user: "U1" })
    assert.strictEqual(post?.text, "<@U1> Reminder: _Stretch_")
    assert.include(JSON.stringify(post?.blocks), `"action_id":"stop_reminders"`)
    assert.include(JSON.stringify(post?.blocks), `"value":"${recurring.id}"`)
    yield* remind({ at: "tomorrow" }, null)
    assert.deepStrictEqual(yield* posts, [{ recipient: "U1", text: "Reminder: _Stretch_" }])
    yield* query("update schedules set channel_id = 'D1' where id = $1", [recurring.id])
    yield* schedules.runNow(recurring.id)
    assert.deepStrictEqual((yield* posts).map(({ text }) => text), ["Reminder: _Stretch_"])
    yield* query("update users set notify_by = '{ui}' where id = 'alice'")
    yield* remind({ at: "tomorrow" }, null)
    assert.deepStrictEqual(yield* posts, [])
    yield* query("delete from schedules")
    yield* remind({ at: "tomorrow" }, "U1")
    assert.deepStrictEqual(yield* posts, [{ recipient: "U1", text: "Reminder: _Stretch_" }], "somebody else has set it")
    assert.strictEqual((yield* query("select from notifications where kind = 'reminder'")).length, 6)
  })
})
