import { makeUndici } from "@effect/platform-node/NodeHttpClient"
import { Agent } from "@effect/platform-node/Undici"
import * as HttpClient from "@effect/platform/HttpClient"
import { oneLine } from "@troupe/domain/Text"
import { Data, type Duration, Effect, Layer, Redacted, Schedule } from "effect"
import { ScheduledJobs } from "../../Runtime/Cluster/ScheduledJobs.ts"
import { errorCode } from "../../Runtime/ErrorText.ts"
import { WorkerHealth } from "../../Task/Read/Runners.ts"

/** The monitor did not take the request. Its address is often a secret, so no text has it. */
export class MonitorUnreached extends Data.TaggedError("MonitorUnreached")<{ readonly reason: string }> {}

/** Requests the address of WATCHDOG_URL, wherever it leads: an operator has set it. */
export const makeMonitorRequest = (url: Redacted.Redacted<URL>, timeout: Duration.DurationInput = "10 seconds") =>
  Effect.gen(function*() {
    const agent = yield* Effect.acquireRelease(
      Effect.sync(() => new Agent({ connect: { timeout: 5_000 }, keepAliveTimeout: 1_000 })),
      (agent) => Effect.promise(() => agent.destroy())
    )
    // Spans would have the address. With the scope the response ends, whose body nobody reads.
    const client = makeUndici(agent).pipe(HttpClient.withTracerDisabledWhen(() => true), HttpClient.withScope)
    return client.get(Redacted.value(url).href).pipe(
      Effect.scoped,
      Effect.timeout(timeout),
      Effect.mapError((error) =>
        new MonitorUnreached({
          reason: error._tag === "TimeoutException"
            ? "no response in time"
            : oneLine(errorCode(error.cause) || "the connection failed", 100)
        })
      ),
      Effect.filterOrFail(
        // A redirect is not followed, so the monitor has not got it.
        ({ status }) => status < 300,
        ({ status }) => new MonitorUnreached({ reason: `it answered with the status ${status}` })
      ),
      Effect.asVoid
    )
  })

/** One look at the workers and the database, and the request if both are healthy. A failure is logged once, until a request succeeds. */
export const makeBeat = <E>(
  { report }: WorkerHealth["Type"],
  request: Effect.Effect<void, E & { readonly reason: string }>
) => {
  let hasFailed = false
  return Effect.gen(function*() {
    const status = yield* Effect.match(report, { onFailure: () => "down" as const, onSuccess: ({ status }) => status })
    if (status !== "healthy") return
    yield* Effect.matchEffect(request, {
      onFailure: ({ reason }) => {
        if (hasFailed) return Effect.void
        hasFailed = true
        return Effect.logWarning(
          `Requesting WATCHDOG_URL failed: ${reason}. It is retried each minute, and not logged again until it succeeds`
        )
      },
      onSuccess: () => {
        if (!hasFailed) return Effect.void
        hasFailed = false
        return Effect.logInfo("Requesting WATCHDOG_URL succeeds again")
      }
    })
  })
}

/** Requests the address each minute while workers and database are healthy, from one process of the cluster. */
export const layer = (url: Redacted.Redacted<URL>): Layer.Layer<never, never, ScheduledJobs | WorkerHealth> =>
  Layer.scopedDiscard(Effect.gen(function*() {
    const jobs = yield* ScheduledJobs
    yield* jobs.start({
      name: "watchdog_url",
      scope: "cluster",
      schedule: Schedule.spaced("1 minute"),
      run: makeBeat(yield* WorkerHealth, yield* makeMonitorRequest(url))
    })
  }))
