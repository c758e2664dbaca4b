import { Effect } from "effect"
import type { Stats } from "node:fs"
import { lstat, opendir } from "node:fs/promises"
import type { Folder } from "./Folder.ts"
import { temporaryPrefix } from "./SandboxPath.ts"
import { attempt, type SandboxRefused } from "./SandboxRefused.ts"

/** An entry of a folder; a link, a pipe or a device is `other`. */
export interface Entry {
  readonly name: string
  readonly kind: "file" | "folder" | "other"
  readonly size: number
  /** Epoch milliseconds of the last change. */
  readonly modified: number
}

/** A file or folder by its real path, relative to the user's folder (`.` for that folder itself). */
export interface Found extends Entry {
  readonly path: string
}

export interface Listing {
  readonly entries: ReadonlyArray<Entry>
  readonly more: boolean
}

export const entryOf = (name: string, stats: Stats): Entry => ({
  name,
  kind: stats.isFile() ? "file" : stats.isDirectory() ? "folder" : "other",
  size: stats.isFile() ? stats.size : 0,
  modified: Math.round(stats.mtimeMs)
})

export const listFolder = (folder: Folder, path: string, limit: number): Effect.Effect<Listing, SandboxRefused> =>
  Effect.gen(function*() {
    const names = yield* namesIn(folder.at("."), path, limit + 1)
    const entries = yield* Effect.forEach(
      names.slice(0, limit),
      (name) =>
        attempt(path, () => lstat(folder.at(name))).pipe(
          Effect.map((stats) => [entryOf(name, stats)]),
          Effect.catchIf((refused) => refused.kind === "missing", () => Effect.succeed([]))
        ),
      { concurrency: 4 }
    )
    return { entries: entries.flat().sort((a, b) => (a.name < b.name ? -1 : 1)), more: names.length > limit }
  })

const namesIn = (location: string, path: string, limit: number): Effect.Effect<Array<string>, SandboxRefused> =>
  Effect.acquireUseRelease(
    attempt(path, () => opendir(location)),
    (folder) =>
      Effect.gen(function*() {
        const names: Array<string> = []
        while (names.length < limit) {
          const entry = yield* attempt(path, () => folder.read())
          if (entry === null) break
          if (!entry.name.startsWith(temporaryPrefix)) names.push(entry.name)
        }
        return names
      }),
    (folder) => Effect.promise(() => folder.close())
  )
