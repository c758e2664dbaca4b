import * as Sharding from "@effect/cluster/Sharding"
import { Context, Effect, Layer, Scope } from "effect"
import type { AgentLoop } from "../Agent/AgentLoop.ts"
import type { ActorSettings } from "./ActorState.ts"
import type { Draining } from "./Draining.ts"
import type { Inbox } from "./Inbox.ts"
import type { Journal } from "./Journal.ts"
import type { Shards } from "./Shards.ts"
import type { Subtasks } from "./Subtasks.ts"
import { makeTaskActors } from "./TaskActor.ts"
import { TaskEntity } from "./TaskEntity.ts"

/** One entity a task, which is removed once it neither runs nor is watched. */
export const TaskEntityLayer = (settings: ActorSettings): Layer.Layer<
  never,
  never,
  Sharding.Sharding | AgentLoop | Draining | Inbox | Journal | Shards | Subtasks
> =>
  Layer.scopedDiscard(Effect.gen(function*() {
    const makeActor = yield* makeTaskActors(settings)
    const { registerEntity } = yield* Sharding.Sharding
    const build = Effect.sync(() => {
      const actor = makeActor()
      return TaskEntity.of({
        Wake: ({ payload }) => actor.run(payload),
        Interrupt: ({ payload }) => actor.interrupt(payload.epoch),
        Watch: () => actor.text
      })
    })
    // Not `TaskEntity.toLayer`: each entity would keep copies of all services of the process.
    const own = Context.make(Scope.Scope, yield* Effect.scope)
    const register: Effect.Effect<void> = Effect.mapInputContext(registerEntity(TaskEntity, build, options), () => own)
    yield* register
  }))

const options = {
  // A loop lasts as long as its task has something to do, and a watch as long as its watcher.
  concurrency: "unbounded",
  mailboxCapacity: "unbounded",
  // Removed by the reaper's next round, five seconds later at most: an idle entity takes memory for nothing.
  maxIdleTime: 0,
  // The actor journals its crashes itself.
  disableFatalDefects: true
} as const
