import { ClusterError, Sharding } from "@effect/cluster"
import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Claims } from "../../src/Task/Claim/Claims.ts"
import { Shards } from "../../src/Task/Claim/Shards.ts"
import { eventually } from "../support/Eventually.ts"
import { givenTask } from "../support/GivenTasks.ts"
import { scriptedModel } from "../support/ScriptedModel.ts"
import { rowOf, stepsOf } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { startWorker } from "../support/Workers.ts"
import { address, lock } from "./claims.ts"

inWorld("Waker of a runner that gains shards", (test) => {
  test("claims at once what is due in them", function*() {
    const { query, sent } = yield* Wire
    const held = new Set<number>()
    const shards = Shards.of({
      ...yield* Shards,
      address,
      owned: () => [...held],
      holdsMoreThan: (known) => [...held].some((shard) => !known.has(shard))
    })
    const claims = Context.get(
      yield* Layer.build(Claims.layer).pipe(Effect.provideService(Shards, shards)),
      Claims
    )
    yield* startWorker({ scripted: scriptedModel(), pollInterval: "1 hour" }).pipe(
      Effect.provideService(Shards, shards),
      Effect.provideService(Claims, claims)
    )
    const scans = () => sent.filter(({ name }) => name === "claims_take").length
    yield* eventually(Effect.sync(scans), (count) => count === 1)

    for (const shard of [301, 302]) {
      const id = yield* givenTask()
      yield* query("update actors set shard = $2 where task_id = $1", [id, shard])
      yield* lock([shard], -3600)
      held.add(shard)
      yield* eventually(rowOf(id), ({ status }) => status === "completed")
      assert.deepStrictEqual((yield* stepsOf(id)).map(({ kind }) => kind), ["woken", "model"])
    }
  })
})

inWorld("Waker of a runner that loses a shard", (test) => {
  test("releases a claim whose entity it can't call any more, without an attempt counted, and claims it again", function*() {
    const sharding = yield* Sharding.Sharding
    let refusals = 0
    const id = yield* givenTask()
    const scripted = scriptedModel()
    yield* startWorker({ scripted, inWorldCluster: true }).pipe(Effect.provideService(
      Sharding.Sharding,
      Sharding.Sharding.of({
        ...sharding,
        send: (message) =>
          refusals++ === 0
            ? new ClusterError.EntityNotAssignedToRunner({ address: message.envelope.address })
            : sharding.send(message)
      })
    ))
    yield* eventually(rowOf(id), ({ status }) => status === "completed")
    assert.deepStrictEqual(
      (yield* stepsOf(id)).flatMap((step) => step.kind === "woken" ? [step.reason] : [step.kind]),
      ["first", "resume", "model"]
    )
    assert.strictEqual(scripted.requests.length, 1)
  })
})
