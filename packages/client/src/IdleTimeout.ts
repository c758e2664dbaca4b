import { ConnectionFailed, TroupeError } from "./TroupeError.ts"

/** The time that an attempt may pass without data of its response. */
export interface IdleTimeout {
  readonly signal: AbortSignal
  readonly watch: (response: Response) => Response
  readonly failure: (cause: unknown) => unknown
  readonly clear: () => void
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
