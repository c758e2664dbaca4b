import * as NodeContext from "@effect/platform-node/NodeContext"
import { version } from "@troupe/domain/Version"
import { inspect } from "@troupe/embedded-postgres/Cluster"
import * as EmbeddedPostgres from "@troupe/embedded-postgres/EmbeddedPostgres"
import type { EmbeddedPostgresFailed } from "@troupe/embedded-postgres/EmbeddedPostgresFailed"
import { Effect, Layer, Option } from "effect"
import { join } from "node:path"
import { backup } from "../Backup/Backup.ts"
import { type BackupFailed, failed } from "../Backup/BackupFailed.ts"
import { checkPlaces } from "../Backup/Places.ts"
import { restore } from "../Backup/Restore.ts"
import { isReachable } from "../Backup/Session.ts"
import { DatabaseUrl, ThroughPooler } from "../Runtime/Database/DatabaseUrl.ts"
import * as Pooler from "../Runtime/Database/Pooler.ts"
import type * as Sql from "../Runtime/Database/Sql.ts"
import { Settings } from "../Runtime/Settings/Settings.ts"

const placesOf = (file: string, { agents, database, projects, skills, storage }: Settings["Type"]) => ({
  file,
  folders: { files: storage.path, projects: projects.path, skills: skills.path, agents: agents.path },
  embedded: join(database.dataDir, "postgres")
})

/** The database at DATABASE_DIRECT_URL, else DATABASE_URL; none: the embedded one. */
export const serverOf = ({ database: { directUrl, url } }: Settings["Type"]) =>
  Option.map(Option.orElse(directUrl, () => url), (address) =>
    Pooler.layer(address, {
      connectTimeout: "0 seconds",
      setting: Option.isSome(directUrl) ? "DATABASE_DIRECT_URL" : "DATABASE_URL"
    }))

type Source = Layer.Layer<DatabaseUrl, BackupFailed | EmbeddedPostgresFailed>

/** A backup and a restore set parameters of their session, which a pooler does not keep. */
const sessionAt = (server: Layer.Layer<DatabaseUrl, Sql.DatabaseUnreachable>): Source =>
  Layer.effectContext(Effect.gen(function*() {
    if (!(yield* ThroughPooler)) return yield* Effect.context<DatabaseUrl>()
    return yield* failed(
      "The database is reached through a connection pooler. Set DATABASE_DIRECT_URL to the address of the server itself."
    )
  })).pipe(Layer.provide(Layer.catchAll(server, ({ message }) => Layer.fail(failed(message)))))

/** The embedded database in a folder that no other process may serve. */
const started = (folder: string): Source =>
  Layer.scoped(DatabaseUrl, EmbeddedPostgres.start({ dataDir: folder, durable: true }))

/** The embedded database, of the running service if there is one. */
export const runningOrStarted = (folder: string): Source =>
  Layer.unwrapEffect(Effect.gen(function*() {
    const { isCreated, url } = yield* inspect(folder)
    if (!isCreated) return yield* failed(`There is no database in ${folder}. Run this in the folder of the service.`)
    return Option.isSome(url) && (yield* Effect.provideService(isReachable, DatabaseUrl, url.value))
      ? Layer.succeed(DatabaseUrl, url.value)
      : started(folder)
  }))

/** Backs up the service with these settings to a file, whether the service runs or not. */
export const backupTo = (given: string) =>
  Effect.gen(function*() {
    const settings = yield* Settings
    const { embedded, file, folders } = placesOf(given, settings)
    yield* checkPlaces(file, folders, embedded)
    return yield* Effect.provide(
      backup({ file, folders, version }),
      Option.match(serverOf(settings), {
        onNone: () => runningOrStarted(embedded),
        onSome: sessionAt
      })
    )
  })

/** Restores the stopped service with these settings from a file. */
export const restoreFrom = (given: string, options: { readonly replace: boolean }) =>
  Effect.gen(function*() {
    const settings = yield* Settings
    const { embedded, file, folders } = placesOf(given, settings)
    yield* checkPlaces(file, folders, embedded)
    return yield* Effect.provide(
      restore({ file, folders, ...options }),
      Option.match(serverOf(settings), {
        onNone: () => started(embedded),
        onSome: sessionAt
      })
    )
  }).pipe(Effect.provide(NodeContext.layer))
