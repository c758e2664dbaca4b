import { Effect, Either, type Scope } from "effect"
import * as fs from "node:fs"
import { refusalOf, type SandboxRefused } from "./SandboxRefused.ts"

type Answer<A> = (error: NodeJS.ErrnoException | null, value: A) => void

/**
 * An open file or folder, closed after its scope and the last operation. Node's callbacks cost a fraction of promises.
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

  /** Fills `into` from `position` on, as far as it gets, and returns the number of bytes. */
  read(into: Uint8Array, position: number): Effect.Effect<number, SandboxRefused> {
    return this.#ask((answer) => fs.read(this.fd, into, 0, into.length, position, answer))
  }

  /** Adds the bytes to the end of the file, durably. If that fails half-way, the file is cut back to `size` bytes. */
  append(bytes: Uint8Array, size: number): Effect.Effect<void, SandboxRefused> {
    this.#isWritten = true
    return this.#ask<void>((answer) => {
      let written = 0
      const undo = (error: NodeJS.ErrnoException) =>
        fs.fstat(this.fd, (unknown, stats) => {
          // Bytes that another process appended meanwhile must not be lost.
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

  get sync(): Effect.Effect<void, SandboxRefused> {
    return this.#ask<void>((answer) => fs.fsync(this.fd, (error) => answer(error, undefined)))
  }

  close(): void {
    this.#isDone = true
    this.#closeIdle()
  }

  // An interrupted fiber continues at once, but the descriptor must stay open while an operation on it is under way.
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

const ignored = () => {}

/** Opens what is at `location` until the end of the scope; `path` is what a refusal names. */
export const open = (
  location: string,
  flags: number,
  path: string
): Effect.Effect<Descriptor, SandboxRefused, Scope.Scope> =>
  Effect.acquireRelease(opened(location, flags, path), (descriptor) => Effect.sync(() => descriptor.close()))

const opened = (location: string, flags: number, path: string): Effect.Effect<Descriptor, SandboxRefused> =>
  Effect.async((resume) => {
    fs.open(
      location,
      flags,
      0o644,
      (error, fd) => resume(error === null ? Effect.succeed(new Descriptor(fd, path)) : refusalOf(error, path))
    )
  })
