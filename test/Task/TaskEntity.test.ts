import { ClusterSchema } from "@effect/cluster"
import { assert, describe, it } from "@effect/vitest"
import { Context, Either, Schema } from "effect"
import { HeldClaim, TaskEntity } from "../../src/Task/TaskEntity.ts"
import { claimOf } from "./claims.ts"

describe("TaskEntity", () => {
  it("has no call that is persisted: without a message storage it would vanish", () => {
    const calls = [...TaskEntity.protocol.requests.values()]
    assert.isNotEmpty(calls)
    for (const call of calls) assert.isFalse(Context.get(call.annotations, ClusterSchema.Persisted), call._tag)
  })

  it("takes a claim only as the object that this process made", () => {
    const decode = Schema.decodeUnknownEither(HeldClaim)
    const claim = claimOf(1, "amy")
    assert.strictEqual(Either.getOrThrow(decode(claim)), claim)
    assert.isTrue(Either.isLeft(decode({ ...claim })))
  })
})
