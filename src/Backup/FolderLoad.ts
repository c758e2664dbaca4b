import { Effect } from "effect"
import { createWriteStream } from "node:fs"
import { chmod, mkdir, readdir, rename, rm, utimes } from "node:fs/promises"
import { dirname, join, normalize, sep } from "node:path"
import { pipeline } from "node:stream/promises"
import type { Entry } from "tar-stream"
import { attempt, type BackupFailed, damaged } from "./BackupFailed.ts"
import { type FolderName, folderNames, type Folders } from "./Manifest.ts"
import { isTemporary, stagingName } from "./Places.ts"

/** Whether the service has files already. */
export const hasFiles = (folders: Folders): Effect.Effect<boolean> =>
  Effect.exists(
    Object.values(folders),
    (folder) =>
      Effect.promise(() => readdir(folder).then((names) => names.some((name) => !isTemporary(name)), () => false))
  )

const stagingOf = (folder: string): string => join(folder, stagingName)

/** Empty places beside the files of the service, which are removed with the scope. */
export const stage = (folders: Folders) =>
  Effect.acquireRelease(
    Effect.forEach(
      Object.values(folders),
      (folder) =>
        attempt(`Preparing ${folder}`, () =>
          rm(stagingOf(folder), { recursive: true, force: true }).then(() =>
            mkdir(stagingOf(folder), { recursive: true, mode: 0o700 })
          )),
      { discard: true }
    ),
    () =>
      Effect.forEach(Object.values(folders), (folder) =>
        Effect.promise(() =>
          rm(stagingOf(folder), { recursive: true, force: true }).catch(() => {})
        ), { discard: true })
  )

const isFolderName = (name: string): name is FolderName => folderNames.some((known) => known === name)

/** Where an entry goes; undefined unless it is a plain path below one of the folders. */
const placeOf = (folders: Folders, path: string): string | undefined => {
  const [first = "", ...rest] = path.split("/").filter((part) => part !== "")
  const isPlain = rest.length > 0
    && rest.every((part) => part !== "." && part !== ".." && normalize(part) === part && !part.includes(sep))
  return isFolderName(first) && isPlain ? join(stagingOf(folders[first]), ...rest) : undefined
}

/** Writes a file or a folder to its staging place; true for a file. */
export const loadEntry = (file: string, folders: Folders, entry: Entry): Effect.Effect<boolean, BackupFailed> => {
  const { mode = 0o600, mtime, name, type } = entry.header
  const place = placeOf(folders, name)
  if (place === undefined || (type !== "file" && type !== "directory")) {
    return damaged(file, `the entry ${JSON.stringify(name.slice(0, 200))} does not belong there`)
  }
  return attempt(`Writing ${place}`, () => {
    if (type === "directory") {
      entry.resume()
      return mkdir(place, { recursive: true, mode: mode | 0o700 }).then(() => false)
    }
    return mkdir(dirname(place), { recursive: true })
      .then(() => pipeline(entry, createWriteStream(place, { flags: "wx", mode: 0o600, flush: true })))
      .then(() => chmod(place, mode & 0o777))
      .then(() => utimes(place, mtime ?? 0, mtime ?? 0))
      .then(() => true)
  })
}

/** Puts what was staged in the place of what is there. May be repeated after a crash by staging again. */
export const moveIn = (folders: ReadonlyArray<string>): Effect.Effect<void, BackupFailed> =>
  Effect.forEach(folders, (folder) =>
    Effect.gen(function*() {
      const moving = `Moving the files into ${folder}`
      for (const name of yield* attempt(moving, () => readdir(folder))) {
        if (name === stagingName) continue
        yield* attempt(moving, () => rm(join(folder, name), { recursive: true, force: true }))
      }
      for (const name of yield* attempt(moving, () => readdir(stagingOf(folder)))) {
        yield* attempt(moving, () => rename(join(stagingOf(folder), name), join(folder, name)))
      }
    }), { discard: true })
