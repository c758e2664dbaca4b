import { Effect } from "effect"
import { constants, type Dirent, type Stats } from "node:fs"
import { type FileHandle, open, readdir } from "node:fs/promises"
import { basename } from "node:path"
import { noLinkNoWait } from "../../File/OpenDirectory.ts"
import { errorCode } from "../../Runtime/ErrorText.ts"
import { decodeText } from "../../Runtime/TextDecoding.ts"

/** A file of a library is part of a system prompt, so no more than a model can be asked to read. */
export const maxFileBytes = 128 * 1024

export interface FileVersion {
  /** Changes with the file. */
  readonly stamp: string
  /** Epoch milliseconds. */
  readonly updatedAt: number
  /** Null where the stamp is the known one: the file need not be read again. */
  readonly bytes: Uint8Array | null
}

/** A regular file, unless it is unchanged since it had the known stamp. Fails with the reason, in words. */
export const readUnlessSame = (path: string, known: string | undefined): Effect.Effect<FileVersion, string> =>
  withFile(path, (handle) =>
    Effect.gen(function*() {
      const stats = yield* attempt(path, () => handle.stat())
      if (!stats.isFile()) return yield* Effect.fail(notRegular(path))
      if (stats.size > maxFileBytes) return yield* Effect.fail(tooLarge)
      const stamp = `${basename(path)} ${stampOf(stats)}`
      return { stamp, updatedAt: stats.mtimeMs, bytes: stamp === known ? null : yield* read(path, handle) }
    }))

/** The text of a file of a library. */
export const sourceOf = (path: string): Effect.Effect<string, string> =>
  withFile(path, (handle) => Effect.map(read(path, handle), decodeText))

const withFile = <A>(path: string, use: (handle: FileHandle) => Effect.Effect<A, string>): Effect.Effect<A, string> =>
  Effect.acquireUseRelease(
    attempt(path, () => open(path, constants.O_RDONLY | noLinkNoWait)),
    use,
    (handle) => Effect.ignore(Effect.tryPromise(() => handle.close()))
  )

/** The entries of a folder that are not hidden, by name; none of a missing folder. */
export const entriesOf = (folder: string): Effect.Effect<ReadonlyArray<Dirent>, string> =>
  Effect.tryPromise(() => readdir(folder, { withFileTypes: true })).pipe(
    Effect.map((entries) =>
      entries.filter(({ name }) => !name.startsWith(".")).sort((one, other) => one.name < other.name ? -1 : 1)
    ),
    Effect.catchAll(({ error }) =>
      errorCode(error) === "ENOENT" ? Effect.succeed([]) : Effect.fail(failureReason(folder, error))
    )
  )

export const attempt = <A>(path: string, work: () => Promise<A>): Effect.Effect<A, string> =>
  Effect.mapError(Effect.tryPromise(work), ({ error }) => failureReason(path, error))

const notRegular = (path: string) => `${basename(path)} is not a regular file`
const tooLarge = `it is larger than ${maxFileBytes / 1024} KB`

export const isLink = "it is a link, and links are not followed"

/** A file that is renamed into place has another inode, so a change within one tick of the clock shows too. */
const stampOf = ({ ctimeMs, ino, mtimeMs, size }: Stats) => [ino, size, mtimeMs, ctimeMs].join(" ")

const read = (path: string, handle: FileHandle): Effect.Effect<Uint8Array, string> =>
  Effect.gen(function*() {
    const bytes = new Uint8Array(maxFileBytes + 1)
    let length = 0
    while (length < bytes.length) {
      const { bytesRead } = yield* attempt(path, () => handle.read(bytes, length, bytes.length - length, length))
      if (bytesRead === 0) break
      length += bytesRead
    }
    if (length > maxFileBytes) return yield* Effect.fail(tooLarge)
    return bytes.subarray(0, length)
  })

/** Why the file system refused something, in words. */
export const failureReason = (path: string, cause: unknown): string => {
  const code = errorCode(cause)
  return reasons[code]?.(path) ?? `the file system fails with ${code === "" ? "an unknown error" : code}`
}

const notPermitted = () => "the service has no permission for it"
const full = () => "the disk is full"

const reasons: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `there is no ${basename(path)}`,
  ENOTDIR: () => "a part of the path is not a folder",
  ELOOP: () => isLink,
  EISDIR: notRegular,
  ENXIO: notRegular,
  EACCES: notPermitted,
  EPERM: notPermitted,
  EROFS: () => "it is read-only",
  ENOSPC: full,
  EDQUOT: full
}
