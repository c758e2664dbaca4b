import { SqlClient } from "@effect/sql/SqlClient"
import type { UserId } from "@troupe/domain/Ids"
import { type SecretsUnsealed, SettingsRefused } from "@troupe/domain/Setting"
import { unseenHealth } from "@troupe/domain/Unattended"
import { type WebhookTypeChange, WebhookTypeNotFound, type WebhookTypeView } from "@troupe/domain/Webhook"
import { settingOf, spellingOf, usualSchemeOf } from "@troupe/domain/WebhookScheme"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { Agents } from "../../Agent/Definition/Agents.ts"
import { unattendedColumns, UnattendedRow } from "../../Delivery/WorkHealth.ts"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { timestamp } from "../../Runtime/Database/TimestampColumn.ts"
import { StoredSettings } from "../../Runtime/Settings/StoredSettings.ts"
import type { WebhookSecrets } from "./WebhookSignature.ts"

export interface WebhookTypesOptions {
  readonly publicUrl: URL
  /** By what follows the prefix in the names of a type's settings; read at each use. */
  readonly settings: WebhookSecrets & {
    readonly agents: ReadonlyMap<string, string>
    readonly trusted: ReadonlyMap<string, boolean>
    readonly trustUnsigned: boolean
  }
}

/** What is set for types of webhooks: the settings WEBHOOK_SECRET_<TYPE> and their like. */
export class WebhookTypes extends Context.Tag("troupe/Intake/Webhook/WebhookTypes")<WebhookTypes, {
  /** By name: those that are configured, and those of which something was delivered. */
  readonly list: Effect.Effect<ReadonlyArray<WebhookTypeView>>
  readonly find: (type: string) => Effect.Effect<WebhookTypeView, WebhookTypeNotFound>
  readonly configure: (
    type: string,
    change: WebhookTypeChange,
    by: UserId
  ) => Effect.Effect<WebhookTypeView, SettingsRefused | SecretsUnsealed>
  /** Removes what is stored. */
  readonly remove: (type: string, by: UserId) => Effect.Effect<void, WebhookTypeNotFound | SettingsRefused>
}>() {
  static readonly layer = (
    options: WebhookTypesOptions
  ): Layer.Layer<WebhookTypes, never, Agents | SqlClient | StoredSettings> => Layer.effect(this, make(options))
}

const make = ({ publicUrl, settings }: WebhookTypesOptions) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const stored = yield* StoredSettings
    const agents = yield* Agents

    const delivered = deliveredTypes(asService(sql.unsafe(deliveries)))

    const watched = healths(
      asService(sql.unsafe(`select ${unattendedColumns} from unattended h where h.kind = 'webhook_type'`))
    )

    const list = Effect.gen(function*() {
      const rows = yield* delivered
      const health = new Map((yield* watched).map((row) => [row.id, row.health]))
      const names = new Map(rows.map(({ type }) => [settingOf(type), type] as const))
      const { agents: chosen, schemes, secrets, trusted } = settings
      // What was delivered unsigned is spelled as its sender does.
      for (const name of [chosen, schemes, secrets, trusted].flatMap((map) => [...map.keys()])) {
        names.set(name, spellingOf(name))
      }
      const views = yield* Effect.forEach(names, ([name, type]) =>
        Effect.map(agents.claimant({ field: "webhooks", names: [type] }), (claimant) => ({
          type,
          address: `${publicUrl.href.replace(/\/$/, "")}/webhook/${encodeURIComponent(type)}`,
          scheme: schemes.get(name) ?? usualSchemeOf(name),
          has_secret: secrets.has(name),
          agent: chosen.get(name) ?? Option.getOrNull(claimant)?.name ?? null,
          trusted: trusted.get(name) ?? settings.trustUnsigned,
          health: health.get(type) ?? unseenHealth,
          last_delivery_at: rows.filter((row) =>
            settingOf(row.type) === name
          ).map((row) =>
            row.last_delivery_at
          ).toSorted().at(-1)
            ?? null
        })))
      return views.toSorted((one, other) => one.type < other.type ? -1 : 1)
    })

    const find = (type: string) =>
      Effect.flatMap(list, (all) => {
        const found = all.find((one) => settingOf(one.type) === settingOf(type))
        return found === undefined ? new WebhookTypeNotFound({ type }) : Effect.succeed(found)
      })

    const configure = Effect.fn("WebhookTypes.configure")(
      function*(type: string, { agent, scheme, secret, trusted }: WebhookTypeChange, by: UserId) {
        const name = settingOf(type)
        if (name === "") {
          return yield* new SettingsRefused({
            mistakes: [{ path: "webhook_type", message: "expected a name with letters or digits (a to z, 0 to 9)" }]
          })
        }
        if (agent !== null && agent !== undefined) {
          yield* Effect.mapError(agents.find(agent), ({ message }) =>
            new SettingsRefused({ mistakes: [{ path: "agent", message }] }))
        }
        const given = {
          secret,
          // Without a secret there is nothing to verify.
          scheme: secret === null ? scheme ?? null : scheme,
          agent,
          // So that it is configured, whatever else is left out.
          trusted: trusted === undefined && !settings.trusted.has(name) ? settings.trustUnsigned : trusted
        }
        const changes = Object.entries(given).flatMap(([field, value]) =>
          value === undefined ? [] : [[`${prefixes[field]}${name}`, value] as const]
        )
        yield* Effect.mapError(stored.change(Object.fromEntries(changes), by), byField)
        return yield* Effect.orDie(find(type))
      }
    )

    return WebhookTypes.of({
      list,
      find,
      configure,
      remove: Effect.fn("WebhookTypes.remove")(function*(type: string, by: UserId) {
        yield* find(type)
        const { agents: chosen, schemes, secrets, trusted } = settings
        const name = settingOf(type)
        const set = Object.entries({ secret: secrets, scheme: schemes, agent: chosen, trusted })
          .flatMap(([field, map]) =>
            map.has(name) ? [`${prefixes[field]}${name}`] : []
          )
        yield* stored.change(Object.fromEntries(set.map((setting) => [setting, null])), by).pipe(
          Effect.mapError(byField),
          Effect.catchTag("SecretsUnsealed", Effect.die)
        )
      })
    })
  })

const prefixes: Readonly<Record<string, string>> = {
  secret: "WEBHOOK_SECRET_",
  scheme: "WEBHOOK_SCHEME_",
  agent: "WEBHOOK_AGENT_",
  trusted: "WEBHOOK_TRUSTED_"
}

/** Names the fields in place of their settings. */
const byField = <E extends { readonly _tag: string }>(refused: E | SettingsRefused): E | SettingsRefused =>
  refused instanceof SettingsRefused
    ? new SettingsRefused({
      mistakes: refused.mistakes.map(({ message, path }) => ({
        path: Object.entries(prefixes).find(([, prefix]) => path.startsWith(prefix))?.[0] ?? path,
        message
      }))
    })
    : refused

const healths = rowsOf(UnattendedRow)

const deliveredTypes = rowsOf(Schema.Struct({ type: Schema.String, last_delivery_at: Schema.String }))

/** By steps from type to type in the index, however many deliveries there are. */
const deliveries = `with recursive types as (
  (select type from inbound_messages where source = 'webhook' order by type limit 1)
  union all
  select (select m.type from inbound_messages m where m.source = 'webhook' and m.type > t.type order by m.type limit 1)
  from types t where t.type is not null
)
select t.type, ${timestamp("last.received_at", "last_delivery_at")}
from types t, lateral (
  select received_at from inbound_messages m where m.source = 'webhook' and m.type = t.type order by m.id desc limit 1
) last
limit 500`
