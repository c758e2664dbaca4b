import { Effect } from "effect"
import { rename, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { backup } from "./Backup.ts"
import { attempt } from "./BackupFailed.ts"

/** The one backup that an upgrade makes by itself, in the folder of the data. */
export const placeIn = (dataDir: string): string => join(dataDir, "before-upgrade.tar.gz")

/** Saves the database, in place of the backup of an earlier upgrade. Folders are as they were after an upgrade too. */
export const save = (dataDir: string, version: string) =>
  Effect.gen(function*() {
    const file = placeIn(dataDir)
    const unfinished = `${file}.new`
    yield* attempt(`Removing ${unfinished}`, () => rm(unfinished, { force: true }))
    const { bytes } = yield* backup({ file: unfinished, folders: {}, version })
    yield* attempt(`Writing ${file}`, () => rename(unfinished, file))
    return { file, bytes }
  })

/** Removes the backup of an earlier upgrade, once a start has gone well that needed none. */
export const removeBefore = (dataDir: string, startedAt: number): Effect.Effect<boolean> =>
  Effect.promise(() =>
    stat(placeIn(dataDir)).then(({ mtimeMs }) =>
      mtimeMs < startedAt ? rm(placeIn(dataDir), { force: true }).then(() => true) : false
    ).catch(() => false)
  )
