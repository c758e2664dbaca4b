import * as EntityId from "@effect/cluster/EntityId"
import * as ShardId from "@effect/cluster/ShardId"
import * as Sharding from "@effect/cluster/Sharding"
import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import type { TaskId } from "@troupe/domain/Ids"
import { Context, Effect, Layer, Option } from "effect"
import { performance } from "node:perf_hooks"
import { shardsHeld } from "./TaskMetrics.ts"

/** How old the list of the shards may be, in milliseconds: the database checks every claim besides. */
const maxAge = 250

export const shardGroup = "default"

export class Shards extends Context.Tag("troupe/Task/Row/Shards")<Shards, {
  /** This runner as the cluster's tables name it, `host:port`; empty for a process that runs no actors. */
  readonly address: string
  readonly of: (taskId: TaskId) => number
  readonly holds: (shard: number) => boolean
  /** The shards that it held at most a quarter of a second ago: asking the cluster for hundreds takes time. */
  readonly owned: () => ReadonlyArray<number>
  /** Whether it holds others than these now; if so, `owned` includes them at once. */
  readonly holdsMoreThan: (known: ReadonlySet<number>) => boolean
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
      let listed: ReadonlyArray<number> = []
      let listedAt = -Infinity
      const owned = () => {
        const now = performance.now()
        if (now - listedAt > maxAge) {
          listed = all.flatMap((shard) => (sharding.hasShardId(shard) ? [shard.id] : []))
          listedAt = now
        }
        return listed
      }
      yield* shardsHeld(() => owned().length)
      return Shards.of({
        address: Option.match(config.runnerAddress, {
          onNone: () => "",
          onSome: ({ host, port }) => `${host}:${port}`
        }),
        of: (taskId) => sharding.getShardId(EntityId.make(taskId), shardGroup).id,
        holds: (shard) => {
          const id = all[shard - 1]
          return id !== undefined && sharding.hasShardId(id)
        },
        owned,
        holdsMoreThan: (known) => {
          const holdsMore = all.some((shard) => !known.has(shard.id) && sharding.hasShardId(shard))
          if (holdsMore) listedAt = -Infinity
          return holdsMore
        }
      })
    })
  )
}

/** Shards as a text with a 1 at the place of each: looked up per row in no time, unlike a list of hundreds. */
export const shardMarks = (shards: ReadonlyArray<number>): string => {
  const owned = new Set(shards)
  return Array.from({ length: Math.max(0, ...shards) }, (_, index) => owned.has(index + 1) ? "1" : "0").join("")
}
