import { Effect, Layer, Schedule, Schema, type Scope } from "effect"
import { openSession } from "../Database/Connections.ts"
import { type DatabaseUrl, ThroughPooler } from "../Database/DatabaseUrl.ts"

/** Another live process has this runner's address; tasks would be stolen back and forth between the two. */
export class RunnerAddressTaken extends Schema.TaggedError<RunnerAddressTaken>()("RunnerAddressTaken", {
  address: Schema.String
}) {
  override get message() {
    return `Another worker on this database already has the address ${this.address}. Give each its own: RUNNER_HOST to `
      + "the address under which the other workers reach this machine, and RUNNER_PORT to a port that is free there."
  }
}

const notChecked =
  "Two workers with the same RUNNER_HOST and RUNNER_PORT are not detected, because the database is reached "
  + "through a connection pooler. Set DATABASE_DIRECT_URL to the address of the server itself."

const takeoverTimeout = "10 seconds"

/**
 * A session lock on the runner address, which identifies the worker. It ends with the process; after an outage it is
 * taken again.
 */
export const layer = (
  { host, port }: { readonly host: string; readonly port: number }
): Layer.Layer<never, RunnerAddressTaken, DatabaseUrl> =>
  Layer.scopedDiscard(Effect.gen(function*() {
    // The lock would stay with a session of the pooler, and outlive this process.
    if (yield* ThroughPooler) return yield* Effect.logWarning(notChecked)
    const address = `${host}:${port}`
    const taken = new RunnerAddressTaken({ address })
    const lost = yield* lease(address).pipe(
      Effect.retry(Schedule.spaced("500 millis").pipe(Schedule.upTo(takeoverTimeout))),
      Effect.mapError(() => taken)
    )
    const again = Effect.scoped(Effect.flatten(lease(address))).pipe(
      Effect.tapError((why) => why === "taken" ? Effect.logError(taken.message) : Effect.void),
      Effect.ignore,
      Effect.repeat(Schedule.spaced("2 seconds"))
    )
    yield* Effect.forkScoped(Effect.zipRight(lost, again))
  }))

/** Takes the lock on a new session. The result is an effect that returns once that session is lost. */
const lease = (
  address: string
): Effect.Effect<Effect.Effect<void>, "taken" | "unreachable", DatabaseUrl | Scope.Scope> =>
  Effect.gen(function*() {
    const client = yield* openSession({
      applicationName: "troupe-runner",
      // The server notices within seconds that a machine was lost, instead of hours.
      session: { tcp_keepalives_idle: "5", tcp_keepalives_interval: "2", tcp_keepalives_count: "3" }
    })
    const { rows } = yield* Effect.tryPromise({
      try: () => client.query<{ readonly ok: boolean }>(takeLock, [address]),
      catch: () => "unreachable" as const
    })
    if (rows[0]?.ok !== true) return yield* Effect.fail("taken" as const)
    return Effect.async<void>((resume) => void client.once("end", () => resume(Effect.void)))
  })

const takeLock = "select pg_try_advisory_lock(hashtext('troupe runner'), hashtext($1)) as ok"
