import { Effect, Layer, Schedule, Schema } from "effect"
import { ThroughPooler } from "../Database/DatabaseUrl.ts"
import { Session } from "../Database/Session.ts"

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
): Layer.Layer<never, RunnerAddressTaken, Session> =>
  Layer.scopedDiscard(Effect.gen(function*() {
    // The lock would stay with a session of the pooler, and outlive this process.
    if (yield* ThroughPooler) return yield* Effect.logWarning(notChecked)
    const { onOpened, query } = yield* Session
    const address = `${host}:${port}`
    const taken = new RunnerAddressTaken({ address })
    const take = Effect.filterOrFail(
      query(takeLock, [address]),
      ([row]) => row?.["ok"] === true,
      () => "taken" as const
    )
    const lost = yield* Effect.makeLatch(false)
    yield* take.pipe(
      Effect.retry(Schedule.spaced("500 millis").pipe(Schedule.upTo(takeoverTimeout))),
      Effect.mapError(() => taken)
    )
    yield* onOpened(() => lost.unsafeOpen())
    yield* lost.await.pipe(
      Effect.zipRight(lost.close),
      Effect.zipRight(take),
      Effect.tapError((why) => why === "taken" ? Effect.logError(taken.message) : Effect.void),
      Effect.retry(Schedule.spaced("2 seconds").pipe(Schedule.tapInput(() => lost.open))),
      Effect.forever,
      Effect.forkScoped
    )
  }))

const takeLock = "select pg_try_advisory_lock(hashtext('troupe runner'), hashtext($1)) as ok"
