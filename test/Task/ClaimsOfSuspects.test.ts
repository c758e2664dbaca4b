import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Claim } from "../../src/Task/Claim/Claims.ts"
import { Journal } from "../../src/Task/Journal/Journal.ts"
import { processRestarted as restart, stepAfter } from "../support/GivenTasks.ts"
import { rowOf } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { givenDue, idOf, lockedRunner, names, shard } from "./claims.ts"
import { alone, deathsOf, suspected, wanted } from "./deaths.ts"

const pause = (claim: Claim) =>
  Effect.flatMap(
    Journal,
    (journal) =>
      journal.append(
        stepAfter(claim, { kind: "crashed", reason: "the process ended", retryAt: 0, deaths: claim.deaths }, {
          run: null,
          attempts: 0,
          keepsDeaths: true,
          wake: { _tag: "After", millis: 60_000 }
        })
      )
  )

inWorld("Claims of suspects", (test) => {
  test("take one suspect only, in addition to the ordinary tasks", function*() {
    const claims = yield* lockedRunner
    yield* givenDue("alice", 3)
    yield* suspected(2)
    yield* givenDue("bob", 2)
    yield* givenDue("carol", 1, 302)
    assert.deepStrictEqual(names(yield* claims.take(wanted)), ["bob.1", "bob.2"], "no suspect is allowed")
    yield* givenDue("dave", 1)
    const active = new Map([[yield* idOf("bob.1"), "bob"], [yield* idOf("bob.2"), "bob"]])
    const [suspect, ...others] = yield* claims.take({ ...alone, active })
    assert.deepInclude(suspect, { input: "alice.1", deaths: 2, claimKind: "alone" })
    assert.deepStrictEqual(names(others), ["dave.1"])
    const full = yield* claims.take({ ...alone, free: 0 })
    assert.deepStrictEqual(names(full), [])
    assert.strictEqual((yield* rowOf(yield* idOf("alice.2"))).queued_by, "", "it stays in the queue of suspects")
  })

  test("take a suspect only in its user's turn", function*() {
    const claims = yield* lockedRunner
    yield* givenDue("bob", 1)
    yield* suspected(2)
    yield* givenDue("alice", 2, shard, 60)
    assert.deepStrictEqual(names(yield* claims.take({ ...alone, free: 1 })), ["alice.1"])
    const active = new Map([[yield* idOf("alice.1"), "alice"]])
    const next = { ...alone, active, free: 1, after: "alice" }
    assert.deepStrictEqual(names(yield* claims.take(next)), ["bob.1"])
  })

  test("take the next user's suspect while the user of the oldest one is at the share", function*() {
    const claims = yield* lockedRunner
    yield* givenDue("alice", 1, shard, 60)
    yield* givenDue("bob", 1)
    yield* suspected(2)
    yield* givenDue("other", 1, 302)
    const active = new Map([[yield* idOf("other.1"), "alice"]])
    assert.deepStrictEqual(names(yield* claims.take({ ...alone, perUser: 1, active })), ["bob.1"])
    assert.deepStrictEqual(names(yield* claims.take({ ...alone, perUser: 2, active })), ["alice.1"])
  })

  test("take a suspect before older tasks of its user, within the share", function*() {
    const claims = yield* lockedRunner
    yield* givenDue("alice", 1)
    yield* suspected(2)
    yield* givenDue("alice", 3, shard, 60)
    yield* givenDue("bob", 1)
    const taken = yield* claims.take({ ...alone, perUser: 2 })
    assert.deepStrictEqual(taken.map(({ claimKind, creator }) => [creator, claimKind]), [
      ["alice", "alone"],
      ["bob", null],
      ["alice", null]
    ])
  })

  test("distinguish a death of the only suspect from one beside other suspects", function*() {
    const claims = yield* lockedRunner
    yield* givenDue("alice", 1)
    const id = yield* idOf("alice.1")
    yield* suspected(2)
    const [first] = yield* claims.take({ ...wanted, suspect: { isAlone: false } })
    assert.deepInclude(first, { deaths: 2, claimKind: null })
    yield* restart
    const [besides] = yield* claims.take(alone)
    assert.deepInclude(besides, { deaths: 3, loneDeaths: 0, claimKind: "recovered" })
    if (besides !== undefined) yield* pause(besides)
    assert.deepStrictEqual(yield* deathsOf(id), { attempts: 0, deaths: 3, lone: 0, kind: "recovered", queued_by: "" })

    const { query } = yield* Wire
    yield* query("update actors set wake_at = now() - interval '1 second'")
    const [second] = yield* claims.take(alone)
    assert.deepInclude(second, { deaths: 3, attempts: 1, claimKind: "alone" })
    yield* restart
    const [last] = yield* claims.take(alone)
    assert.deepInclude(last, { deaths: 4, loneDeaths: 1, claimKind: "recovered" })
  })

  test("count a suspect as not alone when it is claimed together with the tasks of a process that ended", function*() {
    const claims = yield* lockedRunner
    yield* givenDue("alice", 1)
    yield* suspected(2)
    yield* givenDue("bob", 1)
    yield* claims.take(wanted)
    yield* restart
    const taken = yield* claims.take(alone)
    assert.deepStrictEqual(taken.map(({ claimKind, input }) => [input, claimKind]), [
      ["alice.1", null],
      ["bob.1", "recovered"]
    ])
  })
})
