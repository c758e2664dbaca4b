import { Cause, Clock, Context, DateTime, Duration, Effect, Layer, type Scope } from "effect"

/** How a job that runs by the clock is doing; times are ISO 8601. */
export interface JobReport {
  readonly name: string
  readonly last_run_at: string | null
  readonly next_run_at: string | null
  readonly last_error: string | null
}

/** The jobs of this process that run by the clock, as `GET /worker/health` lists them. */
export class ScheduledJobs extends Context.Tag("troupe/Runtime/ScheduledJobs")<ScheduledJobs, {
  /**
   * Runs the job after each interval until the scope ends, never two at a time. A run that fails is logged and shown,
   * and the next one comes all the same.
   */
  readonly every: <E, R>(
    name: string,
    interval: Duration.DurationInput,
    job: Effect.Effect<unknown, E, R>
  ) => Effect.Effect<void, never, R | Scope.Scope>
  /** Lists a job, until the scope ends, that runs by other means or in another process, as `report` finds it. */
  readonly add: (report: Effect.Effect<JobReport>) => Effect.Effect<void, never, Scope.Scope>
  /** By name. */
  readonly report: Effect.Effect<ReadonlyArray<JobReport>>
}>() {
  static readonly layer: Layer.Layer<ScheduledJobs> = Layer.sync(this, () => make())
}

const make = (): ScheduledJobs["Type"] => {
  const jobs = new Set<Effect.Effect<JobReport>>()

  const add: ScheduledJobs["Type"]["add"] = (report) =>
    Effect.asVoid(Effect.acquireRelease(
      Effect.sync(() => jobs.add(report)),
      () => Effect.sync(() => jobs.delete(report))
    ))

  const every: ScheduledJobs["Type"]["every"] = (name, interval, job) =>
    Effect.gen(function*() {
      const millis = Duration.toMillis(interval)
      const now = yield* Clock.currentTimeMillis
      let state: JobReport = { name, last_run_at: null, next_run_at: iso(now + millis), last_error: null }
      yield* add(Effect.sync(() => state))
      const once = Effect.gen(function*() {
        yield* Effect.sleep(millis)
        const began = yield* Clock.currentTimeMillis
        const error = yield* Effect.match(Effect.sandbox(job), { onFailure: reasonOf, onSuccess: () => null })
        if (error !== null) yield* Effect.logWarning(`The job ${name} failed: ${error}`)
        const next = (yield* Clock.currentTimeMillis) + millis
        state = { name, last_run_at: iso(began), next_run_at: iso(next), last_error: error }
      })
      yield* Effect.forkScoped(Effect.forever(once))
    })

  return ScheduledJobs.of({
    add,
    every,
    report: Effect.map(
      Effect.suspend(() => Effect.all([...jobs], { concurrency: 4 })),
      (all) => all.toSorted((one, other) => one.name < other.name ? -1 : 1)
    )
  })
}

const iso = (millis: number): string => DateTime.formatIso(DateTime.unsafeMake(millis))

const reasonOf = (cause: Cause.Cause<unknown>): string => {
  const [first] = Cause.prettyErrors(cause)
  return (first?.message ?? "it was interrupted").slice(0, 500)
}
