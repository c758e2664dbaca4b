import { ClusterSchema, Sharding } from "@effect/cluster"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Either, Schema } from "effect"
import { makeShardEntityIds, TaskShard } from "../../src/Task/Actor/TaskShard.ts"
import { shardGroup } from "../../src/Task/Row/Shards.ts"
import { memoryCluster } from "../support/Workers.ts"

describe("TaskShard", () => {
  it("has no call that is persisted: without a message storage it would be lost", () => {
    const calls = [...TaskShard.protocol.requests.values()]
    assert.isNotEmpty(calls)
    for (const call of calls) assert.isFalse(Context.get(call.annotations, ClusterSchema.Persisted), call._tag)
  })

  it("lets another process only watch: the other call takes an object that only this process makes", () => {
    const calls = [...TaskShard.protocol.requests.values()].flatMap((call) => call._tag === "Watch" ? [] : [call])
    assert.deepStrictEqual(calls.map(({ _tag }) => _tag), ["Supervise"])
    for (const { _tag, payloadSchema } of calls) {
      for (const payload of [undefined, null, {}, "Supervise"]) {
        assert.isTrue(Either.isLeft(Schema.decodeUnknownEither(payloadSchema)(payload)), _tag)
      }
    }
  })

  it.live("has one entity a shard, whose id the cluster places there, the same in every process", () =>
    Effect.gen(function*() {
      const sharding = yield* Sharding.Sharding
      const shards = Array.from({ length: 300 }, (_, index) => index + 1)
      const ascending = makeShardEntityIds(sharding)
      const ids = shards.map(ascending)
      assert.deepStrictEqual(ids.map((id) => sharding.getShardId(id, shardGroup).id), shards)
      const descending = makeShardEntityIds(sharding)
      assert.deepStrictEqual(shards.toReversed().map(descending).toReversed(), ids)
    }).pipe(Effect.provide(memoryCluster)))
})
