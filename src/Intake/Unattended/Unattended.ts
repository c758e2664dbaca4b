import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { SqlClient } from "@effect/sql/SqlClient"
import { CurrentUser } from "@troupe/api/Authentication"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { type Caller, isAdmin } from "@troupe/domain/Caller"
import { titleOf } from "@troupe/domain/Text"
import { type UnattendedWork, unseenHealth } from "@troupe/domain/Unattended"
import { Context, Effect, Layer, Schema } from "effect"
import { HealthColumn, healthOf, unattendedColumns, UnattendedRow } from "../../Delivery/WorkHealth.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { timestamp } from "../../Runtime/Database/TimestampColumn.ts"
import { ToolServerSettings } from "../../ToolServer/ToolServerSettings.ts"
import { WebhookTypes } from "../Webhook/WebhookTypes.ts"
import type { LookOptions } from "./UnattendedLook.ts"

export class Unattended extends Context.Tag("troupe/Intake/Unattended/Unattended")<Unattended, {
  /** What the caller may see of it, with the health that the last look has found; what is not ok first. */
  readonly list: (caller: Caller) => Effect.Effect<ReadonlyArray<UnattendedWork>>
}>() {
  static readonly layer = (
    options: LookOptions
  ): Layer.Layer<Unattended, never, SqlClient | ToolServerSettings | WebhookTypes> =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const sql = yield* SqlClient
        const servers = yield* ToolServerSettings
        const types = yield* WebhookTypes

        const schedules = Effect.map(
          scheduleRows(sql.unsafe(`select * from (
  select s.id::text, s.title, left(s.message, 1000) as message, ${timestamp("s.created_at", "created_at")},
    ${healthOf("schedule", "s.id::text")} as health
  from schedules s where s.status <> 'done'
) listed order by coalesce(health::json ->> 'state', 'ok') = 'ok', id desc limit ${maxSchedules}`)),
          (rows) =>
            rows.map(({ created_at, health, id, message, title }): UnattendedWork => ({
              kind: "schedule",
              id,
              name: titleOf({ title, description: message }),
              health: health ?? { ...unseenHealth, since: created_at }
            }))
        )
        const mailboxes = Effect.suspend(() => {
          const mailbox = options.mailbox()
          return mailbox === null ? Effect.succeed([]) : Effect.map(
            mailboxRows(sql`select ${sql.literal(unattendedColumns)} from unattended h
where h.kind = 'mailbox' and h.id = ${mailbox.name}`),
            ([row]): ReadonlyArray<UnattendedWork> => [
              row ?? { kind: "mailbox", id: mailbox.name, name: mailbox.name, health: unseenHealth }
            ]
          )
        })
        const ofTheTeam = Effect.gen(function*() {
          const webhooks = (yield* types.list).map(({ health, type }): UnattendedWork => ({
            kind: "webhook_type",
            id: type,
            name: type,
            health
          }))
          const connections = (yield* servers.status).servers.flatMap(({ health, name, status }) =>
            status === "disabled" ? [] : [{ kind: "tool_server" as const, id: name, name, health }]
          )
          return [...webhooks, ...yield* mailboxes, ...connections]
        })
        return Unattended.of({
          list: Effect.fn("Unattended.list")(function*(caller) {
            const all = [...yield* schedules, ...isAdmin(caller) ? yield* ofTheTeam : []]
            return [
              ...all.filter(({ health }) => health.state !== "ok"),
              ...all.filter(({ health }) => health.state === "ok")
            ]
          })
        })
      })
    )
}

export const UnattendedHttp = HttpApiBuilder.group(
  TroupeApi,
  "unattended",
  (handlers) => Effect.map(Unattended, ({ list }) => handlers.handle("list", () => Effect.flatMap(CurrentUser, list)))
)

const maxSchedules = 1_000

const mailboxRows = rowsOf(UnattendedRow)
const scheduleRows = rowsOf(
  Schema.Struct({
    id: Schema.String,
    title: Schema.NullOr(Schema.String),
    message: Schema.String,
    created_at: Schema.String,
    health: HealthColumn
  }).annotations({ identifier: "ListedSchedule" })
)
