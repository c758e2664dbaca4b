import { plural } from "@troupe/domain/Plural"
import { Effect, Runtime } from "effect"
import type { Server } from "node:http"

const logEveryMillis = 60_000

/** Limits the server to `max` connections; further ones are closed, which is logged once a minute. */
export const limitConnections = (server: Server, max: number): Effect.Effect<void> =>
  Effect.map(Effect.runtime<never>(), (runtime) => {
    let refused = 0
    let isQuiet = false
    const log = () => {
      if (refused === 0 || isQuiet) return
      const count = refused
      refused = 0
      isQuiet = true
      setTimeout(() => {
        isQuiet = false
        log()
      }, logEveryMillis).unref()
      Runtime.runFork(runtime)(
        Effect.logWarning(
          `Refused ${
            plural(count, "new connection")
          }: ${max} are open. Raise MAX_CONNECTIONS, or check which clients hold them.`
        )
      )
    }
    server.maxConnections = max
    server.on("drop", () => {
      refused += 1
      log()
    })
  })
