import type { TaskEvent } from "@troupe/api/TaskEvent"
import { Effect, type Scope, Stream } from "effect"
import { WebSocket } from "ws"
import { type Fakes, makeFakes } from "./Fakes.ts"

export const call = (tag: string, payload: unknown = {}, id = "1") =>
  JSON.stringify({ _tag: "Request", id, tag, payload, headers: [] })

interface Client {
  readonly send: (text: string) => void
  readonly received: ReadonlyArray<string>
  /** Waits until the messages received satisfy this. */
  readonly until: (done: (received: string) => boolean) => Effect.Effect<string>
  readonly closed: Effect.Effect<{ readonly code: number; readonly reason: string }>
  readonly socket: WebSocket
}

/** A WebSocket client; fails with the status of a handshake that is refused. */
export const connected = (
  port: number,
  options: {
    readonly protocols?: ReadonlyArray<string>
    readonly headers?: Record<string, string>
    readonly autoPong?: boolean
  } = {}
): Effect.Effect<Client, number, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<Client, number>((resume) => {
      const { autoPong = true, headers = {}, protocols = [] } = options
      const socket = new WebSocket(`ws://127.0.0.1:${port}/rpc`, [...protocols], { headers, autoPong })
      const received: Array<string> = []
      const watchers = new Set<() => void>()
      const closed = new Promise<{ code: number; reason: string }>((resolve) =>
        socket.on("close", (code, reason) => resolve({ code, reason: reason.toString() }))
      )
      socket.on("message", (data) => {
        received.push(String(data))
        watchers.forEach((look) => look())
      })
      socket.on("unexpected-response", (_, response) => resume(Effect.fail(response.statusCode ?? 0)))
      socket.on("error", () => {})
      socket.on("open", () =>
        resume(Effect.succeed({
          socket,
          received,
          send: (text) => socket.send(text),
          closed: Effect.promise(() => closed),
          until: (done) =>
            Effect.async<string>((resume) => {
              const look = () => {
                if (!done(received.join(""))) return
                watchers.delete(look)
                resume(Effect.succeed(received.join("")))
              }
              watchers.add(look)
              look()
            }).pipe(Effect.timeout("15 seconds"), Effect.orDie)
        })))
    }),
    ({ socket }) => Effect.sync(() => socket.terminate())
  )

export const event: TaskEvent = { _tag: "text", delta: "x" }

export const endless = (): Fakes => {
  const fakes = makeFakes()
  fakes.events = () => Stream.concat(Stream.make(event), Stream.never)
  return fakes
}
