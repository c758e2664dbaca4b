import { Effect, Schedule, type Scope } from "effect"
import { get } from "node:http"
import { connect, createServer } from "node:net"
import { listening } from "./LocalServer.ts"

/** Whether `GET /health` of a port answers 200. */
const isReady = (port: number): Effect.Effect<boolean> =>
  Effect.async((resume) => {
    const request = get({ host: "127.0.0.1", port, path: "/health", agent: false }, (response) => {
      response.resume()
      resume(Effect.succeed(response.statusCode === 200))
    })
    request.on("error", () => resume(Effect.succeed(false)))
  })

/**
 * A TCP proxy that gives each new connection to the next process whose health check passes, ten times a second. Connections
 * stay with their process. Answers the proxy's port.
 */
export const makeBalancingProxy = (ports: ReadonlyArray<number>): Effect.Effect<number, never, Scope.Scope> =>
  Effect.gen(function*() {
    let ready: ReadonlyArray<number> = []
    let next = 0
    const check = Effect.map(
      Effect.filter(ports, isReady, { concurrency: ports.length }),
      (found) => void (ready = found)
    )
    yield* check
    yield* Effect.forkScoped(Effect.repeat(check, Schedule.spaced("100 millis")))
    const server = createServer({ allowHalfOpen: true }, (client) => {
      const port = ready[next++ % ready.length]
      if (port === undefined) return void client.destroy()
      const upstream = connect({ port, host: "127.0.0.1", allowHalfOpen: true })
      client.on("error", () => upstream.destroy())
      upstream.on("error", () => client.resetAndDestroy())
      client.pipe(upstream).pipe(client)
    })
    return yield* listening(server)
  })
