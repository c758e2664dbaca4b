import { assert } from "@effect/vitest"
import type { Step } from "@troupe/domain/Step"
import { Effect } from "effect"
import { Journal } from "../../src/Task/Journal/Journal.ts"
import { processRestarted as restart, stepAfter } from "../support/GivenTasks.ts"
import { stepsOf } from "../support/TaskRows.ts"
import { inWorld, lockExpirationSeconds, Wire } from "../support/TaskWorld.ts"
import { address, givenDue, idOf, lock, lockedRunner, runner, shard } from "./claims.ts"
import { alone, deathsOf, suspected, wanted } from "./deaths.ts"
import { said } from "./steps.ts"

const successor = "10.0.0.8:1"

/** The process of the other address has been silent for too long, and its shard goes to this one. */
const fail = (dead: string, to: string) =>
  Effect.zipRight(lock([], lockExpirationSeconds + 1, dead), lock([shard], 0, to))

inWorld("Claims after process deaths", (test) => {
  test("count the death of the process that held a task, and no crash, when it starts again or another takes over", function*() {
    const claims = yield* lockedRunner
    yield* givenDue("alice", 1)
    const id = yield* idOf("alice.1")
    yield* claims.take(wanted)
    yield* restart
    const [again] = yield* claims.take(wanted)
    assert.deepInclude(again, { attempts: 1, deaths: 1, loneDeaths: 0, claimKind: "recovered" })
    assert.deepStrictEqual(yield* deathsOf(id), {
      attempts: 1,
      deaths: 1,
      lone: 0,
      kind: "recovered",
      queued_by: null
    })

    yield* fail(address, successor)
    const other = yield* runner([shard], successor)
    const [taken] = yield* other.take(wanted)
    assert.deepInclude(taken, { attempts: 1, deaths: 2, loneDeaths: 0, claimKind: "recovered" })
    assert.strictEqual((yield* deathsOf(id)).queued_by, "", "from the second death on it is a suspect")
    assert.deepStrictEqual(
      (yield* stepsOf(id)).slice(1),
      [
        { kind: "woken", epoch: 2, reason: "recovery", runner: address, deaths: 1 },
        { kind: "woken", epoch: 3, reason: "recovery", runner: successor, deaths: 2 }
      ] satisfies ReadonlyArray<Step>
    )
  })

  test("count nothing when a task is released, when its shard moves from a live process, or was not released here", function*() {
    const claims = yield* lockedRunner
    yield* givenDue("alice", 1)
    yield* claims.release(yield* claims.take(wanted))
    const [released] = yield* claims.take(wanted)
    assert.deepInclude(released, { attempts: 1, deaths: 0, claimKind: null })

    const [kept] = yield* claims.take(wanted)
    assert.deepInclude(kept, { attempts: 1, deaths: 0, claimKind: "moved" })

    yield* lock([shard], 0, successor)
    const other = yield* runner([shard], successor)
    const [moved] = yield* other.take(wanted)
    assert.deepInclude(moved, { attempts: 1, deaths: 0, claimKind: "moved" })
  })

  test("count no death when this process loses its locks in a database outage and takes them again", function*() {
    const { query } = yield* Wire
    const claims = yield* lockedRunner
    yield* givenDue("alice", 1)
    yield* claims.take(wanted)
    yield* query("update cluster_locks set acquired_at = clock_timestamp() + interval '1 second'")
    const [again] = yield* claims.take(wanted)
    assert.deepInclude(again, { attempts: 1, deaths: 0, claimKind: "moved" })
  })

  test("count from zero once the task has journalled a step, and keep the count otherwise", function*() {
    const claims = yield* lockedRunner
    const journal = yield* Journal
    yield* givenDue("alice", 1)
    const id = yield* idOf("alice.1")
    yield* suspected(5)
    const [suspect] = yield* claims.take(alone)
    if (suspect === undefined) return yield* Effect.dieMessage("The suspect was not claimed")
    yield* journal.append(stepAfter(suspect, said("It works.")))
    assert.deepInclude(yield* deathsOf(id), { deaths: 0, lone: 0, queued_by: null })
    yield* restart
    const [next] = yield* claims.take(wanted)
    assert.deepInclude(next, { deaths: 1, loneDeaths: 0, claimKind: "recovered" }, "the claim as a suspect is over")
  })
})
