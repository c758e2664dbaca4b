import { Sharding } from "@effect/cluster"
import type { TaskId } from "@troupe/domain/Ids"
import { Context, Effect, Layer, Schedule, Stream } from "effect"
import { TaskEntity } from "./TaskEntity.ts"

/** The model's text of running tasks as it comes, from whichever runner has the actor. It may be lost: a hint. */
export class LiveText extends Context.Tag("troupe/Task/LiveText")<LiveText, {
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
            // The actor moved or its runner fell: look again where it is now.
            Stream.catchAllCause(() => Stream.empty),
            Stream.repeat(Schedule.spaced("1 second"))
          )
      })
    })
  )
}
