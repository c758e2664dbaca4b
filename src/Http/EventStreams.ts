import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { ProblemError } from "@troupe/api/Problem"
import { Effect, Schedule, type Scope, Stream } from "effect"
import type { RuntimeFiber } from "effect/Fiber"
import type { ServerResponse } from "node:http"
import { type ConcurrencyLimit, makeConcurrencyLimit } from "../Runtime/ConcurrencyLimit.ts"
import type { Shutdown } from "./NodeServer.ts"

export type StreamLimit = ConcurrencyLimit<string>

/** Counts the streams that each caller has open. */
export const makeStreamLimit = (maxPerCaller: number): StreamLimit =>
  makeConcurrencyLimit(
    maxPerCaller,
    ProblemError.of(
      "too-many-streams",
      `The caller has ${maxPerCaller} open event streams. Close one, or raise MAX_EVENT_STREAMS_PER_CALLER.`
    )
  )

const encoder = new TextEncoder()
const retry = encoder.encode("retry: 2000\n\n")

const eventStream = "text/event-stream"
const callStream = "application/ndjson"

/** What keeps an idle stream open, by the type of its content: a comment, or a message that clients ignore. */
const heartbeats = {
  [eventStream]: encoder.encode(": still here\n\n"),
  [callStream]: encoder.encode("{\"_tag\":\"Pong\"}\n")
}

const interval = 15

/** The connection of a stream. Comments are written to it between events, which the platform writes whole. */
export type EventConnection = Pick<ServerResponse, "writable" | "writableNeedDrain" | "write">

/** A stream with a reader, and the fiber that writes its events: null for remote calls, which end with an answer. */
interface OpenStream {
  readonly connection: EventConnection
  readonly heartbeat: Uint8Array
  readonly fiber: RuntimeFiber<unknown, unknown> | null
}

export type EventStreams = Effect.Effect.Success<ReturnType<typeof makeEventStreams>>

export const makeEventStreams = (options: { readonly limit: StreamLimit; readonly shutdown: Shutdown["Type"] }) =>
  Effect.gen(function*() {
    // One timer for all streams. Each second it handles those that were opened in that second of the interval.
    const slots = Array.from({ length: interval }, () => new Set<OpenStream>())
    let second = 0
    const slot = () => slots[second] ?? new Set<OpenStream>()
    const tick = Effect.sync(() => {
      second = (second + 1) % interval
      for (const { connection, heartbeat } of slot()) {
        // A reader with unread events needs no comment.
        if (connection.writable && !connection.writableNeedDrain) connection.write(heartbeat)
      }
    })
    yield* tick.pipe(Effect.delay("1 second"), Effect.repeat(Schedule.forever), Effect.forkScoped)

    let hasEnded = false
    yield* options.shutdown.begun.pipe(
      Effect.andThen(() => {
        hasEnded = true
        for (const { fiber } of slots.flatMap((opened) => [...opened])) fiber?.unsafeInterruptAsFork(fiber.id())
      }),
      Effect.forkScoped
    )

    // Comments are written to the connection directly: a queue and its fiber would take 40 kB a stream.
    const register = (stream: OpenStream): Effect.Effect<void, never, Scope.Scope> => {
      const opened = slot()
      return Effect.asVoid(Effect.acquireRelease(
        Effect.sync(() => opened.add(stream)),
        () => Effect.sync(() => opened.delete(stream))
      ))
    }

    const events = (caller: string, connection: EventConnection) =>
      Effect.withFiberRuntime<void, never, Scope.Scope>((fiber) => {
        const registered = register({ connection, heartbeat: heartbeats[eventStream], fiber })
        return Effect.andThen(
          Effect.zipRight(options.limit.add(caller), registered),
          () => void connection.write(retry)
        )
      })

    return {
      /**
       * Adds to an event stream a reconnection time, a comment every 15 s that keeps proxies open, and an end at a
       * shutdown; keeps the responses of remote calls open. Null: the caller has reached its limit of open streams.
       */
      open: (
        response: HttpServerResponse.HttpServerResponse,
        caller: string,
        connection: EventConnection
      ): HttpServerResponse.HttpServerResponse | null => {
        const { body } = response
        if (body._tag !== "Stream") return response
        const isCall = body.contentType.startsWith(callStream)
        if (!isCall && !body.contentType.startsWith(eventStream)) return response
        if (!isCall && options.limit.isReached(caller)) return null
        // Counted when reading begins: the finalizer of a stream that is never read would not run.
        const opened = Effect.suspend(() =>
          isCall
            ? register({ connection, heartbeat: heartbeats[callStream], fiber: null })
            : events(caller, connection)
        )
        const stream = Effect.map(opened, () => !isCall && hasEnded ? Stream.empty : body.stream)
        return HttpServerResponse.stream(Stream.unwrapScoped(stream), {
          status: response.status,
          headers: { ...response.headers, "cache-control": "no-store", "x-accel-buffering": "no" },
          contentType: isCall ? callStream : eventStream
        })
      }
    }
  })
