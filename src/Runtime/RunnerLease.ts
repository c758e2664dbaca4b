import { Context, Effect, Layer, Redacted, Schedule, Schema, type Scope } from "effect"
import { Client } from "pg"
import { DatabaseUrl } from "./DatabaseUrl.ts"
import type { Settings } from "./Settings.ts"

/** Another live process has this runner's address; tasks would be stolen back and forth between the two. */
export class RunnerAddressTaken extends Schema.TaggedError<RunnerAddressTaken>()("RunnerAddressTaken", {
  address: Schema.String
}) {
  override get message() {
    return `Another worker on this database already has the address ${this.address}. Give each its own: RUNNER_HOST to `
      + "the address under which the other workers reach this machine, and RUNNER_PORT to a port that is free there."
  }
}

/** How long a start waits for a process of the same address that is just ending. */
const patience = "10 seconds"

/**
 * The right to be the runner of an address, which is all that the cluster knows a worker by. It is a lock on a session
 * of the database, so it ends with the process, and two processes never have it at once. After an outage the session is
 * taken up again; should somebody else have the address then, that is logged until one of the two is stopped.
 */
export class RunnerLease
  extends Context.Tag("troupe/Runtime/RunnerLease")<RunnerLease, { readonly address: string }>()
{
  static readonly layer = (
    { host, port }: Settings["Type"]["cluster"]
  ): Layer.Layer<RunnerLease, RunnerAddressTaken, DatabaseUrl> =>
    Layer.scoped(
      this,
      Effect.gen(function*() {
        const address = `${host}:${port}`
        const url = yield* DatabaseUrl
        const hold = yield* lease(url, address).pipe(
          Effect.retry(Schedule.spaced("500 millis").pipe(Schedule.upTo(patience))),
          Effect.mapError(() => new RunnerAddressTaken({ address }))
        )
        const again = Effect.scoped(Effect.flatMap(lease(url, address), (lost) => lost)).pipe(
          Effect.tapError((why) =>
            why === "taken" ? Effect.logError(new RunnerAddressTaken({ address }).message) : Effect.void
          ),
          Effect.ignore,
          Effect.repeat(Schedule.spaced("2 seconds"))
        )
        yield* Effect.forkScoped(Effect.zipRight(hold, again))
        return RunnerLease.of({ address })
      })
    )
}

/** Takes the lock on a session of its own, and answers what returns once that session is lost. */
const lease = (
  url: Redacted.Redacted,
  address: string
): Effect.Effect<Effect.Effect<void>, "taken" | "unreachable", Scope.Scope> =>
  Effect.gen(function*() {
    const client = yield* session(url)
    const taken = yield* Effect.tryPromise({
      try: () =>
        client.query<{ readonly ok: boolean }>(
          "select pg_try_advisory_lock(hashtext('troupe runner'), hashtext($1)) ok",
          [
            address
          ]
        ),
      catch: () => "unreachable" as const
    })
    if (taken.rows[0]?.ok !== true) return yield* Effect.fail("taken" as const)
    return Effect.async<void>((resume) => {
      client.once("end", () => resume(Effect.void))
    })
  })

const session = (url: Redacted.Redacted) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () => {
        const client = new Client({
          connectionString: Redacted.value(url),
          application_name: "troupe-runner",
          connectionTimeoutMillis: 5_000,
          keepAlive: true,
          // A machine that went without a word must not hold its address for hours.
          options: "-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3"
        })
        client.on("error", () => {})
        return client.connect().then(() => client)
      },
      catch: () => "unreachable" as const
    }),
    (client) => Effect.ignore(Effect.timeout(Effect.interruptible(Effect.promise(() => client.end())), "1 second"))
  )
