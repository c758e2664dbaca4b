import { ScheduleId, UserId } from "@troupe/domain/Ids"
import type { ToolServerState } from "@troupe/domain/ToolServer"
import { unseenHealth } from "@troupe/domain/Unattended"
import { Context, Effect, Layer } from "effect"
import { v7 } from "uuid"
import { Unattended } from "../../../src/Intake/Unattended/Unattended.ts"
import { makeUnattended } from "../../../src/Intake/Unattended/UnattendedJob.ts"
import { WebhookTypes } from "../../../src/Intake/Webhook/WebhookTypes.ts"
import { ToolServerSettings } from "../../../src/ToolServer/ToolServerSettings.ts"
import { Wire } from "../../support/TaskWorld.ts"

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
export const watching = Effect.gen(function*() {
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

export const givenSchedule = (more: { readonly expects?: string; readonly nextRun?: string } = {}) =>
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
