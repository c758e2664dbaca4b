import { Effect, type Scope } from "effect"
import { constants, existsSync, type Stats } from "node:fs"
import { lstat, realpath } from "node:fs/promises"
import { join } from "node:path"
import { type Descriptor, open } from "./Descriptor.ts"
import { attempt, SandboxRefused } from "./SandboxRefused.ts"

/** An opened folder that is no link. `at` names an entry, however the path to the folder may change. */
export interface Folder {
  readonly at: (name: string) => string
  readonly verify: Effect.Effect<void, SandboxRefused>
  /** Makes renames in the folder survive a power cut. */
  readonly sync: Effect.Effect<void>
}

export type OpenFolder = (location: string, path: string) => Effect.Effect<Folder, SandboxRefused, Scope.Scope>

/** Names the content through the descriptor, so that a swapped parent changes nothing (as `openat`). Linux only. */
export const openHeld: OpenFolder = (location, path) =>
  Effect.map(
    open(location, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW, path),
    ({ fd, sync }) => ({
      at: (name) => `/proc/self/fd/${fd}/${name}`,
      verify: Effect.void,
      sync: Effect.ignore(sync)
    })
  )

/** Names the content through the folder's path, and checks after each opening that the path still has no link. */
export const openNamed: OpenFolder = (location, path) => {
  const verify = Effect.flatMap(
    attempt(path, () => realpath(location)),
    (real) => real === location ? Effect.void : changed(path)
  )
  return Effect.as(
    Effect.filterOrFail(attempt(path, () => lstat(location)), (found) => found.isDirectory(), () => changed(path)).pipe(
      Effect.zipRight(verify)
    ),
    { at: (name) => join(location, name), verify, sync: Effect.void }
  )
}

const changed = (path: string) => new SandboxRefused({ path, kind: "unsafe", reason: "a part of the path is a link" })

export const openFolder: OpenFolder = process.platform === "linux" && existsSync("/proc/self/fd")
  ? openHeld
  : openNamed

export interface OpenFile {
  readonly descriptor: Descriptor
  readonly stats: Stats
}

/** Opens a regular file of the folder and nothing else: no link of either kind, no pipe, no device. */
export const openFile = (
  folder: Folder,
  name: string,
  flags: number,
  path: string
): Effect.Effect<OpenFile, SandboxRefused, Scope.Scope> =>
  Effect.gen(function*() {
    yield* folder.verify
    const descriptor = yield* open(folder.at(name), flags | noLinkNoWait, path)
    const stats = yield* descriptor.status
    yield* onlyRegular(stats, path)
    yield* folder.verify
    return { descriptor, stats }
  })

/** Follows no link and does not wait for the other end of a pipe, which may never come; Windows has neither flag. */
export const noLinkNoWait = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** A second hard link could make a file of another folder appear here, so only files with one name count. */
export const onlyRegular = (stats: Stats, path: string): Effect.Effect<void, SandboxRefused> => {
  const refused = (reason: string) => new SandboxRefused({ path, kind: "unsafe", reason })
  if (stats.isDirectory()) return refused("it is a folder, not a file")
  if (stats.isSymbolicLink()) return refused("it is a link")
  if (!stats.isFile()) return refused("it is not a regular file")
  return stats.nlink > 1 ? refused("the file has more than one name (hard links)") : Effect.void
}
