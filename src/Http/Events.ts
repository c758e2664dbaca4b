import { HttpServerResponse } from "@effect/platform"
import { Effect, Queue, Schedule, type Scope, Stream, Take } from "effect"
import type { Shutdown } from "./Shutdown.ts"

const encoder = new TextEncoder()
const retry = encoder.encode("retry: 2000\n\n")
const heartbeat = Take.of(encoder.encode(": still here\n\n"))

type Frames = Take.Take<Uint8Array, unknown>

/** Pieces of a stream that wait for its reader; then the stream is held back. */
const maxFrames = 4

const eventStream = "text/event-stream"

/** Seconds between two comments on a stream. */
const interval = 15

/** The streams of server-sent events of this process. */
export interface EventStreams {
  /**
   * Adds what a stream needs on its way out: a time to reconnect after, a comment every 15 s so that proxies keep it and
   * a dead reader is noticed, no caching, no buffering, and an end when the server stops. The reader resumes by
   * `Last-Event-ID`. Other answers pass as they are. Null: the caller has as many open streams as it may.
   */
  readonly open: (
    response: HttpServerResponse.HttpServerResponse,
    caller: () => string
  ) => HttpServerResponse.HttpServerResponse | null
}

export const makeEventStreams = (options: {
  readonly maxPerCaller: number
  readonly shutdown: Shutdown["Type"]
}): Effect.Effect<EventStreams, never, Scope.Scope> =>
  Effect.gen(function*() {
    const ofCaller = new Map<string, number>()
    const count = (caller: string, added: number) => {
      const streams = (ofCaller.get(caller) ?? 0) + added
      if (streams === 0) ofCaller.delete(caller)
      else ofCaller.set(caller, streams)
    }

    // One ticker for all streams. Each second it reaches those that were opened in that second of the interval.
    const slots = Array.from({ length: interval }, () => new Set<Queue.Queue<Frames>>())
    let second = 0
    const slot = () => slots[second] ?? new Set<Queue.Queue<Frames>>()
    const tick = Effect.sync(() => {
      second = (second + 1) % interval
      // A full queue has no need of it: the reader is behind.
      for (const frames of slot()) frames.unsafeOffer(heartbeat)
    })
    yield* tick.pipe(Effect.delay("1 second"), Effect.repeat(Schedule.forever), Effect.forkScoped)

    let hasEnded = false
    yield* options.shutdown.begun.pipe(
      Effect.zipRight(Effect.suspend(() => {
        hasEnded = true
        return Effect.forEach(slots.flatMap((opened) => [...opened]), Queue.shutdown, { discard: true })
      })),
      Effect.forkScoped
    )

    // A queue that the ticker offers to, and not `Stream.merge`, which forks a fiber for each element.
    const withHeartbeats = (caller: string, body: Stream.Stream<Uint8Array, unknown>) =>
      Effect.gen(function*() {
        const frames = yield* Queue.bounded<Frames>(maxFrames)
        const opened = slot()
        yield* Effect.acquireRelease(
          Effect.sync(() => {
            count(caller, 1)
            opened.add(frames)
          }),
          () =>
            Effect.sync(() => {
              count(caller, -1)
              opened.delete(frames)
            })
        )
        if (hasEnded) return Stream.empty
        yield* Effect.forkScoped(Stream.runIntoQueue(body, frames))
        return Stream.concat(Stream.make(retry), Stream.flattenTake(Stream.fromQueue(frames, { maxChunkSize: 1 })))
      })

    return {
      open: (response, callerOf) => {
        const { body } = response
        if (body._tag !== "Stream" || !body.contentType.startsWith(eventStream)) return response
        const caller = callerOf()
        if ((ofCaller.get(caller) ?? 0) >= options.maxPerCaller) return null
        // Counted once it is read: an answer that nobody reads any more is never ended either.
        return HttpServerResponse.stream(
          Stream.unwrapScoped(withHeartbeats(caller, body.stream)),
          {
            status: response.status,
            headers: { ...response.headers, "cache-control": "no-store", "x-accel-buffering": "no" },
            contentType: eventStream
          }
        )
      }
    }
  })
