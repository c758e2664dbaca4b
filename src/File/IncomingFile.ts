import type { UserId } from "@troupe/domain/Ids"
import { Effect, type Scope } from "effect"
import type { Stats } from "node:fs"
import { lstat, rename } from "node:fs/promises"
import { join } from "node:path"
import { bufferDropped } from "../Runtime/Process/GarbageCollection.ts"
import { growthOf } from "./DiskUsage.ts"
import { present, temporaryFile, temporaryPath } from "./FileChanges.ts"
import { entryOf, type PathEntry } from "./Listing.ts"
import { onlyRegular } from "./OpenDirectory.ts"
import type { Quota, QuotaReservation } from "./Quota.ts"
import type { UserFolder } from "./SandboxPath.ts"
import { attempt, SandboxRefused } from "./SandboxRefused.ts"

/** A file that arrives in chunks. Nobody sees it before `commit`, and without that nothing of it stays. */
export interface IncomingFile {
  /** The user's file that it becomes. From here on it counts against the quota of that user. */
  readonly assign: (userId: UserId, name: string) => Effect.Effect<void, SandboxRefused, Scope.Scope>
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, SandboxRefused>
  /** Puts it in place of the user's file of that name, whole and durably. */
  readonly commit: Effect.Effect<Committed, SandboxRefused, Scope.Scope>
}

export interface Committed {
  readonly file: PathEntry
  /** All that the user has, and may have. */
  readonly usedBytes: number
  readonly limitBytes: number
}

const bufferBytes = 256 * 1_024

/** Reserved beyond the chunks that have arrived. */
const aheadBytes = 1_024 * 1_024

export interface IncomingOptions {
  readonly root: string
  readonly quota: Quota
  readonly folderOf: (userId: UserId) => UserFolder
  readonly limitBytes: number
  /** What a refusal for lack of space says. */
  readonly limits: string
}

interface Assignment {
  readonly home: UserFolder
  readonly userId: UserId
  readonly name: string
  readonly reservation: QuotaReservation
  /** The file that it replaces, as far as is known before the end. */
  readonly before: Stats | null
}

/** A new incoming file of at most `maxBytes`; it ends with the scope. */
export const receive = (
  { folderOf, limitBytes, limits, quota, root }: IncomingOptions,
  maxBytes: number
): Effect.Effect<IncomingFile, SandboxRefused, Scope.Scope> =>
  Effect.gen(function*() {
    const temporary = yield* temporaryPath(root, root)
    const handle = yield* temporaryFile(temporary, root)
    // Buffers that node writes in the background survive collections of the young generation, so one is used again.
    const buffer = Buffer.allocUnsafeSlow(bufferBytes)
    let filled = 0
    let size = 0
    let assignment: Assignment | null = null

    const noSpace = (name: string) => new SandboxRefused({ path: name, kind: "quota", reason: limits })

    const assign = Effect.fnUntraced(function*(userId: UserId, name: string) {
      if (assignment?.userId === userId && assignment.name === name) return
      if (assignment !== null) yield* assignment.reservation.resize({ bytes: 0, files: 0 })
      const before = yield* Effect.orElseSucceed(attempt(name, () => lstat(join(root, userId, name))), () => null)
      const reservation = yield* quota.reserve(userId)
      assignment = { home: folderOf(userId), userId, name, reservation, before }
      if (!(yield* reservation.resize(growthOf(size, before)))) return yield* noSpace(name)
    })

    const flush = (path: string) =>
      Effect.map(attempt(path, () => handle.writeFile(buffer.subarray(0, filled))), () => {
        filled = 0
      })

    const write = Effect.fnUntraced(function*(bytes: Uint8Array) {
      size += bytes.length
      const path = assignment?.name ?? ""
      if (size > maxBytes) {
        return yield* new SandboxRefused({ path, kind: "size", reason: `it is larger than ${maxBytes} bytes` })
      }
      if (assignment !== null) {
        const { before, reservation } = assignment
        if (!(yield* reservation.resize(growthOf(size, before), aheadBytes))) return yield* noSpace(path)
      }
      for (let at = 0; at < bytes.length;) {
        const chunk = bytes.subarray(at, at + buffer.length - filled)
        buffer.set(chunk, filled)
        filled += chunk.length
        at += chunk.length
        if (filled === buffer.length) yield* flush(path)
      }
      bufferDropped(bytes.length)
    })

    const commit = Effect.gen(function*() {
      if (assignment === null) return yield* Effect.dieMessage("An incoming file was committed before it was assigned")
      const { home, name, reservation } = assignment
      yield* flush(name)
      yield* attempt(name, () => handle.sync())
      const place = yield* home.place(name)
      const before = yield* present(place, name)
      const usage = growthOf(size, before)
      if (!(yield* reservation.resize(usage))) return yield* noSpace(name)
      if (before !== null) yield* attempt(name, () => handle.chmod(before.mode & 0o777))
      yield* place.folder.verify
      yield* attempt(name, () => rename(temporary, place.folder.at(place.name)))
      yield* place.folder.sync
      const usedBytes = yield* reservation.settle(usage)
      const stats = yield* attempt(name, () => handle.stat())
      yield* onlyRegular(stats, name)
      return { file: { ...entryOf(place.name, stats), path: place.names.join("/") }, usedBytes, limitBytes }
    }).pipe(Effect.uninterruptible)

    return { assign, write, commit }
  })
