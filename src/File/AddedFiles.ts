import { Effect } from "effect"
import { lstat, readdir, rmdir, unlink } from "node:fs/promises"
import { join } from "node:path"
import { bytesOnDisk, type DiskUsage } from "./DiskUsage.ts"
import { maxDepth, type RealNames, type UserFolder } from "./SandboxPath.ts"
import { attempt } from "./SandboxRefused.ts"

interface Added {
  readonly names: RealNames
  readonly bytes: number
  readonly isFolder: boolean
  readonly isNew: boolean
}

/** What was added or changed since then (epoch milliseconds of this machine's clock), as deep as paths may lead. */
const addedSince = (home: UserFolder, since: number): Effect.Effect<ReadonlyArray<Added>> =>
  Effect.gen(function*() {
    const found: Array<Added> = []
    const folders: Array<RealNames> = [[]]
    for (let parents = folders.pop(); parents !== undefined; parents = folders.pop()) {
      const at = join(home.location, ...parents)
      const here = parents
      const names = yield* Effect.orElseSucceed(attempt(at, () => readdir(at)), () => [])
      yield* Effect.forEach(names, (name) =>
        attempt(at, () => lstat(join(at, name))).pipe(
          Effect.map((stats) => {
            const isFolder = stats.isDirectory()
            const path = [...here, name]
            if (isFolder && path.length < maxDepth) folders.push(path)
            if (stats.ctimeMs < since) return
            const bytes = bytesOnDisk(stats.isFile() ? stats.size : 0, stats.blocks * 512)
            found.push({ names: path, bytes, isFolder, isNew: stats.birthtimeMs >= since })
          }),
          Effect.ignore
        ), { concurrency: 16, discard: true })
    }
    return found
  })

/** New ones before changed ones, large ones before small ones, and folders once they may be empty. */
const byOrder = (one: Added, other: Added): number =>
  Number(one.isFolder) - Number(other.isFolder)
  || Number(other.isNew) - Number(one.isNew)
  || (one.isFolder ? other.names.length - one.names.length : other.bytes - one.bytes)

/** Deletes what was added or changed since then until so much is freed, and returns how many files. Follows no link. */
export const removeAdded = (home: UserFolder, since: number, excess: DiskUsage): Effect.Effect<number> =>
  Effect.gen(function*() {
    const added = yield* addedSince(home, since)
    let [bytes, files, deleted] = [0, 0, 0]
    for (const one of [...added].sort(byOrder)) {
      if (bytes >= excess.bytes && files >= excess.files) break
      if (one.isFolder && !one.isNew) continue
      const path = one.names.join("/")
      const isDeleted = yield* home.open(one.names.slice(0, -1), path).pipe(
        Effect.flatMap((folder) => {
          const location = folder.at(one.names.at(-1) ?? "")
          return attempt(path, () => one.isFolder ? rmdir(location) : unlink(location))
        }),
        Effect.scoped,
        // A folder that is not empty is an error that the sandbox knows no refusal for.
        Effect.sandbox,
        Effect.isSuccess
      )
      if (!isDeleted) continue
      bytes += one.bytes
      files += 1
      deleted += one.isFolder ? 0 : 1
    }
    return deleted
  })
