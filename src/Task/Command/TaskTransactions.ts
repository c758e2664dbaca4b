import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Context, Effect, Layer } from "effect"
import { TaskSignals } from "../Row/TaskSignals.ts"

/**
 * Several statements in one transaction, whichever pool a repository uses. Nothing in it may wait for external
 * services.
 */
export class TaskTransactions extends Context.Tag("troupe/Task/Command/TaskTransactions")<TaskTransactions, {
  /** Commits if the effect succeeds, else rolls back; then signals that tasks may be due. */
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
