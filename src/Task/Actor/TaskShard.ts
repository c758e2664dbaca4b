import * as Entity from "@effect/cluster/Entity"
import * as EntityId from "@effect/cluster/EntityId"
import * as ShardId from "@effect/cluster/ShardId"
import * as Sharding from "@effect/cluster/Sharding"
import * as Rpc from "@effect/rpc/Rpc"
import { TaskId } from "@troupe/domain/Ids"
import { Data, Effect, Schema } from "effect"
import { withoutServices } from "../../Runtime/HotPath.ts"
import { shardGroup } from "../Row/Shards.ts"

/** The payload of a call that only this process can make: a delivery to another runner fails to decode. */
class LocalCall extends Data.TaggedClass("LocalCall") {}

const FromThisProcess = Schema.declare((input: unknown): input is LocalCall => input instanceof LocalCall)

/**
 * The cluster entity of a shard: it supervises the actors of the shard's tasks, from the first claim until the shard is
 * lost. No call may be Persisted: without message storage it would be lost.
 */
export const TaskShard = Entity.make("TaskShard", [
  /** Open as long as this runner holds the shard. */
  Rpc.make("Supervise", { payload: FromThisProcess }),
  /** The model's text as it comes; the only call from another process. */
  Rpc.make("Watch", { payload: { taskId: TaskId }, success: Schema.String, stream: true })
])

/** The id of a shard's entity: the first number that the cluster places on that shard, in every process the same. */
export const makeShardEntityIds = ({ getShardId }: Sharding.Sharding["Type"]) => {
  const known = new Map<number, EntityId.EntityId>()
  let next = 0
  return (shard: number): EntityId.EntityId => {
    let id = known.get(shard)
    while (id === undefined) {
      const candidate = EntityId.make(String(next++))
      const placed = getShardId(candidate, shardGroup).id
      if (!known.has(placed)) known.set(placed, candidate)
      id = known.get(shard)
    }
    return id
  }
}

/** A lost shard would be waited for until another runner has it. */
const superviseTimeout = "1 second"

/** Begins to supervise a shard. Fails if this runner does not hold it: to supervise is a call within this process. */
export const makeSupervise = Effect.gen(function*() {
  const sharding = yield* Sharding.Sharding
  const entityIdOf = makeShardEntityIds(sharding)
  const entityOf = yield* sharding.makeClient(TaskShard)
  return (shard: number) => {
    const begin = Effect.timeout(
      entityOf(entityIdOf(shard)).Supervise(new LocalCall(), { discard: true }),
      superviseTimeout
    )
    // An entity copies the services of its caller several times; it needs none of them.
    return Effect.filterOrFail(
      Effect.sync(() => sharding.hasShardId(ShardId.make(shardGroup, shard))),
      (isHeld) => isHeld,
      () => "not held" as const
    ).pipe(Effect.zipRight(begin), withoutServices)
  }
})
