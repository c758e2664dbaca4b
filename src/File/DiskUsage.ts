import { Effect, Predicate } from "effect"
import type { Dir } from "node:fs"
import { chmod, lstat, opendir } from "node:fs/promises"
import { join } from "node:path"
import { attempt, type SandboxRefused } from "./SandboxRefused.ts"

/** What is kept in a folder. `files` counts everything that has a name: files, folders, links, pipes. */
export interface DiskUsage {
  readonly bytes: number
  readonly files: number
}

/** The unit in which file systems allocate: an empty file still costs an inode and a name. */
export const blockBytes = 4_096

/** Bytes that a file of this size counts: whole blocks, at least one, and what was allocated beyond its end. */
export const bytesOnDisk = (size: number, allocated = 0): number =>
  Math.max(blockBytes, Math.ceil(size / blockBytes) * blockBytes, allocated)

/**
 * Adds up what is below a folder. Links are not followed; what vanishes meanwhile counts nothing. The walk ends once
 * it has found more than `maxFiles`, so its cost is bounded. A folder whose permissions keep the service out is made
 * accessible to its owner again, as a script may have left it so. One that still can't be read (a path that is too
 * long) is logged and makes `files` infinite: nothing can be hidden in one.
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
            `Measuring a user's files failed, so new files are refused: ${reason}. Remove the folder ${here}`
          )
        })
      )
      if (files > maxFiles) break
    }
    return { bytes, files }
  })

/** No link is followed: the walk came to `location` as a folder. */
const allowOwner = (location: string) =>
  attempt(
    location,
    () => lstat(location).then((stats) => stats.isDirectory() ? chmod(location, stats.mode | 0o700) : undefined)
  )

/** Null for what has vanished. */
const statusOf = (location: string) =>
  lstat(location).catch((cause: unknown) =>
    Predicate.hasProperty(cause, "code") && cause.code === "ENOENT" ? null : Promise.reject(cause)
  )

/** Small enough that other work gets its turn in between. */
const batchSize = 128

/** Hands over the names in a folder, some at a time, until there are no more or the answer is no. */
const eachBatch = <E>(
  location: string,
  use: (names: ReadonlyArray<string>) => Effect.Effect<boolean, E>
): Effect.Effect<void, E | SandboxRefused> =>
  Effect.acquireUseRelease(
    attempt(location, () => opendir(location, { bufferSize: batchSize })),
    (folder) =>
      Effect.iterate(true, {
        while: (more) => more,
        body: () =>
          Effect.flatMap(
            attempt(location, () => nextNames(folder, [])),
            (names) => names.length === 0 ? Effect.succeed(false) : use(names)
          )
      }),
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
