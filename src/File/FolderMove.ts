import { Effect, type Scope } from "effect"
import { link, lstat, mkdir, readdir, rename, rmdir, unlink } from "node:fs/promises"
import { extname } from "node:path"
import type { DirectoryOpener, OpenDirectory } from "./OpenDirectory.ts"
import type { UserFolder } from "./SandboxPath.ts"
import { alreadyThere, attempt, type SandboxRefused } from "./SandboxRefused.ts"

/** Moves the files of a user to another one. What is added meanwhile stays. */
export const moveFiles = (
  from: UserFolder,
  to: UserFolder,
  openDirectory: DirectoryOpener
): Effect.Effect<void, SandboxRefused> =>
  Effect.gen(function*() {
    const source = yield* from.open([], ".")
    yield* moveEntries(source, yield* to.open(yield* to.locate("."), "."), openDirectory)
    yield* Effect.ignore(attempt(".", () => rmdir(from.location)))
  }).pipe(
    Effect.scoped,
    Effect.catchIf(({ kind }) => kind === "missing", () => Effect.void)
  )

/**
 * Moves all entries of a folder into another one of the same file system. Nothing is overwritten: an entry whose name is
 * taken gets a second one. A file has both names until the new one is durable, so a move that is interrupted loses
 * nothing, and may be repeated, also by several processes.
 */
const moveEntries = (
  from: OpenDirectory,
  to: OpenDirectory,
  openDirectory: DirectoryOpener
): Effect.Effect<void, SandboxRefused, Scope.Scope> =>
  Effect.gen(function*() {
    const linked: Array<string> = []
    for (const name of yield* attempt(".", () => readdir(from.at(".")))) {
      const source = from.at(name)
      const moved = Effect.gen(function*() {
        const isFolder = (yield* attempt(name, () => lstat(source))).isDirectory()
        if (!isFolder) {
          yield* firstFree(name, (free) => linkTo(source, to.at(free)))
          return void linked.push(source)
        }
        const free = yield* firstFree(name, (free) => makeFolder(to.at(free)))
        yield* Effect.scoped(Effect.gen(function*() {
          const inner = yield* openDirectory(source, name)
          yield* moveEntries(inner, yield* openDirectory(to.at(free), free), openDirectory)
        }))
        // A process that has not heard of the move may have added something, which the next move finds.
        yield* Effect.ignore(attempt(name, () => rmdir(source)))
      })
      // Deleted or moved meanwhile.
      yield* Effect.catchIf(moved, ({ kind }) => kind === "missing", () => Effect.void)
    }
    yield* to.sync
    yield* Effect.forEach(linked, (source) => Effect.ignore(attempt(".", () => unlink(source))), { discard: true })
    yield* from.sync
  })

const maxNames = 1_000

/** `plan.docx`, then `plan (2).docx` and so on, until the name can be used. */
const firstFree = (
  name: string,
  use: (name: string) => Effect.Effect<boolean, SandboxRefused>
): Effect.Effect<string, SandboxRefused> =>
  Effect.gen(function*() {
    for (let at = 1; at < maxNames; at++) {
      const free = at === 1 ? name : numbered(name, at)
      if (yield* use(free)) return free
    }
    return yield* Effect.dieMessage(`A file could not be moved: ${maxNames} names like its own are taken`)
  })

/** File systems allow 255 bytes. */
const numbered = (name: string, at: number): string => {
  const extension = Buffer.byteLength(extname(name)) < 20 ? extname(name) : ""
  const stem = name.slice(0, name.length - extension.length)
  return `${Buffer.byteLength(name) > 240 ? stem.slice(0, 50) : stem} (${at})${extension}`
}

const ifFree = (work: Effect.Effect<unknown, SandboxRefused>, otherwise: Effect.Effect<boolean, SandboxRefused>) =>
  Effect.catchIf(Effect.as(work, true), ({ reason }) => reason === alreadyThere, () => otherwise)

const makeFolder = (location: string) =>
  ifFree(
    attempt(location, () => mkdir(location, { mode: 0o700 })),
    attempt(location, () => lstat(location).then((stats) => stats.isDirectory()))
  )

/** True also where an earlier move has ended after the link. */
const linkTo = (source: string, target: string) =>
  ifFree(
    Effect.catchIf(
      attempt(target, () => link(source, target)),
      ({ kind }) => kind === "unavailable",
      () => renameTo(source, target)
    ),
    attempt(target, () =>
      Promise.all([lstat(source), lstat(target)]).then(([one, other]) =>
        one.ino === other.ino && one.dev === other.dev
      ))
  )

/** For a file system without hard links, or a file that the service may not link. */
const renameTo = (source: string, target: string) =>
  Effect.matchEffect(attempt(target, () => lstat(target)), {
    onFailure: () => attempt(target, () => rename(source, target)),
    onSuccess: () => attempt(target, () => mkdir(target))
  })
