import { Context, Effect, Layer } from "effect"

/** Set once this runner shuts down: no more tasks are claimed, and those that run are released after their current step. */
export class Draining extends Context.Tag("troupe/Task/Row/Draining")<Draining, {
  readonly isDraining: () => boolean
  readonly begin: Effect.Effect<void>
}>() {
  static readonly layer: Layer.Layer<Draining> = Layer.sync(this, () => {
    let draining = false
    return Draining.of({
      isDraining: () => draining,
      begin: Effect.sync(() => {
        draining = true
      })
    })
  })
}
