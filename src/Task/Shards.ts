import { EntityId, ShardId, Sharding, ShardingConfig } from "@effect/cluster"
import type { TaskId } from "@troupe/domain/Ids"
import { Context, Effect, Layer, Option } from "effect"
import { shardsHeld } from "./TaskMetrics.ts"

/** The cluster's name for the shards that tasks are spread over. */
export const shardGroup = "default"

/** Which shard a task belongs to, and which shards this runner holds: placement as the cluster decides it. */
export class Shards extends Context.Tag("troupe/Task/Shards")<Shards, {
  /** This runner as the cluster's tables name it, `host:port`; empty for a process that runs no actors. */
  readonly address: string
  readonly of: (taskId: TaskId) => number
  readonly owns: (taskId: TaskId) => boolean
  readonly owned: () => ReadonlyArray<number>
}>() {
  static readonly layer: Layer.Layer<Shards, never, Sharding.Sharding | ShardingConfig.ShardingConfig> = Layer.scoped(
    this,
    Effect.gen(function*() {
      const sharding = yield* Sharding.Sharding
      const config = yield* ShardingConfig.ShardingConfig
      const all: ReadonlyArray<ShardId.ShardId> = Array.from(
        { length: config.shardsPerGroup },
        (_, index) => ShardId.make(shardGroup, index + 1)
      )
      const owned = () => all.flatMap((shard) => (sharding.hasShardId(shard) ? [shard.id] : []))
      yield* shardsHeld(() => owned().length)
      return Shards.of({
        address: Option.match(config.runnerAddress, {
          onNone: () => "",
          onSome: ({ host, port }) => `${host}:${port}`
        }),
        of: (taskId) => sharding.getShardId(EntityId.make(taskId), shardGroup).id,
        owns: (taskId) => sharding.hasShardId(sharding.getShardId(EntityId.make(taskId), shardGroup)),
        owned
      })
    })
  )
}

/** Shards as a text with a 1 at the place of each: looked up per row in no time, unlike a list of hundreds. */
export const shardMarks = (shards: ReadonlyArray<number>): string => {
  const owned = new Set(shards)
  return Array.from({ length: Math.max(0, ...shards) }, (_, index) => owned.has(index + 1) ? "1" : "0").join("")
}
