import { Cause, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { constants, type Stats } from "node:fs"
import { lstat, open, rename, unlink } from "node:fs/promises"
import { onlyRegular, openFile } from "./Folder.ts"
import type { Place } from "./Home.ts"
import { temporaryPrefix } from "./SandboxPath.ts"
import { attempt, type SandboxRefused } from "./SandboxRefused.ts"

/** The file that a write would replace or extend: null when there is none, refused when it is no regular file. */
export const present = ({ folder, name }: Place, path: string): Effect.Effect<Stats | null, SandboxRefused> =>
  attempt(path, () => lstat(folder.at(name))).pipe(
    Effect.tap((stats) => onlyRegular(stats, path)),
    Effect.catchIf((refused) => refused.kind === "missing", () => Effect.succeed(null))
  )

/** Writes a temporary file, syncs and renames it. A write that fails leaves nothing behind. */
export const replace = (place: Place, bytes: Uint8Array, path: string): Effect.Effect<void, SandboxRefused> => {
  const { folder, name } = place
  const temporary = folder.at(`${temporaryPrefix}${randomUUID()}`)
  return Effect.acquireUseRelease(
    attempt(path, () => open(temporary, createNew, 0o644)),
    (handle) =>
      Effect.gen(function*() {
        yield* folder.verify
        yield* attempt(path, () => handle.writeFile(bytes))
        yield* attempt(path, () => handle.sync())
        // Checked as late as possible; what is put there after it is itself replaced, never written through.
        const before = yield* present(place, path)
        if (before !== null) yield* attempt(path, () => handle.chmod(before.mode & 0o777))
        yield* attempt(path, () => rename(temporary, folder.at(name)))
        yield* folder.sync
      }),
    (handle) =>
      Effect.zipRight(Effect.promise(() => handle.close()), Effect.ignore(attempt(path, () => unlink(temporary))))
  )
}

export const createNew = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

/** Adds these bytes to the file's end, all of them or none; makes the file if `before` says that there is none. */
export const append = (
  { folder, name }: Place,
  bytes: Uint8Array,
  path: string,
  before: Stats | null
): Effect.Effect<void, SandboxRefused> =>
  Effect.scoped(Effect.gen(function*() {
    const { descriptor, stats } = yield* openFile(
      folder,
      name,
      constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND,
      path
    )
    yield* descriptor.append(bytes, stats.size).pipe(
      Effect.tapErrorCause((cause) =>
        // An interrupted write may still be under way.
        Effect.when(removeEmpty(folder.at(name)), () => before === null && !Cause.isInterrupted(cause))
      )
    )
    yield* folder.sync
  }))

const removeEmpty = (location: string): Effect.Effect<void> =>
  Effect.ignore(Effect.tryPromise(() => lstat(location).then(({ size }) => size === 0 ? unlink(location) : undefined)))
