import type { Dispatcher } from "@effect/platform-node/Undici"
import { Duration, Effect, Option } from "effect"

/** No answer is read beyond this. */
export const maxBodyBytes = 16 * 1024 * 1024

/** Unread bytes from which on the sender has to wait. */
const maxUnreadBytes = 256 * 1024

/** Why no complete answer came; `detail` is never a text of the other side. */
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

  /** `onFault` is told why no answer came, as long as nobody reads it. */
  constructor(timeoutMillis: number, onFault: (fault: Fault) => void) {
    this.notify = () => {
      if (typeof this.result === "object" && this.result !== null) onFault(this.result)
    }
    const timedOut = () => this.stop({ kind: "timedOut", detail: Duration.format(Duration.millis(timeoutMillis)) })
    this.timer = setTimeout(timedOut, timeoutMillis)
  }

  /** Connects the body to its exchange, which is stopped if it was aborted before. */
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

  /** Ends the exchange; what has not arrived by now is not wanted. */
  readonly abort = (): void => this.stop({ kind: "unreachable", detail: "" })

  private stop(fault: Fault): void {
    if (this.result !== null) return
    this.end(fault)
    this.controller?.abort(aborted)
  }

  /** The whole text. A short one is often complete together with the headers. */
  get text(): Effect.Effect<string, Fault> {
    return Effect.suspend(() => this.wholeText() ?? this.arrivingText)
  }

  private get arrivingText(): Effect.Effect<string, Fault> {
    return Effect.async((resume) => {
      const settle = () => {
        const text = this.wholeText()
        if (text !== null) resume(text)
      }
      this.isWanted = true
      this.notify = settle
      if (this.controller?.paused === true) this.controller.resume()
      settle()
      return Effect.sync(this.abort)
    })
  }

  private wholeText(): Effect.Effect<string, Fault> | null {
    if (this.result === null) return null
    return this.result === "complete"
      ? Effect.succeed(decoder.decode(Buffer.concat(this.chunks)))
      : Effect.fail(this.result)
  }

  /** What has arrived since the last time, or its end. */
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
      // Last: the sender may push more before this returns, and what one read has not taken is for the next.
      if (this.controller?.paused === true) this.controller.resume()
    })
  }
}

const noop = () => {}
const decoder = new TextDecoder()
const aborted = new Error("The answer is no longer wanted")
