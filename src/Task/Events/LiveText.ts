import * as Sharding from "@effect/cluster/Sharding"
import type { TaskId } from "@troupe/domain/Ids"
import { Context, Effect, Layer, Schedule, Stream } from "effect"
import { makeShardEntityIds, TaskShard } from "../Actor/TaskShard.ts"
import { Shards } from "../Row/Shards.ts"

export class LiveText extends Context.Tag("troupe/Task/Events/LiveText")<LiveText, {
  readonly of: (taskId: TaskId) => Stream.Stream<string>
}>() {
  static readonly layer: Layer.Layer<LiveText, never, Sharding.Sharding | Shards> = Layer.effect(
    this,
    Effect.gen(function*() {
      const sharding = yield* Sharding.Sharding
      const shards = yield* Shards
      const entityOf = yield* sharding.makeClient(TaskShard)
      const entityIdOf = makeShardEntityIds(sharding)
      return LiveText.of({
        of: (taskId) =>
          Stream.suspend(() => entityOf(entityIdOf(shards.of(taskId))).Watch({ taskId })).pipe(
            // The shard moved or its runner ended: call it again where it is now.
            Stream.catchAllCause(() => Stream.empty),
            Stream.repeat(Schedule.spaced("1 second"))
          )
      })
    })
  )
}
