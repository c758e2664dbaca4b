import { Effect, Either, Scope } from "effect"
import * as fs from "node:fs"
import { refusalOf, type SandboxRefused } from "./SandboxRefused.ts"

type Answer<A> = (error: NodeJS.ErrnoException | null, value: A) => void

/**
 * An open file or folder, by Node's plain functions: a file handle and its promises cost several times what they do.
 * It is closed once its scope has ended and nothing is under way any more. What the system does from memory (telling
 * of what was just opened, closing what was only read) is asked for at once: to hand it to another thread and back
 * costs ten times the work.
 */
export class Descriptor {
  readonly fd: number
  readonly #path: string
  #busy = 0
  #isDone = false
  #isWritten = false

  constructor(fd: number, path: string) {
    this.fd = fd
    this.#path = path
  }

  get status(): Effect.Effect<fs.Stats, SandboxRefused> {
    return Effect.catchAll(Effect.try(() => fs.fstatSync(this.fd)), ({ error }) => refusalOf(error, this.#path))
  }

  /** Reads at most `length` bytes from `position` on to the beginning of `into`, and tells how many there were. */
  read(into: Uint8Array, length: number, position: number): Effect.Effect<number, SandboxRefused> {
    return this.#ask((answer) => fs.read(this.fd, into, 0, length, position, answer))
  }

  /**
   * Adds the bytes to the end of the file, which has `size` bytes, and makes them survive a power cut. Where that
   * fails half-way, as on a disk that is full, what was added is taken off again.
   */
  append(bytes: Uint8Array, size: number): Effect.Effect<void, SandboxRefused> {
    this.#isWritten = true
    return this.#ask<void>((answer) => {
      let written = 0
      const undo = (error: NodeJS.ErrnoException) =>
        fs.fstat(this.fd, (unknown, stats) => {
          // Bytes that somebody else added meanwhile are not to be lost.
          if (unknown !== null || stats.size !== size + written) answer(error, undefined)
          else fs.ftruncate(this.fd, size, () => answer(error, undefined))
        })
      const sync = () => fs.fsync(this.fd, (error) => (error === null ? answer(null, undefined) : undo(error)))
      const write = () =>
        fs.write(this.fd, bytes, written, bytes.length - written, null, (error, count) => {
          written += count
          if (error !== null) undo(error)
          else if (written < bytes.length) write()
          else sync()
        })
      write()
    })
  }

  /** Makes what was written survive a power cut. */
  get sync(): Effect.Effect<void, SandboxRefused> {
    return this.#ask<void>((answer) => fs.fsync(this.fd, (error) => answer(error, undefined)))
  }

  close(): void {
    this.#isDone = true
    this.#closeIdle()
  }

  // An interrupted fiber goes on at once, but the number must not be given to another file while work on it is under way.
  #ask<A>(work: (answer: Answer<A>) => void): Effect.Effect<A, SandboxRefused> {
    return Effect.async((resume) => {
      this.#busy++
      work((error, value) => {
        this.#busy--
        this.#closeIdle()
        resume(error === null ? Effect.succeed(value) : refusalOf(error, this.#path))
      })
    })
  }

  #closeIdle(): void {
    if (!this.#isDone || this.#busy > 0) return
    if (this.#isWritten) fs.close(this.fd, ignored)
    else Either.try(() => fs.closeSync(this.fd))
  }
}

// Nothing can be done about it, and what had to be safe was synced.
const ignored = () => {}

/** Opens what is at `location` until the end of the scope; `path` is what a refusal names. */
export const open = (
  location: string,
  flags: number,
  path: string
): Effect.Effect<Descriptor, SandboxRefused, Scope.Scope> =>
  Effect.uninterruptible(
    Effect.flatMap(Effect.scope, (scope) =>
      Effect.flatMap(opened(location, flags, path), (descriptor) =>
        Effect.as(
          Scope.addFinalizer(
            scope,
            Effect.sync(() => descriptor.close())
          ),
          descriptor
        )))
  )

const opened = (location: string, flags: number, path: string): Effect.Effect<Descriptor, SandboxRefused> =>
  Effect.async((resume) => {
    fs.open(
      location,
      flags,
      0o644,
      (error, fd) => resume(error === null ? Effect.succeed(new Descriptor(fd, path)) : refusalOf(error, path))
    )
  })
