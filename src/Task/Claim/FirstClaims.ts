import { Context, Effect, Layer, type Scope } from "effect"
import type { NewTask } from "../Row/NewTask.ts"
import type { Claim } from "./Claims.ts"
import type { InsertTask } from "./TaskInsert.ts"

/** A place for a task that is being inserted. The caller calls exactly one of these, once. */
export interface Reservation {
  /** The insert has claimed the task. */
  readonly begin: (claim: Claim) => void
  readonly cancel: () => void
}

/** Null: the task has to wait for a scan, like any other one that is due. */
export type Reserve = (task: Pick<NewTask, "creator" | "id" | "shard">) => Reservation | null

/** A task that can begin at once needs no scan: the statement that inserts it claims it too. */
export class FirstClaims extends Context.Tag("troupe/Task/Claim/FirstClaims")<FirstClaims, {
  /** Inserts a task, claimed where a waker of this process has a place for it, which then begins it. */
  readonly insert: (task: NewTask, insert: InsertTask) => Effect.Effect<boolean>
  /** Reserves places of a waker, until the end of the scope. */
  readonly offer: (reserve: Reserve) => Effect.Effect<void, never, Scope.Scope>
}>() {
  static readonly layer: Layer.Layer<FirstClaims> = Layer.sync(this, () => {
    const offers = new Set<Reserve>()
    const placeFor = (task: NewTask): Reservation | null => {
      for (const reserve of offers) {
        const place = reserve(task)
        if (place !== null) return place
      }
      return null
    }
    return FirstClaims.of({
      insert: (task, insert) =>
        Effect.suspend(() => {
          // The conversation before a task is read by a scan.
          const place = task.conversation === null ? placeFor(task) : null
          if (place === null) return Effect.map(insert(task, false), ({ isInserted }) => isInserted)
          // Uninterruptible: what was claimed begins also if nobody waits for the answer any more.
          return Effect.uninterruptible(Effect.matchCauseEffect(insert(task, true), {
            onFailure: (cause) => {
              place.cancel()
              return Effect.failCause(cause)
            },
            onSuccess: ({ claim, isInserted }) => {
              if (claim === null) place.cancel()
              else place.begin(claim)
              return Effect.succeed(isInserted)
            }
          }))
        }),
      offer: (reserve) =>
        Effect.acquireRelease(
          Effect.sync(() => void offers.add(reserve)),
          () => Effect.sync(() => void offers.delete(reserve))
        )
    })
  })
}
