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

/**
 * The minimum interval at which the states of a process's jobs are saved, by one statement, unless one of them ran for the first
 * time or its error changes.
 */
const saveEvery = 20_000

interface Unsaved extends Pick<JobState, "name" | "scope" | "error"> {
  readonly ranAt: number | null
  readonly nextAt: number
}

const makeSaved = (save: ScheduledJobRepo["Type"]["save"]) => {
  const unsaved = new Map<string, Unsaved>()
  let savedAt = Number.NEGATIVE_INFINITY
  return {
    forget: (name: string) => Effect.sync(() => unsaved.delete(name)),
    /** Saves it at once if it is `news`, else with others. */
    keep: (state: Unsaved, isNews: boolean) =>
      Effect.gen(function*() {
        unsaved.set(state.name, state)
        const now = yield* Clock.currentTimeMillis
        if (!isNews && now - savedAt < saveEvery) return
        const states = [...unsaved.values()]
        yield* save(states.map(({ error, name, nextAt, ranAt, scope }) => ({
          name,
          scope,
          ranBefore: ranAt === null ? null : now - ranAt,
          nextIn: nextAt - now,
          error
        })))
        savedAt = now
        for (const one of states) if (unsaved.get(one.name) === one) unsaved.delete(one.name)
      })
  }
}

type Singleton = <R>(
  name: string,
  run: Effect.Effect<void, never, R>
) => Effect.Effect<void, never, R | Scope.Scope>

const make = (repo: ScheduledJobRepo["Type"], singleton: Singleton): ScheduledJobs["Type"] => {
  const { forget, keep } = makeSaved(repo.save)
  const start: ScheduledJobs["Type"]["start"] = Effect.fnUntraced(
    function*({ name, run, schedule, scope, wakeUps = Stream.empty }) {
      const isPlanned = yield* Effect.makeLatch(false)
      let last: { readonly at: number | null; readonly error: string | null } = { at: null, error: null }
      let failures = 0
      let saved: { readonly error: string | null; readonly hasRun: boolean } | null = null

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
          const isNews = saved?.error !== error || saved.hasRun !== hasRun
          yield* keep({ name, scope, ranAt: at, nextAt: next, error }, isNews)
          saved = { error, hasRun }
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
        yield* Effect.addFinalizer(() => forget(name))
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
    }
  )
  return { start, report: repo.list }
}

const reasonOf = (cause: Cause.Cause<unknown>): string => {
  const [first] = Cause.prettyErrors(cause)
  return (first?.message ?? "it was interrupted").slice(0, 500)
}
