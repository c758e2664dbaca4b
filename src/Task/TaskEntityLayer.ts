import { Entity, type Sharding } from "@effect/cluster"
import { TaskId } from "@troupe/domain/Ids"
import { Effect, type Layer } from "effect"
import { TaskActors } from "./TaskActors.ts"
import { TaskEntity } from "./TaskEntity.ts"

/** Answers other processes' calls to the actors of this runner's shards. */
export const TaskEntityLayer: Layer.Layer<never, never, Sharding.Sharding | TaskActors> = TaskEntity.toLayer(
  Effect.gen(function*() {
    const actors = yield* TaskActors
    const { entityId } = yield* Entity.CurrentAddress
    const taskId = TaskId.make(entityId)
    return TaskEntity.of({
      Status: () => Effect.sync(() => ({ epoch: actors.epochOf(taskId) })),
      Watch: () => actors.watch(taskId)
    })
  }),
  // A watch lasts as long as its watcher.
  { concurrency: "unbounded", maxIdleTime: "2 seconds" }
)
