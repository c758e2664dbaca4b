import { Context, Deferred, Effect, Layer } from "effect"

/** When a shutdown begins, event streams end and the server accepts no more connections. */
export class Shutdown extends Context.Tag("troupe/Http/Shutdown")<Shutdown, {
  readonly begin: Effect.Effect<void>
  readonly begun: Effect.Effect<void>
}>() {
  static readonly layer: Layer.Layer<Shutdown> = Layer.effect(
    this,
    Effect.map(Deferred.make<void>(), (begun) =>
      Shutdown.of({
        begin: Effect.asVoid(Deferred.succeed(begun, undefined)),
        begun: Deferred.await(begun)
      }))
  )
}
