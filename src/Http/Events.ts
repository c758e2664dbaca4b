import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Schedule, type Scope, Stream } from "effect"
import type { RuntimeFiber } from "effect/Fiber"
import type { ServerResponse } from "node:http"
import type { Shutdown } from "./Shutdown.ts"

const encoder = new TextEncoder()
const retry = encoder.encode("retry: 2000\n\n")
const heartbeat = encoder.encode(": still here\n\n")

const eventStream = "text/event-stream"

/** Seconds between two comments on a stream. */
const interval = 15

/** The connection of a stream. Comments are written to it between events, which the platform writes whole. */
export type EventConnection = Pick<ServerResponse, "writable" | "writableNeedDrain" | "write">

/** A stream with a reader, and the fiber that writes its events. */
interface OpenStream {
  readonly connection: EventConnection
  readonly fiber: RuntimeFiber<unknown, unknown>
}

/** The streams of server-sent events of this process. */
export interface EventStreams {
  /**
   * Adds what an event stream needs: a reconnection time, a comment every 15 s so that proxies keep it open and a lost
   * reader is noticed, no caching, no buffering, and an end when the server stops. The reader resumes by
   * `Last-Event-ID`. Other answers are unchanged. Null: the caller has reached its limit of open streams.
   */
  readonly open: (
    response: HttpServerResponse.HttpServerResponse,
    caller: () => string,
    connection: () => EventConnection
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

    // One timer for all streams. Each second it handles those that were opened in that second of the interval.
    const slots = Array.from({ length: interval }, () => new Set<OpenStream>())
    let second = 0
    const slot = () => slots[second] ?? new Set<OpenStream>()
    const tick = Effect.sync(() => {
      second = (second + 1) % interval
      for (const { connection } of slot()) {
        // A reader with unread events needs no comment.
        if (connection.writable && !connection.writableNeedDrain) connection.write(heartbeat)
      }
    })
    yield* tick.pipe(Effect.delay("1 second"), Effect.repeat(Schedule.forever), Effect.forkScoped)

    let hasEnded = false
    yield* options.shutdown.begun.pipe(
      Effect.andThen(() => {
        hasEnded = true
        for (const { fiber } of slots.flatMap((opened) => [...opened])) fiber.unsafeInterruptAsFork(fiber.id())
      }),
      Effect.forkScoped
    )

    // Comments are written to the connection directly: a queue and its fiber would take 40 kB a stream.
    const register = (caller: string, connection: EventConnection) =>
      Effect.withFiberRuntime<void, never, Scope.Scope>((fiber) => {
        const opened = slot()
        const stream = { connection, fiber }
        return Effect.acquireRelease(
          Effect.sync(() => {
            count(caller, 1)
            opened.add(stream)
            connection.write(retry)
          }),
          () =>
            Effect.sync(() => {
              count(caller, -1)
              opened.delete(stream)
            })
        )
      })

    return {
      open: (response, callerOf, connectionOf) => {
        const { body } = response
        if (body._tag !== "Stream" || !body.contentType.startsWith(eventStream)) return response
        const caller = callerOf()
        if ((ofCaller.get(caller) ?? 0) >= options.maxPerCaller) return null
        // Counted when reading begins: the finalizer of a stream that is never read would not run.
        const events = Effect.map(register(caller, connectionOf()), () => hasEnded ? Stream.empty : body.stream)
        return HttpServerResponse.stream(Stream.unwrapScoped(events), {
          status: response.status,
          headers: { ...response.headers, "cache-control": "no-store", "x-accel-buffering": "no" },
          contentType: eventStream
        })
      }
    }
  })
