import { assert } from "@effect/vitest"
import type { TaskId } from "@troupe/domain/Ids"
import type { Step } from "@troupe/domain/Step"
import { Effect } from "effect"
import { alice } from "../support/GivenTasks.ts"
import { rowOf, stepsOf } from "../support/TaskRows.ts"
import { inWorld, lockExpirationSeconds, Wire } from "../support/TaskWorld.ts"
import { address, givenDue, idOf, lock, lockedRunner, names, nobody, runner, shard } from "./claims.ts"

inWorld("Claims", (test) => {
  test("take the oldest of a user's due tasks first, and none before its time", function*() {
    yield* lock([shard])
    const { query } = yield* Wire
    const claims = yield* runner()
    yield* givenDue("alice", 5)
    yield* query("update actors set wake_at = now() + interval '1 hour' where task_id = $1", [yield* idOf("alice.2")])
    yield* query("update actors set wake_at = null where task_id = $1", [yield* idOf("alice.3")])
    const take = claims.take({ free: 2, perUser: 10, after: "", active: nobody })
    assert.deepStrictEqual(names(yield* take), ["alice.1", "alice.4"])
  })

  test("visit the users in turn, once each, starting after the last one", function*() {
    yield* lock([shard])
    for (const user of ["alice", "bob", "carol"]) yield* givenDue(user, 3)
    const first = yield* runner()
    const behind = yield* first.take({ free: 7, perUser: 10, after: "alice", active: nobody })
    assert.deepStrictEqual(names(behind), ["bob.1", "carol.1", "alice.1", "bob.2", "carol.2", "alice.2", "bob.3"])
  })

  test("give each user a turn when there are fewer slots than users", function*() {
    const claims = yield* lockedRunner
    for (const user of ["a", "b", "c", "d"]) yield* givenDue(user, 2)
    const active = new Map<TaskId, string>()
    const taken: Array<string> = []
    let after = ""
    for (let place = 0; place < 8; place++) {
      for (const claim of yield* claims.take({ free: 1, perUser: 8, after, active })) {
        active.set(claim.taskId, claim.creator)
        after = claim.creator
        taken.push(claim.input)
      }
    }
    assert.deepStrictEqual(taken, ["a.1", "b.1", "c.1", "d.1", "a.2", "b.2", "c.2", "d.2"])
  })

  test("keep a user within their share, running tasks included, and leave the rest to others", function*() {
    const claims = yield* lockedRunner
    yield* givenDue("alice", 6)
    yield* givenDue("bob", 1)
    const working = yield* idOf("alice.1")
    const active = new Map([[working, "alice"]])
    const taken = yield* claims.take({ free: 6, perUser: 3, after: "", active })
    assert.deepStrictEqual(names(taken), ["alice.2", "bob.1", "alice.3"])
    assert.include(yield* rowOf(working), { epoch: 0, seq: 0, attempts: 0 }, "what has an actor is not touched")
  })

  test("take tasks of the runner's own shards only", function*() {
    yield* lock([301, 302])
    yield* lock([303], 0, "10.0.0.7:1")
    const claims = yield* runner([301, 303])
    yield* givenDue("mine", 1, 301)
    yield* givenDue("unasked", 1, 302)
    yield* givenDue("theirs", 1, 303)
    yield* givenDue("unlocked", 1, 304)
    const take = claims.take({ free: 9, perUser: 9, after: "", active: nobody })
    assert.deepStrictEqual(names(yield* take), ["mine.1"])
    assert.include(yield* rowOf(yield* idOf("theirs.1")), { epoch: 0, seq: 0 })
  })

  test("take nothing for a runner whose locks are stale, even if it still lists its shards", function*() {
    const claims = yield* runner()
    yield* givenDue("alice", 1)
    const take = claims.take({ free: 9, perUser: 9, after: "", active: nobody })
    yield* lock([shard], lockExpirationSeconds + 1)
    assert.deepStrictEqual(names(yield* take), [])
    assert.include(yield* rowOf(yield* idOf("alice.1")), { epoch: 0, seq: 0, attempts: 0, status: "pending" })
    yield* lock([shard], lockExpirationSeconds - 5)
    assert.deepStrictEqual(names(yield* take), ["alice.1"])
  })

  test("leave a task that two runners claimed to the one with the higher epoch", function*() {
    const claims = yield* lockedRunner
    yield* givenDue("alice", 20)
    const take = claims.take({ free: 20, perUser: 20, after: "", active: nobody })
    const taken = (yield* Effect.all([take, take, take], { concurrency: "unbounded" })).flat()
    const held = new Map(taken.sort((a, b) => a.epoch - b.epoch).map((claim) => [claim.taskId, claim.epoch]))
    assert.strictEqual(new Set(taken.map(({ epoch, taskId }) => `${taskId} ${epoch}`)).size, taken.length)
    for (const claim of taken) {
      const isStale = (yield* claims.stale([claim])).length === 1
      assert.strictEqual(isStale, held.get(claim.taskId) !== claim.epoch)
    }
  })

  test("raise the epoch, the step number and the attempts, and journal who woke the task and why", function*() {
    yield* lock([shard])
    const { query } = yield* Wire
    const claims = yield* runner()
    yield* givenDue("alice", 1)
    const id = yield* idOf("alice.1")
    const take = Effect.map(claims.take({ free: 1, perUser: 1, after: "", active: nobody }), ([claim]) => claim)
    const woken = (epoch: number, reason: "first" | "recovery" | "resume" | "retry"): Step => ({
      kind: "woken",
      epoch,
      reason,
      runner: address
    })

    const first = yield* take
    assert.deepInclude(first, { taskId: id, epoch: 1, seq: 1, status: "running", attempts: 1, creator: alice })
    assert.isTrue(first?.isFresh)
    assert.include(yield* rowOf(id), { epoch: 1, seq: 1, attempts: 1, runner: address, job_seq: 1 })
    assert.isNotNull((yield* rowOf(id)).wake_at, "it stays due, should this runner fall")

    yield* query("update actors set runner = null where task_id = $1", [id])
    const recovered = yield* take
    assert.deepInclude(recovered, { epoch: 2, seq: 2, attempts: 2 })
    assert.isFalse(recovered?.isFresh)

    yield* query("update actors set attempts = 0, runner = null where task_id = $1", [id])
    assert.deepInclude(yield* take, { epoch: 3, seq: 3, attempts: 1 })

    yield* query("update actors set status = 'pending', attempts = 0, runner = null, seq = 4 where task_id = $1", [
      id
    ])
    yield* query("insert into steps (task_id, seq, body) values ($1, 4, $2)", [
      id,
      JSON.stringify({ kind: "retried" })
    ])
    assert.deepInclude(yield* take, { epoch: 4, seq: 5 })

    assert.deepStrictEqual(yield* stepsOf(id), [
      woken(1, "first"),
      woken(2, "recovery"),
      woken(3, "resume"),
      { kind: "retried" },
      woken(4, "retry")
    ])
  })

  test("keep the time at which the task first started", function*() {
    yield* lock([shard])
    const { query } = yield* Wire
    const claims = yield* runner()
    yield* givenDue("alice", 1)
    const startedAt = Effect.map(query<{ started_at: Date }>("select started_at from actors"), ([row]) => row)
    const take = claims.take({ free: 1, perUser: 1, after: "", active: nobody })
    yield* take
    const once = yield* startedAt
    assert.isNotNull(once?.started_at)
    yield* take
    assert.deepStrictEqual(yield* startedAt, once)
  })

  test("give back the attempt of a released claim, but not of one that another epoch or nobody holds", function*() {
    yield* lock([shard])
    const { query } = yield* Wire
    const claims = yield* runner()
    yield* givenDue("alice", 3)
    const taken = yield* claims.take({ free: 3, perUser: 3, after: "", active: nobody })
    const [letGo, stolen, parked] = yield* Effect.all([idOf("alice.1"), idOf("alice.2"), idOf("alice.3")])
    yield* query("update actors set epoch = epoch + 1 where task_id = $1", [stolen])
    yield* query("update actors set wake_at = null where task_id = $1", [parked])
    yield* claims.release(taken)
    assert.include(yield* rowOf(letGo), { attempts: 0, runner: null, epoch: 1, seq: 1 })
    assert.include(yield* rowOf(stolen), { attempts: 1, runner: address })
    assert.include(yield* rowOf(parked), { attempts: 1, runner: address })
    yield* claims.release([])
  })

  test("report which actors no longer hold their task", function*() {
    yield* lock([shard])
    const { query } = yield* Wire
    const claims = yield* runner()
    yield* givenDue("alice", 3)
    const taken = yield* claims.take({ free: 3, perUser: 3, after: "", active: nobody })
    const [held, stolen, gone] = yield* Effect.all([idOf("alice.1"), idOf("alice.2"), idOf("alice.3")])
    yield* query("update actors set epoch = epoch + 1 where task_id = $1", [stolen])
    yield* query("delete from actors where task_id = $1", [gone])
    assert.deepStrictEqual([...yield* claims.stale(taken)].sort(), [stolen, gone].sort())
    assert.notInclude(yield* claims.stale(taken), held)
    assert.deepStrictEqual(yield* claims.stale([]), [])
  })

  test("find a due task behind users who have only sleeping, foreign or active ones", function*() {
    yield* lock([shard])
    const { query } = yield* Wire
    const claims = yield* runner()
    for (const user of ["asleep1", "asleep2", "asleep3"]) yield* givenDue(user, 2)
    yield* query("update actors set wake_at = now() + interval '1 hour'")
    for (const user of ["foreign1", "foreign2", "foreign3"]) yield* givenDue(user, 2, 302)
    const active = new Map<TaskId, string>()
    for (const user of ["busy1", "busy2", "busy3"]) {
      yield* givenDue(user, 1)
      active.set(yield* idOf(`${user}.1`), user)
    }
    // At work on all that they may have at a time.
    yield* givenDue("full", 3)
    for (const name of ["full.1", "full.2"]) active.set(yield* idOf(name), "full")
    yield* givenDue("zoe", 1)
    for (const after of ["", "asleep1", "busy2", "full", "zoe"]) {
      const taken = yield* claims.take({ free: 1, perUser: 2, after, active })
      assert.deepStrictEqual(names(taken), ["zoe.1"], `beginning behind "${after}"`)
      yield* claims.release(taken)
    }
  })
})
