import { Sharding } from "@effect/cluster"
import type { SearchUnfinished } from "@troupe/domain/Search"
import { Cause, Clock, Context, Duration, Effect, Layer, type Scope } from "effect"
import { type JobReport, type JobScope, ScheduledJobRepo } from "./ScheduledJobRepo.ts"

/** A job that runs by the clock. */
export interface ScheduledJob<E, R> {
  readonly name: string
  /**
   * A job of scope `process` runs in every process, first after one interval. One of scope `cluster` runs in one
   * process at a time: at once when a process takes it over, and again after each interval. A process that was frozen
   * may overlap with its successor for a moment, so two runs at once must do no harm.
   */
  readonly scope: JobScope
  readonly interval: Duration.DurationInput
  /** The pause after a number of failures in a row; the interval by default. */
  readonly pauseAfter?: (failures: number) => Duration.DurationInput
  readonly run: Effect.Effect<unknown, E, R>
}

/** The jobs that run by the clock, as `GET /worker/health` lists them. */
export class ScheduledJobs extends Context.Tag("troupe/Runtime/ScheduledJobs")<ScheduledJobs, {
  /**
   * Runs the job until the scope ends, never two runs at a time in one process. A run that fails is logged and
   * reported, and the next one follows all the same.
   */
  readonly every: <E, R>(job: ScheduledJob<E, R>) => Effect.Effect<void, never, R | Scope.Scope>
  /** The jobs of all processes, by name. */
  readonly report: Effect.Effect<ReadonlyArray<JobReport>, SearchUnfinished>
}>() {
  static readonly layer: Layer.Layer<ScheduledJobs, never, ScheduledJobRepo | Sharding.Sharding> = Layer.effect(
    this,
    Effect.map(
      Effect.all([ScheduledJobRepo, Sharding.Sharding]),
      ([repo, sharding]) => make(repo, (name, run) => sharding.registerSingleton(`troupe/${name}`, run))
    )
  )

  /** For a process by itself: it runs the jobs of the cluster too, and knows of no other process. */
  static readonly layerMemory: Layer.Layer<ScheduledJobs> = Layer.effect(
    this,
    Effect.map(ScheduledJobRepo, (repo) => make(repo, (_, run) => Effect.asVoid(Effect.forkScoped(run))))
  ).pipe(Layer.provide(ScheduledJobRepo.layerMemory))
}

/** A job that runs more often than this writes its state no more often, unless its error changes. */
const saveEvery = 10_000

type Singleton = <R>(
  name: string,
  run: Effect.Effect<void, never, R>
) => Effect.Effect<void, never, R | Scope.Scope>

const make = (repo: ScheduledJobRepo["Type"], singleton: Singleton): ScheduledJobs["Type"] => {
  const every: ScheduledJobs["Type"]["every"] = ({ interval, name, pauseAfter, run, scope }) =>
    Effect.gen(function*() {
      let failures = 0
      let saved: { readonly at: number; readonly error: string | null } | null = null
      const save = (ranAt: number | null, nextIn: number, error: string | null) =>
        Effect.gen(function*() {
          const at = yield* Clock.currentTimeMillis
          if (saved !== null && saved.error === error && at - saved.at < saveEvery) return
          yield* repo.save({ name, scope, ranBefore: ranAt === null ? null : at - ranAt, nextIn, error })
          saved = { at, error }
        }).pipe(
          Effect.catchAllCause((cause) => Effect.logWarning(`Saving the state of the job ${name} failed`, cause))
        )
      const once = Effect.gen(function*() {
        const began = yield* Clock.currentTimeMillis
        const error = yield* Effect.match(Effect.sandbox(run), { onFailure: reasonOf, onSuccess: () => null })
        failures = error === null ? 0 : failures + 1
        const pause = Duration.toMillis(failures > 0 && pauseAfter !== undefined ? pauseAfter(failures) : interval)
        if (error !== null) yield* Effect.logWarning(`The job ${name} failed; next run in ${pause / 1000} s: ${error}`)
        yield* save(began, pause, error)
        yield* Effect.sleep(pause)
      })
      if (scope === "cluster") return yield* singleton(name, Effect.forever(once))
      const first = Duration.toMillis(interval)
      yield* save(null, first, null)
      yield* Effect.forever(once).pipe(Effect.delay(first), Effect.forkScoped)
    })

  return ScheduledJobs.of({ every, report: repo.list })
}

const reasonOf = (cause: Cause.Cause<unknown>): string => {
  const [first] = Cause.prettyErrors(cause)
  return (first?.message ?? "it was interrupted").slice(0, 500)
}
