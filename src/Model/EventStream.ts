import { Array, Effect } from "effect"
import { createParser } from "eventsource-parser"

/** An event may have this many characters. The longest that providers send repeats a whole answer. */
export const maxEventLength = 4 * 1024 * 1024

/** The parser looks ahead to the end of what it is given, for each line where lines end in CR. */
const pieceLength = 16 * 1024

/** Events that are taken in at once. */
const burst = 250

/**
 * Reads server-sent events in time linear in their length, however they are cut and however many come at once. `feed`
 * takes in the next piece of the stream and hands on the data of the events that are complete with it, some at a time,
 * so that other work of the process goes on between them. An event of more than `maxEventLength` characters ends the
 * reading with `tooLong`.
 */
export const makeEventReader = <E>(
  take: (events: Array.NonEmptyReadonlyArray<string>) => Effect.Effect<void, E>,
  tooLong: E
): { readonly feed: (text: string) => Effect.Effect<void, E> } => {
  let events: Array<string> = []
  let isTooLong = false
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent: ({ data }) => void events.push(data),
    onError: ({ type }) => {
      isTooLong ||= type === "max-buffer-size-exceeded"
    }
  })
  return {
    feed: (text) =>
      Effect.suspend(() => {
        for (let at = 0; at < text.length; at += pieceLength) {
          if (isTooLong) break
          parser.feed(text.slice(at, at + pieceLength))
        }
        const bursts = Array.chunksOf(events, burst)
        events = []
        const taken = Effect.forEach(
          bursts,
          (complete, index) => index === 0 ? take(complete) : Effect.zipRight(breath, take(complete)),
          { discard: true }
        )
        return isTooLong ? Effect.zipRight(taken, Effect.fail(tooLong)) : taken
      })
  }
}

/** A fiber that yields goes on before sockets and timers do; this one goes on behind them. */
const breath = Effect.async<void>((resume) => {
  const turn = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(turn))
})
