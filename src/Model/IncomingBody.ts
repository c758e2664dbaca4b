import type { Dispatcher } from "@effect/platform-node/Undici"
import { Duration, Effect, Option } from "effect"

export const maxBodyBytes = 16 * 1024 * 1024

/** The sender is paused while more bytes than this are unread. */
const maxUnreadBytes = 256 * 1024

/** Why no complete answer came; `detail` never contains text of the provider. */
export interface Fault {
  readonly kind: "eventTooLong" | "timedOut" | "tooLong" | "unreachable"
  readonly detail: string
}

/** The body of an answer while it arrives, until its end, the time-out, the size limit or `abort`. */
export class IncomingBody {
  private readonly timer: NodeJS.Timeout
  private controller: Dispatcher.DispatchController | null = null
  private chunks: Array<Uint8Array> = []
  private bytes = 0
  private unreadBytes = 0
  private isWanted = false
  private result: "complete" | Fault | null = null
  private notify: () => void

  /** `onFault` is called for a fault that occurs before the body is read. */
  constructor(timeoutMillis: number, onFault: (fault: Fault) => void) {
    this.notify = () => {
      if (typeof this.result === "object" && this.result !== null) onFault(this.result)
    }
    const timedOut = () => this.stop({ kind: "timedOut", detail: Duration.format(Duration.millis(timeoutMillis)) })
    this.timer = setTimeout(timedOut, timeoutMillis)
  }

  attach(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    if (this.result !== null) controller.abort(aborted)
  }

  push(chunk: Uint8Array): void {
    if (this.result !== null) return
    this.bytes += chunk.byteLength
    if (this.bytes > maxBodyBytes) return this.stop({ kind: "tooLong", detail: `${maxBodyBytes >> 20} MiB` })
    this.chunks.push(chunk)
    this.unreadBytes += chunk.byteLength
    if (!this.isWanted && this.unreadBytes > maxUnreadBytes) this.controller?.pause()
    this.notify()
  }

  end(result: "complete" | Fault): void {
    if (this.result !== null) return
    clearTimeout(this.timer)
    this.result = result
    this.notify()
  }

  readonly abort = (): void => this.stop({ kind: "unreachable", detail: "" })

  private stop(fault: Fault): void {
    if (this.result !== null) return
    this.end(fault)
    this.controller?.abort(aborted)
  }

  /** The whole body as text. */
  text<E>(failure: (fault: Fault) => E): Effect.Effect<string, E> {
    return this.wholeText(failure) ?? this.arrivingText(failure)
  }

  private arrivingText<E>(failure: (fault: Fault) => E): Effect.Effect<string, E> {
    return Effect.async((resume) => {
      const settle = () => {
        const text = this.wholeText(failure)
        if (text !== null) resume(text)
      }
      this.isWanted = true
      this.notify = settle
      if (this.controller?.paused === true) this.controller.resume()
      settle()
      return Effect.sync(this.abort)
    })
  }

  private wholeText<E>(failure: (fault: Fault) => E): Effect.Effect<string, E> | null {
    if (this.result === null) return null
    return this.result === "complete"
      ? Effect.succeed(decoder.decode(Buffer.concat(this.chunks)))
      : Effect.fail(failure(this.result))
  }

  /** What has arrived since the last call, or the end. */
  get read(): Effect.Effect<ReadonlyArray<Uint8Array>, Option.Option<Fault>> {
    return Effect.async((resume) => {
      const settle = () => {
        if (this.chunks.length > 0) {
          const { chunks } = this
          this.chunks = []
          this.unreadBytes = 0
          this.notify = noop
          resume(Effect.succeed(chunks))
        } else if (this.result === "complete") resume(Effect.fail(Option.none()))
        else if (this.result !== null) resume(Effect.fail(Option.some(this.result)))
      }
      this.notify = settle
      settle()
      // Last, because `resume` may push more data before it returns, which is for the next read.
      if (this.controller?.paused === true) this.controller.resume()
    })
  }
}

const noop = () => {}
const decoder = new TextDecoder()
const aborted = new Error("The answer is no longer wanted")
