import { ClusterSchema } from "@effect/cluster"
import { assert, describe, it } from "@effect/vitest"
import { Context } from "effect"
import { TaskEntity } from "../../src/Task/TaskEntity.ts"

describe("TaskEntity", () => {
  it("has no call that is persisted: without a message storage it would vanish", () => {
    const calls = [...TaskEntity.protocol.requests.values()]
    assert.isNotEmpty(calls)
    for (const call of calls) assert.isFalse(Context.get(call.annotations, ClusterSchema.Persisted), call._tag)
  })
})
