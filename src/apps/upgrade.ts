import * as NodeContext from "@effect/platform-node/NodeContext"
import type { UpgradeReport } from "@troupe/domain/UpgradeReport"
import { version } from "@troupe/domain/Version"
import { inspect } from "@troupe/embedded-postgres/Cluster"
import { Clock, Effect, Layer, Option, Schema } from "effect"
import { join } from "node:path"
import { uptime } from "node:process"
import { failed } from "../Backup/BackupFailed.ts"
import { placeIn, removeBefore, save } from "../Backup/UpgradeBackup.ts"
import * as Migrations from "../Runtime/Database/Migrations.ts"
import * as Sql from "../Runtime/Database/Sql.ts"
import { suggestion } from "../Runtime/NearNames.ts"
import { Settings } from "../Runtime/Settings/Settings.ts"
import { isSettingName, settingNames } from "../Runtime/Settings/SettingsCatalogue.ts"
import { runningOrStarted, serverOf } from "./backup.ts"

/** The first sentence of a migration's comment, else its name. */
export const purposeOf = ({ name, statements }: Pick<Migrations.Script, "name" | "statements">): string => {
  const comment = /^(?:--[^\n]*\n?)+/.exec(statements)?.[0].replace(/^--\s?/gm, "").replace(/\s+/g, " ").trim() ?? ""
  const [sentence = ""] = comment.split(/(?<=[.:]) (?=[A-Z`])/)
  return sentence === "" ? name.replaceAll("_", " ") : sentence
}

/** The database of the settings; undefined where the first start creates it. */
const databaseOf = (settings: Settings["Type"]) =>
  Effect.gen(function*() {
    const server = serverOf(settings)
    if (Option.isSome(server)) return Layer.mapError(server.value, ({ message }) => failed(message))
    const folder = join(settings.database.dataDir, "postgres")
    return (yield* inspect(folder)).isCreated ? runningOrStarted(folder) : undefined
  })

const Stored = Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

/** Sentences about stored settings that this version does not have. */
const unknownSettings = Effect.gen(function*() {
  const sql = yield* Sql.make({ maxConnections: 1, connectTimeout: "0 seconds", applicationName: "troupe-upgrade" })
  const [table] = yield* sql<{ exists: boolean }>`select to_regclass('stored_settings') is not null as exists`
  const rows = table?.exists === true ? yield* sql<{ settings: string }>`select settings from stored_settings` : []
  const names = yield* Effect.forEach(rows, ({ settings }) => Effect.map(Schema.decode(Stored)(settings), Object.keys))
  return names.flat().filter((name) => !isSettingName(name)).map((name) =>
    `${name} is stored, and no setting of this version. ${
      suggestion(name, [...settingNames], "It is kept, and does not count.")
    }`
  )
}).pipe(Effect.scoped)

/** What a start with these settings would do. It changes nothing, but may start the embedded database for a moment. */
export const planUpgrade = Effect.gen(function*() {
  const settings = yield* Settings
  const database = yield* databaseOf(settings)
  const [plan, unknown] = database === undefined
    ? [null, []] as const
    : yield* Effect.provide(Effect.all([Migrations.plan, unknownSettings]), database)
  const isNew = plan === null || plan.isEmpty
  const pending = isNew ? [] : plan.pending
  return {
    version,
    database_version: plan?.last?.version ?? null,
    is_new: isNew,
    migrations: pending.map((script) => ({ id: script.id, name: script.name, purpose: purposeOf(script) })),
    backup: pending.length > 0 && Option.isNone(settings.database.url) ? placeIn(settings.database.dataDir) : null,
    warnings: [...settings.warnings, ...unknown]
  } satisfies UpgradeReport
}).pipe(Effect.provide(NodeContext.layer))

/** Saves an embedded database before it is migrated. Nobody else does, and there may be no other way back. */
export const backupFirst = (dataDir: string) =>
  Effect.gen(function*() {
    const { isEmpty, pending } = yield* Migrations.plan
    if (isEmpty || pending.length === 0) return
    const { bytes, file } = yield* save(dataDir, version)
    yield* Effect.logInfo(`Saved the database before the upgrade: ${file} (${bytes} bytes)`)
  })

/** Removes the backup of the last upgrade once a later start has gone well. */
export const dropBackup = ({ database: { dataDir, url } }: Settings["Type"]): Effect.Effect<void> =>
  Effect.gen(function*() {
    if (Option.isSome(url)) return
    const now = yield* Clock.currentTimeMillis
    if (yield* removeBefore(dataDir, now - uptime() * 1_000)) {
      yield* Effect.logInfo("Deleted the backup of the last upgrade, as this start went well without one")
    }
  })
