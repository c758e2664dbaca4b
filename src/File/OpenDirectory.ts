import { Effect, type Scope } from "effect"
import { constants, existsSync, type Stats } from "node:fs"
import { type FileHandle, lstat, open, realpath } from "node:fs/promises"
import { join } from "node:path"
import { attempt, SandboxRefused } from "./SandboxRefused.ts"

/** An opened folder that is no link. `at` names an entry, however the path to the folder may change. */
export interface OpenDirectory {
  readonly at: (name: string) => string
  readonly verify: Effect.Effect<void, SandboxRefused>
  /** Makes renames in the folder survive a power cut. */
  readonly sync: Effect.Effect<void>
}

export type DirectoryOpener = (
  location: string,
  path: string
) => Effect.Effect<OpenDirectory, SandboxRefused, Scope.Scope>

/** Names the content through the descriptor, so that a swapped parent changes nothing (as `openat`). Linux only. */
export const openHeld: DirectoryOpener = (location, path) =>
  Effect.map(
    opened(location, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW, path),
    (handle) => ({
      at: (name) => `/proc/self/fd/${handle.fd}/${name}`,
      verify: Effect.void,
      sync: Effect.ignore(attempt(path, () => handle.sync()))
    })
  )

/** Names the content through the folder's path, and checks after each opening that the path still has no link. */
export const openNamed: DirectoryOpener = (location, path) => {
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

export const openDirectory: DirectoryOpener = process.platform === "linux" && existsSync("/proc/self/fd")
  ? openHeld
  : openNamed

/** Its end waits for the operations on it that are under way, also of an interrupted fiber. */
const opened = (
  location: string,
  flags: number,
  path: string
): Effect.Effect<FileHandle, SandboxRefused, Scope.Scope> =>
  Effect.acquireRelease(
    attempt(path, () => open(location, flags, 0o644)),
    (handle) => Effect.ignore(attempt(path, () => handle.close()))
  )

export interface OpenFile {
  readonly handle: FileHandle
  readonly stats: Stats
  /** Fills `into` from `position` on, as far as it gets, and returns the number of bytes. */
  readonly read: (into: Uint8Array, position: number) => Effect.Effect<number, SandboxRefused>
}

/** Opens a regular file of the folder and nothing else: no link of either kind, no pipe, no device. */
export const openFile = (
  folder: OpenDirectory,
  name: string,
  flags: number,
  path: string
): Effect.Effect<OpenFile, SandboxRefused, Scope.Scope> =>
  Effect.gen(function*() {
    yield* folder.verify
    const handle = yield* opened(folder.at(name), flags | noLinkNoWait, path)
    const stats = yield* attempt(path, () => handle.stat())
    yield* onlyRegular(stats, path)
    yield* folder.verify
    const read = (into: Uint8Array, position: number) =>
      Effect.map(attempt(path, () => handle.read(into, 0, into.length, position)), ({ bytesRead }) => bytesRead)
    return { handle, stats, read }
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
