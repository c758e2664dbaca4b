import { ClusterSchema } from "@effect/cluster"
import { assert, describe, it } from "@effect/vitest"
import { Context, Either, Schema } from "effect"
import { TaskEntity } from "../../src/Task/Actor/TaskEntity.ts"
import { claimOf } from "./claims.ts"

describe("TaskEntity", () => {
  it("has no call that is persisted: without a message storage it would be lost", () => {
    const calls = [...TaskEntity.protocol.requests.values()]
    assert.isNotEmpty(calls)
    for (const call of calls) assert.isFalse(Context.get(call.annotations, ClusterSchema.Persisted), call._tag)
  })

  it("lets another process only watch: the other calls take a claim as the object that this process made", () => {
    const claim = claimOf(1, "amy")
    const calls = [...TaskEntity.protocol.requests.values()].flatMap((call) => call._tag === "Watch" ? [] : [call])
    assert.deepStrictEqual(calls.map(({ _tag }) => _tag).toSorted(), ["Interrupt", "Wake"])
    for (const { _tag, payloadSchema } of calls) {
      const decode = Schema.decodeUnknownEither(payloadSchema)
      assert.strictEqual(Either.getOrThrow(decode(claim)), claim, _tag)
      assert.isTrue(Either.isLeft(decode({ ...claim })), _tag)
    }
  })
})
