import { Effect, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import { constants, type Stats } from "node:fs"
import { chmod, type FileHandle, lstat, mkdir, open, readdir, rename, rm, unlink } from "node:fs/promises"
import { join } from "node:path"
import { onlyRegular, openFile } from "./OpenDirectory.ts"
import { namesOf, type Place, type UserFolder } from "./SandboxPath.ts"
import { attempt, SandboxRefused } from "./SandboxRefused.ts"

/** The file that a write would replace or extend: null when there is none, refused when it is no regular file. */
export const present = ({ folder, name }: Place, path: string): Effect.Effect<Stats | null, SandboxRefused> =>
  attempt(path, () => lstat(folder.at(name))).pipe(
    Effect.tap((stats) => onlyRegular(stats, path)),
    Effect.catchIf((refused) => refused.kind === "missing", () => Effect.succeed(null))
  )

/** A path for a temporary file beside the users' folders, where `removeStale` finds those of killed processes. */
export const temporaryPath = (root: string, path: string): Effect.Effect<string, SandboxRefused> => {
  const folder = join(root, temporaryFolder)
  return Effect.as(attempt(path, () => mkdir(folder, { recursive: true, mode: 0o700 })), join(folder, randomUUID()))
}

/** No user id begins with a dot; its files are renamed into users' folders, so it lies within the same file system. */
const temporaryFolder = ".uploads"

/** A file that nothing is written to for this time has lost its process, or its sender is too slow to be waited for. */
const staleMillis = 3_600_000

/** Deletes what killed processes have left. The upload of a file that is deleted while it arrives fails. */
export const removeStale = (root: string, now: number): Effect.Effect<void> => {
  const folder = join(root, temporaryFolder)
  return Effect.ignore(
    Effect.flatMap(attempt(folder, () => readdir(folder)), (names) => removeOld(folder, names, now - staleMillis))
  )
}

/** Writes a temporary file, syncs and renames it. A write that fails leaves nothing behind. */
export const replace = (
  root: string,
  place: Place,
  bytes: Uint8Array,
  path: string
): Effect.Effect<void, SandboxRefused> => {
  const { folder, name } = place
  return Effect.scoped(Effect.gen(function*() {
    const temporary = yield* temporaryPath(root, path)
    const handle = yield* temporaryFile(temporary, path)
    yield* folder.verify
    yield* attempt(path, () => handle.writeFile(bytes))
    yield* attempt(path, () => handle.sync())
    // Checked as late as possible; what is put there after it is itself replaced, never written through.
    const before = yield* present(place, path)
    if (before !== null) yield* attempt(path, () => handle.chmod(before.mode & 0o777))
    yield* attempt(path, () => rename(temporary, folder.at(name)))
    yield* folder.sync
  }))
}

/** A new file, deleted at the end of the scope unless it was renamed; `path` is what a refusal names. */
export const temporaryFile = (
  location: string,
  path: string,
  mode = 0o644
): Effect.Effect<FileHandle, SandboxRefused, Scope.Scope> =>
  Effect.acquireRelease(
    attempt(path, () => open(location, createNew, mode)),
    (handle) =>
      Effect.zipRight(Effect.promise(() => handle.close()), Effect.ignore(attempt(path, () => unlink(location))))
  )

const createNew = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

/**
 * Adds these bytes durably to the file's end, all of them or none; makes the file if `before` says that there is none. If
 * it fails half-way, the file is cut back, unless another process has added to it meanwhile.
 */
export const append = (
  { folder, name }: Place,
  bytes: Uint8Array,
  path: string,
  before: Stats | null
): Effect.Effect<void, SandboxRefused> =>
  Effect.gen(function*() {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND
    const { handle, stats } = yield* openFile(folder, name, flags, path)
    let written = 0
    const write = Effect.gen(function*() {
      while (written < bytes.length) {
        written += (yield* attempt(path, () => handle.write(bytes, written))).bytesWritten
      }
      yield* attempt(path, () => handle.sync())
    })
    const undo = Effect.tryPromise(() =>
      handle.stat().then(({ size }) => size === stats.size + written ? handle.truncate(stats.size) : undefined)
    )
    yield* Effect.tapErrorCause(write, () =>
      Effect.zipRight(Effect.ignore(undo), before === null ? removeEmpty(folder.at(name)) : Effect.void))
    yield* folder.sync
  }).pipe(Effect.scoped, Effect.uninterruptible)

const removeEmpty = (location: string): Effect.Effect<void> =>
  Effect.ignore(Effect.tryPromise(() => lstat(location).then(({ size }) => size === 0 ? unlink(location) : undefined)))

/** Deletes what the path names itself: a link in the last place is not followed. */
export const removeFile = (home: UserFolder, path: string): Effect.Effect<void, SandboxRefused, Scope.Scope> =>
  Effect.gen(function*() {
    const names = yield* namesOf(path)
    const name = names.at(-1)
    const isFolder = new SandboxRefused({ path, kind: "unsafe", reason: "it is a folder, not a file" })
    if (name === undefined) return yield* isFolder
    const folder = yield* home.open(yield* home.locate(names.slice(0, -1).join("/")), path)
    const siblings = yield* attempt(path, () => readdir(folder.at(".")))
    const spelled = siblings.includes(name) ? name : siblings.find((one) => one.normalize("NFC") === name) ?? name
    const stats = yield* attempt(path, () => lstat(folder.at(spelled)))
    if (stats.isDirectory()) return yield* isFolder
    yield* folder.verify
    yield* attempt(path, () => unlink(folder.at(spelled)))
    yield* folder.sync
  })

/** Deletes the files of a folder that were last changed before `before`; those that can't be deleted stay. */
export const removeOld = (folder: string, names: ReadonlyArray<string>, before: number): Effect.Effect<void> =>
  Effect.forEach(names, (name) => {
    const location = join(folder, name)
    return Effect.ignore(
      attempt(name, () => lstat(location).then(({ mtimeMs }) => mtimeMs < before ? unlink(location) : undefined))
    )
  }, { discard: true })

/** Deletes a folder with all that is in it; follows no link. */
export const removeFolder = (location: string): Effect.Effect<void> =>
  Effect.catchAll(removed(location), () => Effect.zipRight(opened(location), Effect.orDie(removed(location))))

const removed = (location: string) =>
  Effect.tryPromise(() => rm(location, { recursive: true, force: true, maxRetries: 3 }))

/** A script may have removed the permissions of its folders, so that nothing in them can be deleted. */
const opened = (location: string): Effect.Effect<void> =>
  Effect.tryPromise(() => chmod(location, 0o700)).pipe(
    Effect.zipRight(Effect.tryPromise(() => readdir(location, { withFileTypes: true }))),
    Effect.flatMap((entries) =>
      Effect.forEach(
        entries.filter((entry) => entry.isDirectory()),
        ({ name }) => opened(join(location, name)),
        { discard: true }
      )
    ),
    Effect.ignore
  )
