import { Sharding } from "@effect/cluster"
import { assert } from "@effect/vitest"
import { TaskId, UserId } from "@troupe/domain/Ids"
import { Context, Effect, Layer } from "effect"
import { type Claim, Claims } from "../../src/Task/Claim/Claims.ts"
import { Slots } from "../../src/Task/Claim/Slots.ts"
import { Shards } from "../../src/Task/Row/Shards.ts"
import { TaskSignals } from "../../src/Task/Row/TaskSignals.ts"
import { tool } from "../Agent/loop.ts"
import { eventually } from "../support/Eventually.ts"
import { claim, givenTask } from "../support/GivenTasks.ts"
import { asks, call, says, scriptedModel, type Turn } from "../support/ScriptedModel.ts"
import { becomes, rowOf, stepsOf } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { startWorker } from "../support/Workers.ts"
import { address, givenDue, lock } from "./claims.ts"

inWorld("Waker", (test) => {
  test("runs suspects of three deaths one at a time beside the ordinary tasks, and the next as soon as one has progressed", function*() {
    const { query } = yield* Wire
    const answers = yield* Effect.makeSemaphore(9)
    yield* answers.take(9)
    const held: Turn = (request) => Effect.zipRight(answers.take(1), says("Done.")(request))
    const scripted = scriptedModel(...Array.from({ length: 4 }, () => held))
    const asked = (count: number) =>
      eventually(Effect.sync(() => scripted.requests.length), (requests) => requests === count)
    const suspects = yield* Effect.all([givenTask("Odd one"), givenTask("Odd two"), givenTask("Odd three")])
    yield* query("update actors set process_deaths = 3, queued_by = ''")
    yield* startWorker({ scripted, pollInterval: "1 hour" })
    yield* asked(1)

    yield* givenTask("Ordinary")
    yield* asked(2)
    assert.include(JSON.stringify(scripted.requests[1]), "Ordinary")
    assert.lengthOf(
      yield* query("select from actors where queued_by = '' and status = 'pending'"),
      2,
      "the others wait"
    )

    yield* answers.release(1)
    yield* asked(3)
    yield* answers.release(2)
    yield* asked(4)
    yield* answers.release(1)
    for (const id of suspects) {
      yield* becomes(id, "completed")
      assert.deepInclude(yield* rowOf(id), { process_deaths: 0, queued_by: null })
    }
  })

  test("runs twice as many suspects of two deaths after each that got beyond its step", function*() {
    const { query } = yield* Wire
    const answers = yield* Effect.makeSemaphore(9)
    yield* answers.take(9)
    const held: Turn = (request) => Effect.zipRight(answers.take(1), says("Done.")(request))
    const scripted = scriptedModel(...Array.from({ length: 7 }, () => held))
    const suspects = yield* Effect.forEach(["1", "2", "3", "4", "5", "6", "7"], (name) => givenTask(name))
    yield* query("update actors set process_deaths = 2, queued_by = ''")
    yield* startWorker({ scripted, pollInterval: "1 hour" })
    for (const begun of [1, 3, 6, 7]) {
      yield* eventually(Effect.sync(() => scripted.requests.length), (requests) => requests === begun)
      const waiting = yield* query("select from actors where queued_by = '' and status = 'pending'")
      assert.lengthOf(waiting, suspects.length - begun)
      yield* answers.release(1)
    }
    yield* answers.release(6)
    for (const id of suspects) yield* becomes(id, "completed")
  })

  test("begins the task of a new user with one of the next two slots, though more is due than a scan reads", function*() {
    const answers = yield* Effect.makeSemaphore(9)
    yield* answers.take(9)
    const held: Turn = (request) => Effect.zipRight(answers.take(1), says("Done.")(request))
    const scripted = scriptedModel(...Array.from({ length: 20 }, () => held))
    const asked = (count: number) =>
      eventually(Effect.sync(() => scripted.requests.length), (requests) => requests === count)
    yield* Effect.forEach(["ada", "bela", "cleo", "dora", "emil", "fay"], (user) => givenDue(user, 100, 1))
    yield* startWorker({ scripted, maxActive: 4, pollInterval: "1 hour" })
    yield* asked(4)
    yield* givenTask("Of a new user", UserId.make("zoe"))
    yield* answers.release(2)
    yield* asked(6)
    assert.include(JSON.stringify(scripted.requests.slice(4)), "Of a new user")
  })

  test("runs the next suspect once the first is at its second step, even while the waker is busy with a signal", function*() {
    const wire = yield* Wire
    const { revoked } = yield* TaskSignals
    const gate = yield* Effect.makeLatch(false)
    const look = tool("look", "read", Effect.never)
    const held: Turn = (request) => Effect.zipRight(gate.await, asks(call("c1", "look"))(request))
    const scripted = scriptedModel(held)
    const suspects = yield* Effect.all([givenTask("Odd one"), givenTask("Odd two")])
    yield* wire.query("update actors set process_deaths = 2, queued_by = ''")
    let isBusy = false
    wire.before = ({ name }) => {
      if (name !== "claims_stale" || scripted.requests.length === 0) return Effect.void
      isBusy = true
      return Effect.never
    }
    yield* startWorker({ scripted, tools: [look], pollInterval: "1 hour" })
    yield* eventually(Effect.sync(() => scripted.requests.length), (requests) => requests === 1)
    revoked(suspects)
    yield* eventually(Effect.sync(() => isBusy), (busy) => busy)
    yield* gate.open
    yield* eventually(Effect.sync(() => scripted.requests.length), (requests) => requests === 2)
  })

  for (
    const { maxActive, reason, users } of [
      { reason: "no slot was free", users: ["amy", "bob", "cid"], maxActive: 2 },
      { reason: "the user had no free slot", users: ["amy", "amy", "amy", "amy"], maxActive: 4 }
    ]
  ) {
    test(`fills a slot that is freed during a scan which stopped because ${reason}`, function*() {
      const wire = yield* Wire
      const { wake } = yield* TaskSignals
      const [first, others] = yield* Effect.all([Effect.makeLatch(false), Effect.makeLatch(false)])
      const answer = (gate: Effect.Latch): Turn => (request) => Effect.zipRight(gate.await, says("Done.")(request))
      const scripted = scriptedModel(answer(first), ...users.map(() => answer(others)))
      const begun = (count: number) =>
        eventually(Effect.sync(() => scripted.requests.length), (requests) => requests === count)
      yield* startWorker({ scripted, maxActive, pollInterval: "1 hour" })
      const id = yield* givenTask("The first", UserId.make("amy"))
      yield* begun(1)
      // A scan that followed the first task must not claim one of the others before the first may end.
      const [held, scan] = yield* Effect.all([Effect.makeLatch(false), Effect.makeLatch(false)])
      wire.before = ({ name }) => name === "claims_candidates" ? Effect.zipRight(held.open, scan.await) : Effect.void
      wake([1])
      yield* held.await
      for (const user of users.slice(1)) yield* givenDue(user, 1, 1)
      const firstEnds = Effect.zipRight(first.open, becomes(id, "completed")).pipe(
        Effect.asVoid,
        Effect.provideService(Wire, wire)
      )
      wire.after = ({ name }) => name === "claims_take" ? firstEnds : Effect.void
      yield* scan.open
      yield* begun(users.length)
      yield* others.open
    })
  }

  test("has no slot for another suspect because of an earlier claim of the task", function*() {
    const id = yield* givenTask()
    const [earlier, later] = [{ ...yield* claim(id), deaths: 2 }, { ...yield* claim(id), deaths: 2 }]
    const slots = new Slots(2)
    slots.add(earlier)
    slots.remove(id)
    slots.add(later)
    assert.isFalse(slots.progressed(earlier))
    assert.isNull(slots.room.suspects)
    assert.isTrue(slots.progressed(later))
    assert.deepStrictEqual(slots.room.suspects, { most: 2, isFirst: true, isAlone: true })
  })

  test("has one place for suspects again after a process ended with one, or once none is due", function*() {
    const made = yield* claim(yield* givenTask())
    const suspect = (name: string, over: Partial<Claim> = {}): Claim => ({
      ...made,
      taskId: TaskId.make(`00000000-0000-7000-8000-00000000000${name}`),
      deaths: 2,
      ...over
    })
    const slots = new Slots(9)
    const most = () => slots.room.suspects?.most
    const passes = (claim: Claim) => {
      slots.add(claim)
      slots.progressed(claim)
      slots.remove(claim.taskId)
    }
    passes(suspect("1"))
    passes(suspect("2"))
    assert.strictEqual(most(), 4)
    slots.add(suspect("3"))
    assert.deepStrictEqual(slots.room.suspects, { most: 3, isFirst: false, isAlone: false })

    const killed = suspect("4", { deaths: 3, claimKind: "recovered" })
    slots.add(killed)
    assert.isNull(slots.room.suspects)
    slots.ended(killed)
    slots.remove(killed.taskId)
    slots.remove(suspect("3").taskId)
    assert.strictEqual(most(), 1)

    passes(suspect("5"))
    assert.strictEqual(most(), 2)
    slots.forgetSuspects()
    assert.strictEqual(most(), 1)
    for (let count = 0; count < 9; count++) passes(suspect("6"))
    assert.strictEqual(most(), 9)
  })

  test("claims at once what is due in shards that its runner gains", function*() {
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
    const scans = () => sent.filter(({ name }) => name === "claims_candidates").length
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

  test("releases a claim of a shard that it has just lost, without an attempt counted, and claims it again", function*() {
    const sharding = yield* Sharding.Sharding
    let refusals = 0
    const id = yield* givenTask()
    const scripted = scriptedModel()
    yield* startWorker({ scripted, inWorldCluster: true }).pipe(Effect.provideService(
      Sharding.Sharding,
      Sharding.Sharding.of({
        ...sharding,
        hasShardId: (shard) => refusals++ > 0 && sharding.hasShardId(shard)
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
