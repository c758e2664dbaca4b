import { HttpServerResponse } from "@effect/platform"
import { Schedule, Stream } from "effect"
import type { Shutdown } from "./Shutdown.ts"

const encoder = new TextEncoder()
const retry = encoder.encode("retry: 2000\n\n")
const heartbeat = encoder.encode(": still here\n\n")

const eventStream = "text/event-stream"

/**
 * What every stream of server-sent events needs on its way out: a time to reconnect after, a comment every 15 s so
 * that proxies keep it and a dead reader is noticed, no caching, no buffering, and an end when the server stops.
 * The reader resumes by `Last-Event-ID`. Other answers pass as they are.
 */
export const live = (
  response: HttpServerResponse.HttpServerResponse,
  shutdown: Shutdown["Type"]
): HttpServerResponse.HttpServerResponse => {
  const { body } = response
  if (body._tag !== "Stream" || !body.contentType.startsWith(eventStream)) return response
  const beats = Stream.as(Stream.fromSchedule(Schedule.spaced("15 seconds")), heartbeat)
  return HttpServerResponse.stream(
    Stream.make(retry).pipe(
      Stream.concat(Stream.merge(body.stream, beats, { haltStrategy: "left" })),
      Stream.interruptWhen(shutdown.begun)
    ),
    {
      status: response.status,
      headers: { ...response.headers, "cache-control": "no-store", "x-accel-buffering": "no" },
      contentType: eventStream
    }
  )
}
