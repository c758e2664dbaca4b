import * as Sharding from "@effect/cluster/Sharding"
import type { SearchUnfinished } from "@troupe/domain/Search"
import {
  Cause,
  Clock,
  Context,
  Effect,
  Layer,
  Queue,
  Schedule,
  ScheduleDecision,
  ScheduleIntervals,
  type Scope,
  Stream
} from "effect"
import { type JobReport, type JobState, ScheduledJobRepo } from "./ScheduledJobRepo.ts"

export interface ScheduledJob<E, R> {
  readonly name: string
  /** `process`: in every process. `cluster`: in one at a time; runs may overlap once, and must do no harm. */
  readonly scope: JobState["scope"]
  readonly schedule: Schedule.Schedule<unknown, number>
  /** Each element makes it run at once, or again after the current run. */
  readonly wakeUps?: Stream.Stream<unknown>
  readonly run: Effect.Effect<unknown, E, R>
}

export class ScheduledJobs extends Context.Tag("troupe/Runtime/Cluster/ScheduledJobs")<ScheduledJobs, {
  /** Runs the job until the scope ends, one run at a time in a process. A failed run is logged and reported. */
  readonly start: <E, R>(job: ScheduledJob<E, R>) => Effect.Effect<void, never, R | Scope.Scope>
  readonly report: Effect.Effect<ReadonlyArray<JobReport>, SearchUnfinished>
}>() {
  static readonly layer: Layer.Layer<ScheduledJobs, never, ScheduledJobRepo | Sharding.Sharding> = Layer.effect(
    this,
    Effect.map(
      Effect.all([ScheduledJobRepo, Sharding.Sharding]),
      ([repo, sharding]) => make(repo, (name, run) => sharding.registerSingleton(`troupe/${name}`, run))
    )
  )

  /** For a single process: it runs the jobs of the cluster too. */
  static readonly layerMemory: Layer.Layer<ScheduledJobs> = Layer.effect(
    this,
    Effect.map(ScheduledJobRepo, (repo) => make(repo, (_, run) => Effect.asVoid(Effect.forkScoped(run))))
  ).pipe(Layer.provide(ScheduledJobRepo.layerMemory))
}

/** The minimum interval at which a job's state is saved, unless it ran for the first time or its error changes. */
const saveEvery = 10_000

type Singleton = <R>(
  name: string,
  run: Effect.Effect<void, never, R>
) => Effect.Effect<void, never, R | Scope.Scope>

const make = (repo: ScheduledJobRepo["Type"], singleton: Singleton): ScheduledJobs["Type"] => ({
  start: Effect.fnUntraced(function*({ name, run, schedule, scope, wakeUps = Stream.empty }) {
    const isPlanned = yield* Effect.makeLatch(false)
    let last: { readonly at: number | null; readonly error: string | null } = { at: null, error: null }
    let failures = 0
    let saved: { readonly at: number; readonly error: string | null; readonly hasRun: boolean } | null = null

    const attempt = Effect.gen(function*() {
      const at = yield* Clock.currentTimeMillis
      const error = yield* Effect.match(Effect.sandbox(run), { onFailure: reasonOf, onSuccess: () => null })
      failures = error === null ? 0 : failures + 1
      last = { at, error }
      return failures
    })

    const planned = (next: number) =>
      Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        const { at, error } = last
        if (error !== null) {
          yield* Effect.logWarning(`Job ${name} failed; next run in ${(next - now) / 1000} s: ${error}`)
        }
        const hasRun = at !== null
        if (saved?.error === error && saved.hasRun === hasRun && now - saved.at < saveEvery) return
        yield* repo.save({ name, scope, ranBefore: at === null ? null : now - at, nextIn: next - now, error })
        saved = { at: now, error, hasRun }
      }).pipe(
        Effect.catchAllCause((cause) => Effect.logWarning(`Saving the state of job ${name} failed`, cause)),
        Effect.zipRight(isPlanned.open)
      )

    const observed = Schedule.onDecision(
      schedule,
      (_, decision) =>
        ScheduleDecision.isContinue(decision) ? planned(ScheduleIntervals.start(decision.intervals)) : Effect.void
    )

    let isFirst = scope === "process"
    const next = Effect.suspend(() => {
      if (!isFirst) return attempt
      isFirst = false
      return Effect.succeed(failures)
    })
    const runs = Effect.scoped(Effect.gen(function*() {
      // A job of the cluster may come back from another process, which has saved its own state.
      saved = null
      const woken = yield* Queue.sliding<void>(1)
      yield* Effect.forkScoped(Stream.runForEach(wakeUps, () => Queue.offer(woken, undefined)))
      const pause = yield* Schedule.driver(observed)
      yield* Effect.ignore(Effect.forever(
        Effect.flatMap(next, (input) => Effect.raceFirst(pause.next(input), Queue.take(woken)))
      ))
    }))
    if (scope === "cluster") return yield* singleton(name, runs)
    yield* Effect.forkScoped(runs)
    yield* isPlanned.await
  }),
  report: repo.list
})

const reasonOf = (cause: Cause.Cause<unknown>): string => {
  const [first] = Cause.prettyErrors(cause)
  return (first?.message ?? "it was interrupted").slice(0, 500)
}
