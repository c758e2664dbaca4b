import { Effect } from "effect"
import type { Dir } from "node:fs"
import { chmod, lstat, opendir } from "node:fs/promises"
import { join } from "node:path"
import { errorCode } from "../Runtime/ErrorText.ts"
import { attempt, type SandboxRefused } from "./SandboxRefused.ts"

/** The content of a folder. `files` counts everything that has a name: files, folders, links, pipes. */
export interface DiskUsage {
  readonly bytes: number
  readonly files: number
}

export const blockBytes = 4_096

/** Bytes that a file of this size counts: whole blocks, at least one, and what was allocated beyond its end. */
export const bytesOnDisk = (size: number, allocated = 0): number =>
  Math.max(blockBytes, Math.ceil(size / blockBytes) * blockBytes, allocated)

/** What a file of this size takes in place of the one before it, or of none. */
export const growthOf = (size: number, before: { readonly size: number } | null): DiskUsage => ({
  bytes: bytesOnDisk(size) - (before === null ? 0 : bytesOnDisk(before.size)),
  files: before === null ? 1 : 0
})

/**
 * Adds up a folder without following links, until there are more than `maxFiles`. Inaccessible folders are made
 * accessible; one that still can't be read makes `files` infinite.
 */
export const diskUsage = (location: string, maxFiles = Infinity): Effect.Effect<DiskUsage> =>
  Effect.gen(function*() {
    const folders = [location]
    let bytes = 0
    let files = 0
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      const here = folder
      const measure = eachBatch(here, (names) =>
        Effect.map(
          attempt(here, () => Promise.all(names.map((name) => statusOf(join(here, name))))),
          (found) => {
            for (const [at, stats] of found.entries()) {
              if (stats === null) continue
              files += 1
              bytes += bytesOnDisk(stats.isFile() ? stats.size : 0, stats.blocks * 512)
              if (stats.isDirectory()) folders.push(join(here, names[at] ?? ""))
            }
            return files <= maxFiles
          }
        ))
      yield* measure.pipe(
        Effect.catchIf(({ kind }) => kind === "unavailable", () => Effect.zipRight(allowOwner(here), measure)),
        Effect.catchAll(({ kind, reason }) => {
          if (kind !== "name" && kind !== "unavailable") return Effect.void
          files = Infinity
          return Effect.logWarning(
            `Measuring a user's files failed, so new files are refused: ${reason}. Delete the folder ${here}`
          )
        })
      )
      if (files > maxFiles) break
    }
    return { bytes, files }
  })

const allowOwner = (location: string) =>
  attempt(
    location,
    () => lstat(location).then((stats) => stats.isDirectory() ? chmod(location, stats.mode | 0o700) : undefined)
  )

const statusOf = (location: string) =>
  lstat(location).catch((cause: unknown) => errorCode(cause) === "ENOENT" ? null : Promise.reject(cause))

const batchSize = 128

const eachBatch = <E>(
  location: string,
  use: (names: ReadonlyArray<string>) => Effect.Effect<boolean, E>
): Effect.Effect<void, E | SandboxRefused> =>
  Effect.acquireUseRelease(
    attempt(location, () => opendir(location, { bufferSize: batchSize })),
    (folder) =>
      attempt(location, () => nextNames(folder, [])).pipe(
        Effect.flatMap((names) => names.length === 0 ? Effect.succeed(false) : use(names)),
        Effect.repeat({ while: (more) => more }),
        Effect.asVoid
      ),
    (folder) => Effect.promise(() => folder.close())
  )

const nextNames = (folder: Dir, names: Array<string>): Promise<Array<string>> =>
  names.length === batchSize
    ? Promise.resolve(names)
    : folder.read().then((entry) => {
      if (entry === null) return names
      names.push(entry.name)
      return nextNames(folder, names)
    })
