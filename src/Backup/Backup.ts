import { DateTime, Effect, Schema } from "effect"
import { createArchive } from "./Archive.ts"
import { beginDump } from "./DatabaseDump.ts"
import { dumpFolder } from "./FolderDump.ts"
import { entries, folderNames, type Folders, format, ManifestJson, SummaryJson } from "./Manifest.ts"
import { openSession } from "./Session.ts"

const total = (rows: Readonly<Record<string, number>>): number =>
  Object.values(rows).reduce((sum, number) => sum + number, 0)

/**
 * Writes the database, as it is at one moment, and the folders to an archive, while the service runs. The files are read
 * after the database, so that those that it names are there. Folders that are not given are not in the archive.
 */
export const backup = Effect.fn("Backup.backup")(
  function*(options: { readonly file: string; readonly folders: Partial<Folders>; readonly version: string }) {
    const names = folderNames.filter((name) => options.folders[name] !== undefined)
    const session = yield* openSession
    const { writeTo, ...contents } = yield* beginDump(session)
    const archive = yield* createArchive(options.file)
    const created_at = DateTime.formatIso(yield* DateTime.now)
    yield* archive.add(
      { name: entries.manifest },
      yield* Effect.orDie(
        Schema.encode(ManifestJson)({
          format,
          version: options.version,
          created_at,
          folders: names,
          ...contents
        })
      )
    )
    const rows = yield* writeTo(archive)
    yield* session.query("commit")
    const dumps = yield* Effect.forEach(names, (name) => dumpFolder(archive, name, options.folders[name] ?? ""))
    const files = dumps.reduce((sum, dump) => sum + dump.files, 0)
    yield* archive.add({ name: entries.summary }, yield* Effect.orDie(Schema.encode(SummaryJson)({ rows, files })))
    const bytes = yield* archive.finish
    return { bytes, rows: total(rows), files, left_out: dumps.flatMap(({ leftOut }) => leftOut) }
  },
  Effect.scoped
)
