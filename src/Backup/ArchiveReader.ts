import { Effect, Fiber, Stream } from "effect"
import { createReadStream } from "node:fs"
import { text } from "node:stream/consumers"
import { pipeline } from "node:stream/promises"
import { createGunzip } from "node:zlib"
import { type Entry, extract as makeExtract } from "tar-stream"
import { attempt, type BackupFailed, backupFailure, failed } from "./BackupFailed.ts"

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
