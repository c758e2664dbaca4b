import * as NodeContext from "@effect/platform-node/NodeContext"
import { version } from "@troupe/domain/Version"
import { inspect } from "@troupe/embedded-postgres/Cluster"
import * as EmbeddedPostgres from "@troupe/embedded-postgres/EmbeddedPostgres"
import { Effect, Layer, Option } from "effect"
import { join } from "node:path"
import { backup } from "../Backup/Backup.ts"
import { failed } from "../Backup/BackupFailed.ts"
import { checkPlaces } from "../Backup/Places.ts"
import { restore } from "../Backup/Restore.ts"
import { isReachable } from "../Backup/Session.ts"
import { DatabaseUrl } from "../Runtime/Database/DatabaseUrl.ts"
import { Settings } from "../Runtime/Settings/Settings.ts"

const placesOf = (file: string, { agents, database, projects, skills, storage }: Settings["Type"]) => ({
  file,
  folders: { files: storage.path, projects: projects.path, skills: skills.path, agents: agents.path },
  embedded: join(database.dataDir, "postgres")
})

/** A backup and a restore set parameters of their session, which a pooler does not keep. */
const serverOf = ({ database: { directUrl, url } }: Settings["Type"]) => Option.orElse(directUrl, () => url)

/** The embedded database in a folder that no other process may serve. */
const started = (folder: string) =>
  Layer.scoped(DatabaseUrl, EmbeddedPostgres.start({ dataDir: folder, durable: true }))

/** The embedded database, of the running service if there is one. */
export const runningOrStarted = (folder: string) =>
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
        onSome: (url) => Layer.succeed(DatabaseUrl, url)
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
        onSome: (url) => Layer.succeed(DatabaseUrl, url)
      })
    )
  }).pipe(Effect.provide(NodeContext.layer))
