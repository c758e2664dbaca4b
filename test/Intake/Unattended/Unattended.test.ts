import { assert } from "@effect/vitest"
import { ScheduleId, TaskId, UserId } from "@troupe/domain/Ids"
import type { Step } from "@troupe/domain/Step"
import type { ToolServerState } from "@troupe/domain/ToolServer"
import { unseenHealth } from "@troupe/domain/Unattended"
import { Clock, Context, Effect, Layer } from "effect"
import { v7 } from "uuid"
import { Unattended } from "../../../src/Intake/Unattended/Unattended.ts"
import { makeUnattended } from "../../../src/Intake/Unattended/UnattendedJob.ts"
import { WebhookTypes } from "../../../src/Intake/Webhook/WebhookTypes.ts"
import { ToolServerSettings } from "../../../src/ToolServer/ToolServerSettings.ts"
import { inWorld, Wire } from "../../support/TaskWorld.ts"

const server = (status: ToolServerState["status"]): ToolServerState => ({
  name: "files",
  transport: "http",
  status,
  tool_count: 0,
  tools: [],
  tools_off: [],
  warnings: [],
  error: status === "failed" ? "connection refused" : null,
  connected_at: null,
  restarts: 0,
  last_error: null,
  per_user: false,
  connection: null,
  health: unseenHealth
})

/** A process that looks at unattended work, with a tool server in the given state and types of webhooks that were delivered. */
const watching = Effect.gen(function*() {
  const { query } = yield* Wire
  for (const table of ["unattended", "notifications", "schedules", "actors", "steps", "tasks", "inbound_messages"]) {
    yield* query(`delete from ${table}`)
  }
  yield* query("insert into users (id, role) values ('carol', 'member'), ('olga', 'owner') on conflict do nothing")
  const state = { status: "connected" as ToolServerState["status"], perUser: false }
  const types = Effect.map(
    query<{ type: string; at: Date }>(
      "select type, max(received_at) as at from inbound_messages where source = 'webhook' group by type"
    ),
    (rows) =>
      rows.map(({ at, type }) => ({
        type,
        address: "",
        scheme: "code-host" as const,
        has_secret: false,
        agent: null,
        trusted: false,
        health: unseenHealth,
        last_delivery_at: at.toISOString()
      }))
  )
  const layer = Layer.mergeAll(
    Layer.mock(ToolServerSettings, {
      status: Effect.sync(() => ({
        total_servers: 1,
        connected_servers: 0,
        failed_servers: 0,
        disabled_servers: 0,
        total_tools: 0,
        servers: [{ ...server(state.status), per_user: state.perUser }]
      }))
    }),
    Layer.mock(WebhookTypes, { list: types })
  )
  const services = yield* Layer.build(layer)
  const process = Effect.provide(makeUnattended({ admin: null, mailbox: () => null, grace: 0 }), services)
  const told = Effect.map(
    query<{ user_id: string; kind: string; title: string; body: string }>(
      "select user_id, kind, title, body from notifications order by id"
    ),
    (rows) => rows.map(({ title, user_id }) => `${user_id}: ${title}`)
  )
  const list = Effect.flatMap(
    Layer.build(Layer.provide(Unattended.layer({ mailbox: () => null }), Layer.succeedContext(services))),
    (context) => Context.get(context, Unattended).list({ id: UserId.make("default"), role: "owner" })
  )
  return { list, process, query, state, told }
})

const givenSchedule = (more: { readonly expects?: string; readonly nextRun?: string } = {}) =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    const id = ScheduleId.make(v7())
    yield* query(
      `insert into schedules (id, user_id, kind, message, title, cron, timezone, next_run_at, expects)
       values ($1, 'carol', 'task', 'Report', 'Daily report', '*/5 * * * *', 'UTC', now() + $2::interval, $3)`,
      [id, more.nextRun ?? "5 minutes", more.expects ?? null]
    )
    return id
  })

/** A task of the schedule, or of webhooks of a type, that has ended: with its result, or failed. */
const ended = (
  of: { readonly schedule?: ScheduleId; readonly type?: string },
  result: string | null,
  endedBy: string | null = null
) =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    const id = TaskId.make(v7())
    yield* query(
      `insert into tasks (id, created_at, creator, description, task_type, source, schedule_id, webhook_type)
       values ($1, now(), 'carol', 'Report', 'task', $2, $3, $4)`,
      [id, of.type === undefined ? "schedule" : "webhook", of.schedule ?? null, of.type ?? null]
    )
    yield* query(
      `insert into actors (task_id, shard, creator, updated_at, status, seq, completed_at, error, ended_by)
       values ($1, 1, 'carol', now(), $2, 1, now(), $3, $4)`,
      [id, result === null ? "failed" : "completed", result === null ? "The provider failed." : null, endedBy]
    )
    const step: Step = {
      kind: "model",
      message: { role: "assistant", content: result ?? "", tool_calls: [] },
      tokens: [1, 1],
      millis: 1,
      end: "answered"
    }
    if (result !== null) {
      yield* query("insert into steps (task_id, seq, body) values ($1, 1, $2)", [id, JSON.stringify(step)])
    }
  })

inWorld("Unattended work", (test) => {
  test("of a tool server at which each person signs in is ok again once it is reached", function*() {
    const { process, state, told } = yield* watching
    const { look } = yield* process
    state.perUser = true
    for (const status of ["needs_sign_in", "failed", "failed", "failed", "needs_sign_in"] as const) {
      state.status = status
      yield* look
    }
    assert.deepStrictEqual(yield* told, ["olga: Tool server files is failing", "olga: Tool server files is ok again"])
  })

  test("that fails three times in a row alarms its owner once, and is reported once when it works again", function*() {
    const { list, process, told } = yield* watching
    const schedule = yield* givenSchedule()
    const { look } = yield* process
    for (const _ of [1, 2]) yield* ended({ schedule }, null)
    yield* look
    assert.deepStrictEqual(yield* told, [])
    yield* ended({ schedule }, null)
    yield* look
    yield* ended({ schedule }, null)
    yield* look
    assert.deepStrictEqual(yield* told, ["carol: Schedule \"Daily report\" is failing"])
    const [found] = yield* list
    assert.deepInclude(found, { kind: "schedule", id: schedule, name: "Daily report" })
    assert.deepInclude(found?.health, { state: "failing", failures_in_a_row: 4, last_error: "The provider failed." })
    yield* ended({ schedule }, "Fine")
    yield* look
    yield* look
    assert.deepStrictEqual((yield* told)[1], "carol: Schedule \"Daily report\" is ok again")
    assert.lengthOf(yield* told, 2)
  })

  test("is reported once by several processes, and not again after a restart", function*() {
    const { process, told } = yield* watching
    const schedule = yield* givenSchedule()
    for (const _ of [1, 2, 3]) yield* ended({ schedule }, null)
    const [one, other] = [yield* process, yield* process]
    yield* Effect.all([one.look, other.look, one.look], { concurrency: "unbounded" })
    yield* (yield* process).look
    assert.lengthOf(yield* told, 1)
  })

  test("whose tasks a person cancelled does not fail", function*() {
    const { process, told } = yield* watching
    const schedule = yield* givenSchedule()
    for (const _ of [1, 2, 3]) yield* ended({ schedule }, null, "cancelled")
    yield* (yield* process).look
    assert.deepStrictEqual(yield* told, [])
  })

  test("that expects output fails with empty and with unchanged results", function*() {
    const { list, process, told } = yield* watching
    const schedule = yield* givenSchedule({ expects: "output" })
    const { look } = yield* process
    const state = Effect.map(list, ([found]) => `${found?.health.state} ${found?.health.failures_in_a_row}`)
    for (const result of ["Three new mails", " Three new mails\n", ""]) {
      yield* ended({ schedule }, result)
    }
    yield* look
    assert.strictEqual(yield* state, "ok 2")
    yield* ended({ schedule }, "Three new mails")
    yield* look
    assert.strictEqual(yield* state, "failing 3")
    yield* ended({ schedule }, "Four new mails")
    yield* look
    assert.strictEqual(yield* state, "ok 0")
    assert.lengthOf(yield* told, 2)
  })

  test("whose run is missing is late, and the runs that are missing are counted", function*() {
    const { list, process, told } = yield* watching
    yield* givenSchedule({ nextRun: "-21 minutes" })
    yield* (yield* process).look
    const [found] = yield* list
    assert.strictEqual(found?.health.state, "late")
    assert.isAtLeast(found?.health.missed ?? 0, 4)
    assert.deepStrictEqual(yield* told, ["carol: Schedule \"Daily report\" is late"])
  })

  test("that is paused or deleted is not watched any more, without an all-clear", function*() {
    const { process, query, told } = yield* watching
    const schedule = yield* givenSchedule({ nextRun: "-1 hour" })
    const { look } = yield* process
    yield* look
    yield* query("update schedules set status = 'paused', next_run_at = null where id = $1", [schedule])
    yield* look
    assert.lengthOf(yield* told, 1)
    assert.deepStrictEqual(yield* query("select 1 from unattended where kind = 'schedule'"), [])
  })

  test("of a type of webhooks that becomes silent, or a tool server that fails, alarms owner and admins", function*() {
    const { list, process, query, state, told } = yield* watching
    const { look } = yield* process
    for (const hours of [90, 89, 80, 71]) {
      yield* query(
        `insert into inbound_messages (id, source, type, headers, url, received_at)
         values ($1, 'webhook', 'orders', '{}', '', now() - $2 * interval '1 hour')`,
        [v7({ msecs: (yield* Clock.currentTimeMillis) - hours * 3_600_000 }), hours]
      )
    }
    yield* look
    assert.deepStrictEqual(yield* told, ["olga: Webhook type orders is silent"])
    state.status = "failed"
    yield* look
    yield* look
    assert.lengthOf(yield* told, 1)
    yield* look
    yield* look
    assert.deepStrictEqual((yield* told)[1], "olga: Tool server files is failing")
    assert.deepStrictEqual(
      (yield* list).map(({ health, id }) => `${id} ${health.state}`),
      ["orders ok", "files ok"],
      "the lists of the doubles have no health"
    )
    state.status = "connected"
    yield* look
    assert.deepStrictEqual((yield* told)[2], "olga: Tool server files is ok again")
    yield* query(
      "insert into inbound_messages (id, source, type, headers, url) values ($1, 'webhook', 'orders', '{}', '')",
      [v7()]
    )
    yield* look
    assert.deepStrictEqual((yield* told)[3], "olga: Webhook type orders is ok again")
  })
})
