import type { UserId } from "@troupe/domain/Ids"
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import { constants } from "node:fs"
import { lstat, mkdir, realpath } from "node:fs/promises"
import { join } from "node:path"
import { removeAdded } from "./AddedFiles.ts"
import { blockBytes, diskUsage, growthOf } from "./DiskUsage.ts"
import { append, present, removeFile, removeFolder, removeStale, replace } from "./FileChanges.ts"
import { bytesOf, linesOf } from "./FileContent.ts"
import { moveFiles } from "./FolderMove.ts"
import { type IncomingFile, receive } from "./IncomingFile.ts"
import type { LineWindow } from "./LineWindow.ts"
import { entryOf, filesBelow, listFolder, type Listing, type PathEntry } from "./Listing.ts"
import { type DirectoryOpener, onlyRegular, openDirectory, type OpenFile, openFile } from "./OpenDirectory.ts"
import { makeQuota } from "./Quota.ts"
import { makeOwn, Reservations } from "./Reservations.ts"
import { makeUserFolder, namesOf, type RealNames } from "./SandboxPath.ts"
import { attempt, SandboxRefused } from "./SandboxRefused.ts"

export const maxWriteBytes = 10 * 1_024 * 1_024
export const maxEntries = 1_000
/** Maximum number of files and folders of a user, however small: it limits inodes, and the time that measuring takes. */
const maxFiles = 100_000

export interface StorageUsage {
  readonly usedBytes: number
  readonly limitBytes: number
  /** Infinite when a folder could not be read, so that nothing is hidden in one. */
  readonly usedFiles: number
  readonly limitFiles: number
}

export const quotaText = ({ limitBytes, limitFiles }: Pick<StorageUsage, "limitBytes" | "limitFiles">): string =>
  `the user may keep ${limitBytes} bytes, counted in blocks of ${blockBytes} bytes for each file and folder, and at most `
  + `${limitFiles} files and folders, all of them readable and with paths of ordinary length`

export interface SandboxOptions {
  readonly root: string
  /** Maximum bytes of a user, in whole blocks; by default neither bytes nor files are limited. */
  readonly quotaBytes?: number
  readonly maxFiles?: number
  readonly openDirectory?: DirectoryOpener
}

/** The users' files. Paths are relative to the user's folder, and nothing outside of it is read, written or shown. */
export class Sandbox extends Context.Tag("troupe/File/Sandbox")<Sandbox, {
  readonly list: (userId: UserId, path: string) => Effect.Effect<Listing, SandboxRefused>
  /** Lines of a text file, all by default, up to `maxBytes` (at most and by default 10 MiB). */
  readonly read: (userId: UserId, path: string, options?: {
    readonly offset?: number
    readonly limit?: number
    readonly maxBytes?: number
  }) => Effect.Effect<LineWindow & { readonly size: number }, SandboxRefused>
  readonly readBytes: (userId: UserId, path: string, options?: {
    readonly maxBytes?: number
  }) => Effect.Effect<Uint8Array, SandboxRefused>
  /** Replaces the file atomically, or adds to its end; creates it and its folders where they are missing. */
  readonly write: (userId: UserId, path: string, content: string | Uint8Array, options?: {
    readonly append?: boolean
  }) => Effect.Effect<PathEntry, SandboxRefused>
  /** A file of any size up to `maxBytes`, which arrives in chunks. */
  readonly receive: (maxBytes: number) => Effect.Effect<IncomingFile, SandboxRefused, Scope.Scope>
  /** Opens a file for reading until the scope ends. */
  readonly open: (userId: UserId, path: string) => Effect.Effect<OpenFile, SandboxRefused, Scope.Scope>
  /** The files in all folders, by path, at most `limit` after the path `after`. */
  readonly files: (userId: UserId, page: {
    readonly after: string
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<PathEntry>, SandboxRefused>
  /** Deletes a file, or a link itself. */
  readonly remove: (userId: UserId, path: string) => Effect.Effect<void, SandboxRefused>
  /** Of a regular file, as `read` would open it. */
  readonly stat: (userId: UserId, path: string) => Effect.Effect<PathEntry, SandboxRefused>
  /** The real path of the user's folder, created if missing: for a program that is confined to it. */
  readonly folder: (userId: UserId) => Effect.Effect<string, SandboxRefused>
  readonly usage: (userId: UserId) => Effect.Effect<StorageUsage>
  /**
   * Deletes what was added or changed since then (epoch milliseconds), new and large files first, until the user's files
   * fit again. Returns how many were deleted.
   */
  readonly removeExcess: (userId: UserId, since: number) => Effect.Effect<number>
  /** Moves all files of one user to another, with a second name where theirs is taken. May be repeated. */
  readonly moveAll: (from: UserId, to: UserId) => Effect.Effect<void, SandboxRefused>
  /** Deletes all files of the user. A file that is added meanwhile may stay. */
  readonly clear: (userId: UserId) => Effect.Effect<void>
  /** Deletes unfinished files, of uploads and writes, that did not grow for an hour. */
  readonly removeUnfinished: Effect.Effect<void>
}>() {
  static readonly layer = (options: SandboxOptions): Layer.Layer<Sandbox> => Layer.effect(this, make(options))
}

const make = (options: SandboxOptions): Effect.Effect<Sandbox["Type"]> =>
  Effect.gen(function*() {
    const limitFiles = options.quotaBytes === undefined ? Infinity : options.maxFiles ?? maxFiles
    const limit = {
      /** May change while the service runs. */
      get bytes() {
        return options.quotaBytes ?? Infinity
      },
      files: limitFiles
    }
    yield* Effect.promise(() => mkdir(options.root, { recursive: true }))
    const root = yield* Effect.promise(() => realpath(options.root))
    const quota = makeQuota(
      limit,
      (userId) => diskUsage(join(root, userId), limitFiles),
      (yield* Reservations) ?? makeOwn()
    )
    const openOne = options.openDirectory ?? openDirectory
    const folderOf = (userId: UserId) => makeUserFolder(root, userId, openOne)
    const limits = () => quotaText({ limitBytes: limit.bytes, limitFiles })
    const removeUnfinished = Effect.flatMap(Clock.currentTimeMillis, (now) => removeStale(root, now))
    yield* removeUnfinished

    const openToRead = (userId: UserId, path: string) => {
      const home = folderOf(userId)
      const openAt = (names: RealNames) =>
        Effect.flatMap(
          home.open(names.slice(0, -1), path),
          (folder) => openFile(folder, names.at(-1) ?? ".", constants.O_RDONLY, path)
        )
      // No link is followed, so the names of a file that opens are its real ones; else the path is resolved first.
      return Effect.catchIf(
        Effect.flatMap(namesOf(path), openAt),
        ({ kind }) => kind === "missing" || kind === "unsafe",
        () => Effect.flatMap(home.locate(path), openAt)
      )
    }

    const list = Effect.fnUntraced(function*(userId: UserId, path: string) {
      const home = folderOf(userId)
      const folder = yield* home.open(yield* home.locate(path), path)
      return yield* listFolder(folder, path, maxEntries)
    }, Effect.scoped)

    const stat = Effect.fnUntraced(function*(userId: UserId, path: string) {
      const home = folderOf(userId)
      const names = yield* home.locate(path)
      const folder = yield* home.open(names.slice(0, -1), path)
      const stats = yield* attempt(path, () => lstat(folder.at(names.at(-1) ?? ".")))
      // A link may lead to a name that no path may have.
      yield* namesOf(names.join("/"))
      yield* onlyRegular(stats, path)
      return found(names, stats)
    }, Effect.scoped)

    const read: Sandbox["Type"]["read"] = (userId, path, window) =>
      Effect.scoped(Effect.flatMap(openToRead(userId, path), (file) => linesOf(file, window)))

    const readBytes: Sandbox["Type"]["readBytes"] = (userId, path, limits) =>
      Effect.scoped(Effect.flatMap(openToRead(userId, path), (file) => bytesOf(file, path, limits)))

    const write: Sandbox["Type"]["write"] = Effect.fnUntraced(function*(userId, path, content, how = {}) {
      const bytes = typeof content === "string" ? Buffer.from(content) : content
      if (bytes.length > maxWriteBytes) {
        return yield* refused(
          path,
          "size",
          `${bytes.length} bytes are too many; write at most ${maxWriteBytes} at once`
        )
      }
      const place = yield* folderOf(userId).place(path)
      const before = yield* present(place, path)
      const size = bytes.length + (how.append === true ? before?.size ?? 0 : 0)
      const usage = growthOf(size, before)
      const reservation = yield* quota.reserve(userId)
      if (!(yield* reservation.resize(usage))) {
        return yield* refused(path, "quota", `it does not fit: ${limits()}`)
      }
      yield* (how.append === true ? append(place, bytes, path, before) : replace(root, place, bytes, path))
      yield* reservation.settle(usage)
      return found(place.names, yield* attempt(path, () => lstat(place.folder.at(place.name))))
    }, Effect.scoped)

    const files: Sandbox["Type"]["files"] = Effect.fnUntraced(
      function*(userId, { after, limit }) {
        const folder = yield* folderOf(userId).open([], ".")
        return yield* filesBelow(folder, openOne, { after: after.split("/").filter((name) => name !== ""), limit })
      },
      Effect.scoped,
      Effect.catchIf(({ kind }) => kind === "missing", () => Effect.succeed([]))
    )

    const removeExcess = Effect.fnUntraced(function*(userId: UserId, since: number) {
      const { bytes, files } = yield* diskUsage(join(root, userId))
      const excess = { bytes: bytes - limit.bytes, files: files - limitFiles }
      return excess.bytes <= 0 && excess.files <= 0 ? 0 : yield* removeAdded(folderOf(userId), since, excess)
    })

    return Sandbox.of({
      removeExcess,
      moveAll: (from, to) => Effect.zipRight(moveFiles(folderOf(from), folderOf(to), openOne), quota.forget(from)),
      clear: (userId) => Effect.zipRight(removeFolder(join(root, userId)), quota.forget(userId)),
      removeUnfinished,
      list,
      receive: (maxBytes) => receive({ root, quota, folderOf, limitBytes: limit.bytes, limits: limits() }, maxBytes),
      open: openToRead,
      files,
      remove: (userId, path) => Effect.scoped(removeFile(folderOf(userId), path)),
      read,
      readBytes,
      write,
      stat,
      folder: (userId) => {
        const home = folderOf(userId)
        return Effect.as(
          Effect.scoped(Effect.flatMap(home.locate("."), (names) => home.open(names, "."))),
          home.location
        )
      },
      usage: (userId) =>
        Effect.map(
          quota.used(userId),
          ({ bytes, files }) => ({ usedBytes: bytes, limitBytes: limit.bytes, usedFiles: files, limitFiles })
        )
    })
  })

const refused = (path: string, kind: SandboxRefused["kind"], reason: string) =>
  new SandboxRefused({ path, kind, reason })

const found = (names: RealNames, stats: Parameters<typeof entryOf>[1]): PathEntry => ({
  ...entryOf(names.at(-1) ?? ".", stats),
  path: names.join("/")
})
