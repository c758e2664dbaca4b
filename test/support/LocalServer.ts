import { Effect, type Scope } from "effect"
import { createServer, type RequestListener } from "node:http"
import { connect, type Server, type Socket } from "node:net"

/** Listens on 127.0.0.1 until the scope closes, which ends all connections; answers the port. */
export const listening = (server: Server, port = 0): Effect.Effect<number, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<{ readonly port: number; readonly sockets: ReadonlySet<Socket> }>((resume) => {
      const sockets = new Set<Socket>()
      server.on("connection", (socket) => {
        sockets.add(socket)
        socket.once("close", () => sockets.delete(socket))
      })
      server.listen(port, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed({ port: typeof address === "object" ? address?.port ?? 0 : 0, sockets }))
      })
    }),
    ({ sockets }) =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        for (const socket of sockets) socket.destroy()
      })
  ).pipe(Effect.map(({ port }) => port))

/** Whether somebody listens on this port of 127.0.0.1. */
export const isListening = (port: number): Effect.Effect<boolean> =>
  Effect.async((resume) => {
    const socket = connect(port, "127.0.0.1")
    const end = (answer: boolean) => () => {
      socket.destroy()
      resume(Effect.succeed(answer))
    }
    socket.on("connect", end(true)).on("error", end(false))
  })

/** The address of an HTTP server that answers so until the scope closes. */
export const serve = (answer: RequestListener): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(listening(createServer(answer)), (port) => `http://127.0.0.1:${port}`)
