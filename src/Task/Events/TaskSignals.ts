import { TaskId } from "@troupe/domain/Ids"
import { Context, Effect, Layer, PubSub, type Scope, Stream } from "effect"
import { Listener } from "../../Runtime/Database/Listener.ts"

/** A signal to the runners. Signals are hints: the receiver reads the database. */
export type RunnerSignal =
  /** Tasks of these shards are due; null: of any shard. */
  | { readonly _tag: "Wake"; readonly shards: ReadonlySet<number> | null }
  /** These tasks were taken from their actors (cancelled or removed). */
  | { readonly _tag: "Revoked"; readonly tasks: ReadonlySet<TaskId> }

export type Stepped = ReadonlySet<TaskId> | null

// Sliding: a slow reader loses hints, and every reader polls too.
const makeHubs = Effect.gen(function*() {
  const commands = yield* PubSub.sliding<RunnerSignal>(1024)
  const listeners = new Set<(stepped: Stepped) => void>()
  const completions = yield* PubSub.sliding<TaskId>(4096)
  const command = (sent: RunnerSignal) => void commands.unsafeOffer(sent)
  const step = (tasks: Stepped) => listeners.forEach((listener) => listener(tasks))
  return {
    command,
    step,
    signals: {
      wake: (shards: ReadonlyArray<number>) => command({ _tag: "Wake", shards: new Set(shards) }),
      stepped: (tasks: ReadonlyArray<TaskId>) => step(new Set(tasks)),
      revoked: (tasks: ReadonlyArray<TaskId>) => command({ _tag: "Revoked", tasks: new Set(tasks) }),
      completed: (task: TaskId) => void completions.unsafeOffer(task),
      refresh: () => {
        command({ _tag: "Wake", shards: null })
        step(null)
      },
      commands: Stream.fromPubSub(commands),
      onStepped: (listener: (stepped: Stepped) => void) =>
        Effect.acquireRelease(
          Effect.sync(() => listeners.add(listener)),
          () => Effect.sync(() => listeners.delete(listener))
        ),
      completions: Stream.fromPubSub(completions, { maxChunkSize: 64 })
    }
  }
})

/**
 * Hints within a process and, by NOTIFY, between processes. The statement notifies with `origin`; its caller also calls
 * the method here.
 */
export class TaskSignals extends Context.Tag("troupe/Task/Events/TaskSignals")<TaskSignals, {
  readonly origin: string | null
  readonly wake: (shards: ReadonlyArray<number>) => void
  readonly stepped: (tasks: ReadonlyArray<TaskId>) => void
  readonly revoked: (tasks: ReadonlyArray<TaskId>) => void
  readonly completed: (task: TaskId) => void
  /** Any task may have changed: after a transaction, whose hints came before its commit, or after lost notifications. */
  readonly refresh: () => void
  readonly commands: Stream.Stream<RunnerSignal>
  /** Calls the listener at once for each write; the writer waits for it, so it must be quick. */
  readonly onStepped: (listener: (stepped: Stepped) => void) => Effect.Effect<void, never, Scope.Scope>
  readonly completions: Stream.Stream<TaskId>
}>() {
  static readonly layerLocal: Layer.Layer<TaskSignals> = Layer.effect(
    this,
    Effect.map(makeHubs, (hubs) => TaskSignals.of({ ...hubs.signals, origin: null }))
  )

  static readonly layer: Layer.Layer<TaskSignals, never, Listener> = Layer.scoped(
    this,
    Effect.gen(function*() {
      const listener = yield* Listener
      const { command, signals, step } = yield* makeHubs
      yield* listener.notifications.pipe(
        Stream.runForEach(({ channel, payload }) =>
          Effect.sync(() => {
            const words = payload.split(" ").filter((word) => word !== "")
            if (channel === "troupe_steps") step(new Set(words.map(taskId)))
            else if (channel === "troupe_wake") command({ _tag: "Wake", shards: new Set(words.map(Number)) })
            else if (channel === "troupe_revoked") command({ _tag: "Revoked", tasks: new Set(words.map(taskId)) })
          })
        ),
        Effect.forkScoped
      )
      yield* listener.reconnected.pipe(
        Stream.runForEach(() => Effect.sync(signals.refresh)),
        Effect.forkScoped
      )
      return TaskSignals.of({ ...signals, origin: listener.origin })
    })
  )
}

export const channels = ["troupe_wake", "troupe_steps", "troupe_revoked"] as const

/** An expression that signals the other processes, if there may be any. $2: the origin. */
export const signal = (channel: (typeof channels)[number], payload: string): string =>
  `case when $2::text is not null then pg_notify('${channel}', $2::text || ' ' || ${payload}) end`

const taskId = (word: string): TaskId => TaskId.make(word, { disableValidation: true })
