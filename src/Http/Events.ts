import { HttpServerResponse } from "@effect/platform"
import { Effect, PubSub, Schedule, type Scope, Stream } from "effect"
import type { Shutdown } from "./Shutdown.ts"

const encoder = new TextEncoder()
const retry = encoder.encode("retry: 2000\n\n")
const heartbeat = encoder.encode(": still here\n\n")

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
    const slots = yield* Effect.forEach(Array.from({ length: interval }), () => PubSub.sliding<Uint8Array>(1))
    let second = 0
    const tick = Effect.suspend(() => {
      second = (second + 1) % interval
      const slot = slots[second]
      return slot === undefined ? Effect.void : PubSub.publish(slot, heartbeat)
    })
    yield* tick.pipe(Effect.delay("1 second"), Effect.repeat(Schedule.forever), Effect.forkScoped)
    const beats = Stream.suspend(() => {
      const slot = slots[second]
      return slot === undefined ? Stream.empty : Stream.fromPubSub(slot)
    })

    return {
      open: (response, callerOf) => {
        const { body } = response
        if (body._tag !== "Stream" || !body.contentType.startsWith(eventStream)) return response
        const caller = callerOf()
        if ((ofCaller.get(caller) ?? 0) >= options.maxPerCaller) return null
        // Counted once it is read: an answer that nobody reads any more is never ended either.
        const counted = Effect.acquireRelease(
          Effect.sync(() => count(caller, 1)),
          () => Effect.sync(() => count(caller, -1))
        )
        const frames = Stream.make(retry).pipe(
          Stream.concat(Stream.merge(body.stream, beats, { haltStrategy: "left" })),
          Stream.interruptWhen(options.shutdown.begun)
        )
        return HttpServerResponse.stream(
          Stream.unwrapScoped(Effect.as(counted, frames)),
          {
            status: response.status,
            headers: { ...response.headers, "cache-control": "no-store", "x-accel-buffering": "no" },
            contentType: eventStream
          }
        )
      }
    }
  })
