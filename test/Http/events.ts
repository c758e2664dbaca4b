import { Effect } from "effect"
import { idOf } from "./Fakes.ts"
import { connected } from "./RawHttp.ts"

export const log = {
  _tag: "log",
  id: "1.0",
  entry: {
    id: "1.0",
    timestamp: "2026-01-01T00:00:00.000Z",
    level: "info",
    event: "status",
    message: "two\nlines",
    data: null
  }
} as const

export const path = `/task/${idOf(1)}/events`

export const watched = (port: number, headers = "") =>
  Effect.tap(
    connected(port),
    ({ write }) => Effect.sync(() => write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`))
  )
