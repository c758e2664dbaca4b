import { ConnectionFailed, TroupeError } from "./TroupeError.ts"

/** The time that one attempt of a request may pass without a piece of its answer. */
export interface IdleTimeout {
  /** Aborts with the caller's signal, or after the time. */
  readonly signal: AbortSignal
  /** The same answer; each piece of its body starts the time again. */
  readonly watch: (response: Response) => Response
  /** What a failed attempt fails with: the caller's reason, what the service refused, or no connection. */
  readonly failure: (cause: unknown) => unknown
  readonly clear: () => void
  /** Ends the attempt. */
  readonly abort: () => void
}

/** A longer timer fires at once. */
const maxTimer = 2 ** 31 - 1

export const makeIdleTimeout = (millis: number, caller: AbortSignal | undefined): IdleTimeout => {
  const controller = new AbortController()
  const end = () => controller.abort(new DOMException(`nothing arrived for ${millis / 1000} s`, "TimeoutError"))
  const begin = () => setTimeout(end, Math.min(millis, maxTimer))
  let timer = begin()
  const clear = () => clearTimeout(timer)
  const restart = () => {
    clear()
    timer = begin()
  }
  const watched = (): TransformStream<Uint8Array, Uint8Array> =>
    new TransformStream({
      transform: (piece, output) => {
        restart()
        output.enqueue(piece)
      }
    })
  return {
    signal: caller === undefined ? controller.signal : AbortSignal.any([caller, controller.signal]),
    watch: (response) => {
      restart()
      return response.body === null ? response : new Response(response.body.pipeThrough(watched()), response)
    },
    failure: (cause) =>
      caller?.aborted === true ? caller.reason : cause instanceof TroupeError ? cause : new ConnectionFailed(cause),
    clear,
    abort: () => {
      clear()
      controller.abort()
    }
  }
}
