import { TaskId } from "@troupe/domain/Ids"
import { Context, Effect, Layer, PubSub, type Scope, Stream } from "effect"
import { Signals } from "../../Runtime/Database/Signals.ts"

/** A signal to the runners. Signals are hints: the receiver reads the database. */
export type RunnerSignal =
  /** Tasks of these shards are due; null: of any shard. */
  | { readonly _tag: "Wake"; readonly shards: ReadonlySet<number> | null }
  /** These tasks were taken from their actors (cancelled or removed). */
  | { readonly _tag: "Revoked"; readonly tasks: ReadonlySet<TaskId> }

export type Stepped = ReadonlySet<TaskId> | null

/**
 * Hints within a process and, by NOTIFY, between processes. The statement notifies with `origin`; its caller also calls
 * the method here.
 */
export class TaskSignals extends Context.Tag("troupe/Task/Row/TaskSignals")<TaskSignals, {
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
  static readonly layer: Layer.Layer<TaskSignals, never, Signals> = Layer.scoped(
    this,
    Effect.gen(function*() {
      const { onSignal, origin } = yield* Signals
      // Sliding: a slow reader loses hints, and every reader polls too.
      const commands = yield* PubSub.sliding<RunnerSignal>(1024)
      const completions = yield* PubSub.sliding<TaskId>(4096)
      const listeners = new Set<(stepped: Stepped) => void>()
      const step = (tasks: Stepped) => listeners.forEach((listener) => listener(tasks))
      const wake = (shards: ReadonlySet<number> | null) => void commands.unsafeOffer({ _tag: "Wake", shards })
      const revoke = (tasks: ReadonlySet<TaskId>) => void commands.unsafeOffer({ _tag: "Revoked", tasks })
      yield* onSignal("troupe_steps", (words) => step(words === null ? null : new Set(words.map(taskId))))
      yield* onSignal("troupe_wake", (words) => wake(words === null ? null : new Set(words.map(Number))))
      yield* onSignal("troupe_revoked", (words) => words === null ? undefined : revoke(new Set(words.map(taskId))))
      return TaskSignals.of({
        origin,
        wake: (shards) => wake(new Set(shards)),
        stepped: (tasks) => step(new Set(tasks)),
        revoked: (tasks) => revoke(new Set(tasks)),
        completed: (task) => void completions.unsafeOffer(task),
        refresh: () => {
          wake(null)
          step(null)
        },
        commands: Stream.fromPubSub(commands),
        onStepped: (listener) =>
          Effect.acquireRelease(
            Effect.sync(() => listeners.add(listener)),
            () => Effect.sync(() => listeners.delete(listener))
          ),
        completions: Stream.fromPubSub(completions, { maxChunkSize: 64 })
      })
    })
  )
}

/** An expression that signals the other processes, if there may be any. `$origin`. */
export const signal = (channel: "troupe_wake" | "troupe_steps" | "troupe_revoked", payload: string): string =>
  `case when $origin::text is not null then pg_notify('${channel}', $origin::text || ' ' || ${payload}) end`

const taskId = (word: string): TaskId => TaskId.make(word, { disableValidation: true })
