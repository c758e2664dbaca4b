import { Array as Arr, Chunk, Effect, Option, Stream } from "effect"
import { createParser } from "eventsource-parser"
import { yieldToEventLoop } from "../Runtime/Process/EventLoop.ts"
import type { Fault } from "./IncomingBody.ts"

/** Characters of one event. The longest that providers send repeats a whole answer. */
export const maxEventLength = 4 * 1024 * 1024

/** Our parser looks ahead to the end of its input for each line where lines end in CR. */
const pieceLength = 16 * 1024

/** Maximum of events in a frame: the parser of `@effect/experimental` scans the whole frame for each line. */
const maxFrameEvents = 32

const tooLong: Fault = { kind: "eventTooLong", detail: `${maxEventLength >> 20} MiB` }

/**
 * Server-sent events as frames of a few events, one line each, in linear time. Only their data is kept.
 * An event over `maxEventLength` is a fault.
 */
export const eventFrames = (
  read: Effect.Effect<Iterable<Uint8Array>, Option.Option<Fault>>
): Stream.Stream<Uint8Array, Fault> =>
  Stream.suspend(() => {
    const decoder = new TextDecoder()
    const encoder = new TextEncoder()
    let events: Array<string> = []
    let frames: Array<string> = []
    let isTooLong = false
    let isComplete = false
    const parser = createParser({
      maxBufferSize: maxEventLength,
      onEvent: ({ data }) => void events.push(eventLine(data)),
      onError: ({ type }) => {
        isTooLong ||= type === "max-buffer-size-exceeded"
      }
    })
    const feed = (text: string) => {
      for (let at = 0; at < text.length; at += pieceLength) {
        if (isTooLong) break
        parser.feed(text.slice(at, at + pieceLength))
      }
      frames = Arr.chunksOf(events, maxFrameEvents).map((some) => some.join("")).toReversed()
      events = []
    }
    const fill = Effect.matchEffect(read, {
      onSuccess: (chunks) =>
        Effect.sync(() =>
          feed(Arr.fromIterable(chunks).map((bytes) => decoder.decode(bytes, { stream: true })).join(""))
        ),
      onFailure: (end) =>
        Option.isSome(end) ? Effect.fail(end) : Effect.sync(() => {
          isComplete = true
          // The blank lines dispatch a last event that the server did not end properly.
          feed(`${decoder.decode()}\n\n`)
        })
    })
    const next: Effect.Effect<Chunk.Chunk<Uint8Array>, Option.Option<Fault>> = Effect.suspend(() => {
      const frame = frames.pop()
      if (frame !== undefined) {
        const bytes = Effect.succeed(Chunk.of(encoder.encode(frame)))
        return frames.length > 0 ? Effect.zipRight(yieldToEventLoop, bytes) : bytes
      }
      if (isTooLong) return Effect.fail(Option.some(tooLong))
      return isComplete ? Effect.fail(Option.none()) : Effect.zipRight(fill, next)
    })
    return Stream.repeatEffectChunkOption(next)
  })

export const eventLine = (data: string): string => `data: ${data.replaceAll("\n", " ")}\n\n`
