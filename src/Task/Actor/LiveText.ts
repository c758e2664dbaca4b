import * as Sharding from "@effect/cluster/Sharding"
import type { TaskId } from "@troupe/domain/Ids"
import { Context, Effect, Layer, Schedule, Stream } from "effect"
import { TaskEntity } from "./TaskEntity.ts"

export class LiveText extends Context.Tag("troupe/Task/Actor/LiveText")<LiveText, {
  readonly of: (taskId: TaskId) => Stream.Stream<string>
}>() {
  static readonly layer: Layer.Layer<LiveText, never, Sharding.Sharding> = Layer.effect(
    this,
    Effect.gen(function*() {
      const sharding = yield* Sharding.Sharding
      const actorOf = yield* sharding.makeClient(TaskEntity)
      return LiveText.of({
        of: (taskId) =>
          Stream.suspend(() => actorOf(taskId).Watch()).pipe(
            // The entity's shard moved or its runner ended: call it again where it is now.
            Stream.catchAllCause(() => Stream.empty),
            Stream.repeat(Schedule.spaced("1 second"))
          )
      })
    })
  )
}
