import type { TaskId } from "@troupe/domain/Ids"
import { Context, Effect, Layer, PubSub, Stream } from "effect"
import { Listener } from "../Runtime/Listener.ts"

/** Something that may have changed. Signals are hints: whoever hears one looks into the database. */
export type Signal =
  /** Tasks of these shards have something to do; null: any may have. */
  | { readonly _tag: "Wake"; readonly shards: ReadonlySet<number> | null }
  /** These tasks took a step; null: any may have. */
  | { readonly _tag: "Stepped"; readonly tasks: ReadonlySet<TaskId> | null }
  /** These tasks were taken from their actors (cancelled or removed). */
  | { readonly _tag: "Revoked"; readonly tasks: ReadonlySet<TaskId> }

/**
 * Hints between the parts of a process and, through PostgreSQL's NOTIFY, between processes. A statement that changes
 * something notifies the others itself, with `origin` as the first word of the payload; the sender also calls the
 * matching method here, which reaches its own process at once.
 */
export class TaskSignals extends Context.Tag("troupe/Task/TaskSignals")<TaskSignals, {
  readonly origin: string
  readonly wake: (shards: ReadonlyArray<number>) => void
  readonly stepped: (tasks: ReadonlyArray<TaskId>) => void
  readonly revoked: (tasks: ReadonlyArray<TaskId>) => void
  readonly signals: Stream.Stream<Signal>
}>() {
  static readonly layer: Layer.Layer<TaskSignals, never, Listener> = Layer.scoped(
    this,
    Effect.gen(function*() {
      const listener = yield* Listener
      // Sliding: a slow reader loses hints, never memory; every reader polls besides.
      const hub = yield* PubSub.sliding<Signal>(1024)
      const publish = (signal: Signal) => void hub.unsafeOffer(signal)

      yield* listener.notifications.pipe(
        Stream.runForEach(({ channel, payload }) => Effect.sync(() => publish(parse(channel, payload)))),
        Effect.forkScoped
      )
      yield* listener.reconnected.pipe(
        Stream.runForEach(() =>
          Effect.sync(() => {
            publish({ _tag: "Wake", shards: null })
            publish({ _tag: "Stepped", tasks: null })
          })
        ),
        Effect.forkScoped
      )
      return TaskSignals.of({
        origin: listener.origin,
        wake: (shards) => publish({ _tag: "Wake", shards: new Set(shards) }),
        stepped: (tasks) => publish({ _tag: "Stepped", tasks: new Set(tasks) }),
        revoked: (tasks) => publish({ _tag: "Revoked", tasks: new Set(tasks) }),
        signals: Stream.fromPubSub(hub)
      })
    })
  )
}

export const channels = ["troupe_wake", "troupe_steps", "troupe_revoked"] as const

const parse = (channel: string, payload: string): Signal => {
  const words = payload.split(" ").filter((word) => word !== "")
  switch (channel) {
    case "troupe_wake":
      return { _tag: "Wake", shards: new Set(words.map(Number)) }
    case "troupe_steps":
      return { _tag: "Stepped", tasks: new Set(words as Array<TaskId>) }
    default:
      return { _tag: "Revoked", tasks: new Set(words as Array<TaskId>) }
  }
}
