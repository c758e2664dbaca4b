import { Effect, Fiber, type Scope, Stream } from "effect"
import { randomUUID } from "node:crypto"
import { createReadStream, createWriteStream } from "node:fs"
import { link, lstat, rename, stat, unlink } from "node:fs/promises"
import type { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { pipeline } from "node:stream/promises"
import { createGunzip, createGzip } from "node:zlib"
import { type Entry, extract as makeExtract, type Headers, pack as makePack } from "tar-stream"
import { attempt, type BackupFailed, backupFailure, failed } from "./BackupFailed.ts"

/** Writes the entries of an archive one after the other. */
export interface ArchiveWriter {
  readonly add: (header: Headers, content: string | Buffer) => Effect.Effect<void, BackupFailed>
  /** Adds a file of exactly `header.size` bytes. */
  readonly addStream: (header: Headers, content: Readable) => Effect.Effect<void, BackupFailed>
  /** Gives the archive its name once everything is on disk, and returns its size. */
  readonly finish: Effect.Effect<number, BackupFailed>
}

/** Level 1 takes less than half the time of the default level, for archives a fifth larger. */
const level = 1

/** A new archive; only its owner can read it. It has its name when it is complete, and nothing is left if it fails. */
export const createArchive = (file: string): Effect.Effect<ArchiveWriter, BackupFailed, Scope.Scope> =>
  Effect.gen(function*() {
    const taken = failed(`${file} exists already. Name another file, or remove it.`)
    if (yield* Effect.promise(() => lstat(file).then(() => true, () => false))) return yield* taken
    const temporary = `${file}.${randomUUID()}.part`
    const writing = backupFailure(`Writing ${file}`, file)
    yield* Effect.addFinalizer(() => Effect.promise(() => unlink(temporary).catch(() => {})))
    const pack = yield* Effect.acquireRelease(
      Effect.sync(() => makePack()),
      (pack) => Effect.sync(() => pack.destroy())
    )
    const written = yield* Effect.forkScoped(Effect.tryPromise({
      try: () =>
        pipeline(pack, createGzip({ level }), createWriteStream(temporary, { flags: "wx", mode: 0o600, flush: true })),
      catch: writing
    }))
    /** An entry that fails ends the archive, or the end of the archive is why it failed. */
    const entry = <A>(work: Effect.Effect<A, BackupFailed>) =>
      Effect.catchAll(work, (error) => Effect.zipRight(Fiber.join(written), error))
    return {
      add: (header, content) =>
        entry(
          attempt(`Adding ${header.name}`, () =>
            new Promise<void>((resolve, reject) =>
              void pack.entry(header, typeof content === "string" ? Buffer.from(content) : content, (error) =>
                error === undefined || error === null ? resolve() : reject(error))
            ))
        ),
      addStream: (header, content) =>
        entry(attempt(`Adding ${header.name}`, () => pipeline(content, pack.entry(header)))),
      finish: Effect.gen(function*() {
        pack.finalize()
        yield* Fiber.join(written)
        yield* Effect.tryPromise({
          try: () =>
            link(temporary, file).catch((cause: NodeJS.ErrnoException) =>
              // Not every file system has links.
              cause.code === "EEXIST" ? Promise.reject(cause) : rename(temporary, file)
            ),
          catch: (cause) =>
            cause instanceof Error && "code" in cause && cause.code === "EEXIST" ? taken : writing(cause)
        })
        return (yield* attempt(`Reading ${file}`, () => stat(file))).size
      })
    }
  })

/** Longest manifest or summary. */
const maxTextBytes = 16 * 1024 * 1024

/**
 * Gives each entry to `use`, which consumes its content. Succeeds once the checksum of the whole archive is verified.
 */
export const readArchive = <R>(
  file: string,
  use: (entry: Entry) => Effect.Effect<void, BackupFailed, R>
): Effect.Effect<void, BackupFailed, R> =>
  Effect.gen(function*() {
    const reading = backupFailure(`Reading ${file}`, file)
    const extract = yield* Effect.acquireRelease(
      Effect.sync(() => makeExtract()),
      (extract) => Effect.sync(() => extract.destroy())
    )
    const source = yield* Effect.fork(Effect.tryPromise({
      try: () => pipeline(createReadStream(file), createGunzip(), extract),
      catch: reading
    }))
    yield* Stream.runForEach(Stream.fromAsyncIterable(extract, reading), use)
    yield* Fiber.join(source)
  }).pipe(Effect.scoped)

/** The whole content of a small entry. */
export const entryText = (entry: Entry): Effect.Effect<string, BackupFailed> =>
  (entry.header.size ?? 0) > maxTextBytes
    ? failed(`The entry ${entry.header.name} of the archive is too long.`)
    : attempt(`Reading ${entry.header.name}`, () => text(entry))
