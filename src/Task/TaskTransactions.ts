import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Context, Effect, Layer } from "effect"
import { TaskSignals } from "./TaskSignals.ts"

/**
 * Several statements as one: what arrives from outside is claimed in the transaction of what it causes. Every repository
 * takes part, whichever pool it uses. Nothing that waits for the outside belongs in it.
 */
export class TaskTransactions extends Context.Tag("troupe/Task/TaskTransactions")<TaskTransactions, {
  /** Commits if the effect succeeds, else rolls back; then wakes what it made due. */
  readonly run: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError, R>
}>() {
  static readonly layer: Layer.Layer<TaskTransactions, never, SqlClient | TaskSignals> = Layer.effect(
    this,
    Effect.zipWith(
      SqlClient,
      TaskSignals,
      ({ withTransaction }, { refresh }) =>
        TaskTransactions.of({ run: (effect) => Effect.tap(withTransaction(effect), () => Effect.sync(refresh)) })
    )
  )
}
