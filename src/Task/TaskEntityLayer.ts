import type { Sharding } from "@effect/cluster"
import { Effect, type Layer } from "effect"
import { TaskActors } from "./TaskActor.ts"
import { TaskEntity } from "./TaskEntity.ts"

/** Registers the task actors with the cluster: this process then runs those of the shards that it is given. */
export const TaskEntityLayer: Layer.Layer<never, never, Sharding.Sharding | TaskActors> = TaskEntity.toLayer(
  Effect.gen(function*() {
    const actors = yield* TaskActors
    const actor = yield* actors.make
    return TaskEntity.of({
      Wake: ({ payload }) => actor.wake(payload.claim),
      Interrupt: () => actor.interrupt,
      Status: () => actor.status,
      Watch: () => actor.watch
    })
  }),
  // `Wake` lasts as long as the loop, and the other calls must reach the actor meanwhile.
  { concurrency: "unbounded", maxIdleTime: "2 seconds" }
)
