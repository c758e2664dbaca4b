import { fileNameOf } from "@troupe/domain/FileName"
import { Effect, Either, type Scope } from "effect"
import { lstat, readdir } from "node:fs/promises"
import type { Folder, OpenFolder } from "./Folder.ts"
import { entryOf, type Found } from "./Listing.ts"
import { maxDepth, temporaryPrefix } from "./SandboxPath.ts"
import { attempt, type SandboxRefused } from "./SandboxRefused.ts"

/**
 * Regular files below a folder by path, at most `limit` after `after`. Reads only folders on the way, and skips what no
 * path can name and what it can't read.
 */
export const filesBelow = (
  folder: Folder,
  openFolder: OpenFolder,
  { after, limit }: { readonly after: ReadonlyArray<string>; readonly limit: number }
): Effect.Effect<ReadonlyArray<Found>, SandboxRefused> => {
  const found: Array<Found> = []
  const visit = (
    folder: Folder,
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
            openFolder(folder.at(spelled), path),
            (inner): Effect.Effect<void, SandboxRefused, Scope.Scope> =>
              visit(inner, below, name === from ? after.slice(1) : [])
          )
        ))
      }
    })
  return Effect.as(visit(folder, [], after), found)
}

const isFolder = (folder: Folder, name: string) =>
  Effect.map(orMissing(attempt(name, () => lstat(folder.at(name)))), (stats) => stats?.isDirectory() === true)

const orMissing = <A, R>(work: Effect.Effect<A, SandboxRefused, R>): Effect.Effect<A | null, never, R> =>
  Effect.catchAll(work, () => Effect.succeed(null))

/** With the names that a path has for them (NFC), by which they are ordered. */
const entriesOf = (names: ReadonlyArray<string>) =>
  names
    .filter((name) => !name.startsWith(temporaryPrefix))
    .flatMap((spelled) =>
      Either.match(fileNameOf(spelled), { onLeft: () => [], onRight: (name) => [{ name, spelled }] })
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1))
