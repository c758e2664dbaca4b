import { Context, Effect, Layer, type Scope } from "effect"
import type { NewTask } from "../Row/TaskRow.ts"
import type { Claim } from "./Claims.ts"

/** A place for a task that is being inserted. The caller calls exactly one of these, once. */
export interface Reservation {
  /** The insert has claimed the task. */
  readonly begin: (claim: Claim) => void
  readonly cancel: () => void
}

/** Null: the task has to wait for a scan, like any other one that is due. */
export type Reserve = (task: Pick<NewTask, "creator" | "id" | "shard">) => Reservation | null

/**
 * Lets the statement that inserts a task claim it too, for the waker of this process: a task that can begin at once
 * needs no scan.
 */
export class FirstClaims extends Context.Tag("troupe/Task/Claim/FirstClaims")<FirstClaims, {
  readonly reserve: Reserve
  /** Reserves places of a waker, until the end of the scope. */
  readonly offer: (reserve: Reserve) => Effect.Effect<void, never, Scope.Scope>
}>() {
  static readonly layer: Layer.Layer<FirstClaims> = Layer.sync(this, () => {
    const offers = new Set<Reserve>()
    return FirstClaims.of({
      reserve: (task) => {
        for (const reserve of offers) {
          const reservation = reserve(task)
          if (reservation !== null) return reservation
        }
        return null
      },
      offer: (reserve) =>
        Effect.acquireRelease(
          Effect.sync(() => void offers.add(reserve)),
          () => Effect.sync(() => void offers.delete(reserve))
        )
    })
  })
}
