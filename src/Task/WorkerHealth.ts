import type { WorkerHealthReport } from "@troupe/api/Worker"
import type { SearchUnfinished } from "@troupe/domain/Search"
import { Context, Effect, Layer } from "effect"
import { Runners } from "./Runners.ts"

/** Whether background workers run, and how much waits for them. */
export class WorkerHealth extends Context.Tag("troupe/Task/WorkerHealth")<WorkerHealth, {
  readonly report: Effect.Effect<WorkerHealthReport, SearchUnfinished>
}>() {
  static readonly layer: Layer.Layer<WorkerHealth, never, Runners> = Layer.effect(
    this,
    Effect.map(Runners, ({ report }) => WorkerHealth.of({ report }))
  )
}
