import { Effect, Stream } from "effect"
import { type Fakes, idOf, makeFakes } from "./Fakes.ts"
import { connected, post } from "./RawHttp.ts"
import { started } from "./TestServer.ts"

const entry = {
  id: "1.0",
  timestamp: "2026-01-01T00:00:00.000Z",
  level: "info",
  event: "status",
  message: "two\nlines",
  data: null
} as const

export const log = { _tag: "log", id: "1.0", entry } as const

export const path = `/task/${idOf(1)}/events`

/** A server with a task that has these events. */
export const serving = (events: Fakes["events"], settings: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function*() {
    const fakes = makeFakes()
    fakes.events = events
    const port = yield* started(fakes, settings)
    yield* post(port, "/chat", { message: "a" })
    return { fakes, port }
  })

export const watched = (port: number) =>
  Effect.tap(
    connected(port),
    ({ write }) => Effect.sync(() => write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`))
  )

export const endless = () => Stream.concat(Stream.make(log), Stream.never)
