import { fileNameOf } from "@troupe/domain/FileName"
import { Effect, Either, type Scope } from "effect"
import type { Stats } from "node:fs"
import { lstat, opendir, readdir } from "node:fs/promises"
import type { DirectoryOpener, OpenDirectory } from "./OpenDirectory.ts"
import { maxDepth } from "./SandboxPath.ts"
import { attempt, type SandboxRefused } from "./SandboxRefused.ts"

/** An entry of a folder; a link, a pipe or a device is `other`. */
export interface Entry {
  readonly name: string
  readonly kind: "file" | "folder" | "other"
  readonly size: number
  /** Epoch milliseconds of the last change. */
  readonly modified: number
}

/** A file by its real path, relative to the user's folder. */
export interface PathEntry extends Entry {
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

export const listFolder = (
  folder: OpenDirectory,
  path: string,
  limit: number
): Effect.Effect<Listing, SandboxRefused> =>
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
          names.push(entry.name)
        }
        return names
      }),
    (folder) => Effect.promise(() => folder.close())
  )

/**
 * Regular files below a folder by path, at most `limit` after `after`. Reads only folders on the way, and skips what no
 * path can name and what it can't read.
 */
export const filesBelow = (
  folder: OpenDirectory,
  openDirectory: DirectoryOpener,
  { after, limit }: { readonly after: ReadonlyArray<string>; readonly limit: number }
): Effect.Effect<ReadonlyArray<PathEntry>, SandboxRefused> => {
  const found: Array<PathEntry> = []
  const visit = (
    folder: OpenDirectory,
    names: ReadonlyArray<string>,
    after: ReadonlyArray<string>
  ): Effect.Effect<void, SandboxRefused> =>
    Effect.gen(function*() {
      const path = names.join("/")
      const [from = ""] = after
      for (const { name, spelled } of entriesOf(yield* attempt(path, () => readdir(folder.at("."))))) {
        if (found.length >= limit) return
        if (name < from || (name === from && after.length === 1 && !(yield* isFolder(folder, spelled)))) continue
        const below = [...names, name]
        const stats = yield* orMissing(attempt(path, () => lstat(folder.at(spelled))))
        if (stats?.isFile() === true) found.push({ ...entryOf(name, stats), path: below.join("/") })
        if (stats?.isDirectory() !== true || below.length >= maxDepth) continue
        yield* orMissing(Effect.scoped(
          Effect.flatMap(
            openDirectory(folder.at(spelled), path),
            (inner): Effect.Effect<void, SandboxRefused, Scope.Scope> =>
              visit(inner, below, name === from ? after.slice(1) : [])
          )
        ))
      }
    })
  return Effect.as(visit(folder, [], after), found)
}

const isFolder = (folder: OpenDirectory, name: string) =>
  Effect.map(orMissing(attempt(name, () => lstat(folder.at(name)))), (stats) => stats?.isDirectory() === true)

const orMissing = <A, R>(work: Effect.Effect<A, SandboxRefused, R>): Effect.Effect<A | null, never, R> =>
  Effect.catchAll(work, () => Effect.succeed(null))

/** With the names that a path has for them (NFC), by which they are ordered. */
const entriesOf = (names: ReadonlyArray<string>) =>
  names
    .flatMap((spelled) =>
      Either.match(fileNameOf(spelled), { onLeft: () => [], onRight: (name) => [{ name, spelled }] })
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1))
