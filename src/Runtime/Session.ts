import { Effect, Redacted, type Scope } from "effect"
import { Client } from "pg"

/** A database connection of its own, outside of all pools, until the scope ends. */
export const openSession = (options: {
  readonly url: Redacted.Redacted
  readonly applicationName: string
  readonly options?: string
}): Effect.Effect<Client, "unreachable", Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () => {
        const client = new Client({
          connectionString: Redacted.value(options.url),
          application_name: options.applicationName,
          connectionTimeoutMillis: 5_000,
          keepAlive: true,
          ...(options.options === undefined ? {} : { options: options.options })
        })
        client.on("error", () => {})
        return client.connect().then(() => client)
      },
      catch: () => "unreachable" as const
    }),
    (client) => Effect.promise(() => client.end()).pipe(Effect.interruptible, Effect.timeout("1 second"), Effect.ignore)
  )
