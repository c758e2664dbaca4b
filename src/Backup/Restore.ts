import type { BackupReport } from "@troupe/domain/BackupReport"
import { Effect, Ref, Schema } from "effect"
import { stat } from "node:fs/promises"
import type { Entry } from "tar-stream"
import { entryText, readArchive } from "./Archive.ts"
import { attempt, BackupFailed, damaged, failed } from "./BackupFailed.ts"
import * as Database from "./DatabaseLoad.ts"
import * as Files from "./FolderLoad.ts"
import {
  entries,
  type Folders,
  format,
  FormatJson,
  type Manifest,
  ManifestJson,
  type Summary,
  SummaryJson
} from "./Manifest.ts"
import { openSession, type Session } from "./Session.ts"

interface Options {
  readonly file: string
  readonly folders: Folders
  /** Replaces what the service has. */
  readonly replace: boolean
}

const manifestIn = (file: string, text: string): Effect.Effect<Manifest, BackupFailed> =>
  Schema.decode(FormatJson)(text).pipe(
    Effect.filterOrFail(
      (found) => found.format <= format,
      ({ version }) => failed(`A newer version of Troupe (${version}) made this backup. Restore it with that version.`)
    ),
    Effect.zipRight(Schema.decode(ManifestJson)(text)),
    Effect.mapError((error) => error instanceof BackupFailed ? error : damaged(file, "its manifest can't be read"))
  )

/** Loads the archive's entries in their order: manifest, tables, files, summary. Nothing is visible yet. */
const load = (session: Session, { file, folders }: Options) =>
  Effect.gen(function*() {
    const manifest = yield* Ref.make<Manifest | null>(null)
    const summary = yield* Ref.make<Summary | null>(null)
    const loaded = new Map<string, number>()
    let files = 0
    const use = (entry: Entry) =>
      Effect.gen(function*() {
        const { name } = entry.header
        const known = yield* Ref.get(manifest)
        if (known === null) {
          if (name !== entries.manifest) return yield* damaged(file, "it does not begin with a manifest")
          const read = yield* manifestIn(file, yield* entryText(entry))
          yield* Database.createTables(session, read)
          return yield* Ref.set(manifest, read)
        }
        const [kind, tableName = ""] = name.split("/")
        if (name === entries.summary) {
          const text = yield* entryText(entry)
          const read = yield* Effect.mapError(
            Schema.decode(SummaryJson)(text),
            () => damaged(file, "its summary can't be read")
          )
          return yield* Ref.set(summary, read)
        }
        if (kind === entries.database) {
          const table = known.tables.find((one) => one.name === tableName)
          if (table === undefined) return yield* damaged(file, `its manifest has no table ${tableName}`)
          const rows = yield* Database.loadPart(session, table, entry)
          loaded.set(tableName, (loaded.get(tableName) ?? 0) + rows)
          return
        }
        if (yield* Files.loadEntry(file, folders, entry)) files++
      })
    yield* readArchive(file, use)
    const [read, expected] = [yield* Ref.get(manifest), yield* Ref.get(summary)]
    if (read === null || expected?.files !== files) return yield* damaged(file, "it is not complete")
    return { manifest: read, expected: expected.rows, loaded, files }
  })

/**
 * Replaces the database and the folders of a stopped service by those of an archive. The commit of the database decides:
 * before it everything is as it was, and after it the service does not start until the files are moved.
 */
export const restore = Effect.fn("Restore.restore")(
  function*(options: Options) {
    const { size } = yield* attempt(`Reading ${options.file}`, () => stat(options.file))
    const session = yield* openSession
    const target = yield* Database.beginLoad(session)
    if (!target.isUnfinished && !options.replace && (!target.isEmpty || (yield* Files.hasFiles(options.folders)))) {
      return yield* failed(
        "The service has data already. Restore into an empty database and DATA_DIR, or delete all of it with --replace."
      )
    }
    yield* Database.clear(session)
    yield* Files.stage(options.folders)
    const { expected, files, loaded, manifest } = yield* load(session, options)
    yield* Effect.uninterruptible(Effect.gen(function*() {
      yield* Database.commitLoad(session, manifest, { expected, loaded })
      yield* Files.moveIn(manifest.folders.map((name) => options.folders[name]))
      yield* Database.finishLoad(session)
    }))
    const rows = [...loaded.values()].reduce((sum, number) => sum + number, 0)
    return { bytes: size, rows, files, left_out: [] } satisfies BackupReport
  },
  Effect.scoped
)
