import { assert } from "@effect/vitest"
import { TaskId } from "@troupe/domain/Ids"
import { Effect } from "effect"
import { TaskCommands } from "../../src/Task/TaskCommands.ts"
import { inWorld, lockExpirationSeconds, Wire } from "../support/TaskWorld.ts"
import { address, givenDue, idOf, lock, lockedRunner, names, nobody, runner, shard } from "./claims.ts"

/** The runner that has queued each task. */
const queues = Effect.flatMap(Wire, ({ query }) =>
  query<{ name: string; queued_by: string | null }>(
    "select t.description as name, a.queued_by from actors a join tasks t on t.id = a.task_id order by t.description"
  )).pipe(Effect.map((rows) => Object.fromEntries(rows.map(({ name, queued_by }) => [name, queued_by]))))

inWorld("Claims of queued tasks", (test) => {
  test("queue what exceeds the free slots to their runner, and find it there at any age, the oldest first", function*() {
    const claims = yield* lockedRunner
    yield* givenDue("alice", 4, shard, 3600)
    yield* givenDue("bob", 2, shard, 3600)
    const first = yield* claims.look({ free: 2, perUser: 9, after: "", active: nobody })
    assert.deepStrictEqual(names(first.claims), ["alice.1", "bob.1"])
    assert.deepStrictEqual(yield* queues, {
      "alice.1": null,
      "alice.2": address,
      "alice.3": address,
      "alice.4": address,
      "bob.1": null,
      "bob.2": address
    })
    const active = new Map(first.claims.map((claim) => [claim.taskId, claim.creator]))
    // Newer than the queued tasks, and of a user who comes before theirs.
    yield* givenDue("aaron", 1)
    const look = { perUser: 9, active, since: 1800 }
    assert.deepStrictEqual(names(yield* claims.take({ ...look, free: 2, after: "bob" })), ["aaron.1", "alice.2"])
    assert.deepStrictEqual(names(yield* claims.take({ ...look, free: 2, after: "alice" })), ["bob.2", "aaron.1"])
  })

  test("take a user's queued tasks before those that came due later", function*() {
    const claims = yield* lockedRunner
    yield* givenDue("alice", 3, shard, 100)
    const [first] = yield* claims.take({ free: 1, perUser: 9, after: "", active: nobody })
    const active = new Map([[first?.taskId ?? TaskId.make("none"), "alice"]])
    const { query } = yield* Wire
    yield* query("update actors set wake_at = date_trunc('milliseconds', now()), queued_by = null where task_id = $1", [
      yield* idOf("alice.2")
    ])
    const look = { free: 9, after: "", active, since: 60 }
    assert.deepStrictEqual(names(yield* claims.take({ ...look, perUser: 2 })), ["alice.3"])
    assert.strictEqual((yield* queues)["alice.2"], address)
  })

  test("apply a user's share to queued tasks too, and claim those of other users", function*() {
    const claims = yield* lockedRunner
    yield* givenDue("alice", 6, shard, 3600)
    yield* givenDue("bob", 1, shard, 3600)
    const taken = yield* claims.take({ free: 1, perUser: 2, after: "bob", active: nobody })
    const active = new Map(taken.map((claim) => [claim.taskId, claim.creator]))
    assert.deepStrictEqual(names(taken), ["alice.1"])
    const next = yield* claims.take({ free: 6, perUser: 2, after: "alice", active, since: 60 })
    assert.deepStrictEqual(names(next), ["bob.1", "alice.2"])
  })

  test("take over what another runner has queued in a full scan", function*() {
    const others = "10.0.0.7:1"
    const { query } = yield* Wire
    const claims = yield* runner()
    yield* givenDue("alice", 2, shard, 3600)
    yield* query("update actors set queued_by = $1", [others])
    const look = { free: 1, perUser: 9, after: "", active: nobody }
    yield* lock([shard], 0, others)
    assert.deepStrictEqual(names(yield* claims.take(look)), [])
    yield* lock([shard])
    assert.deepStrictEqual(names(yield* claims.take({ ...look, since: 60 })), [])
    const taken = yield* claims.take(look)
    assert.deepStrictEqual(names(taken), ["alice.1"])
    const active = new Map(taken.map((claim) => [claim.taskId, claim.creator]))
    assert.deepStrictEqual(names(yield* claims.take({ ...look, active, since: 60 })), ["alice.2"])
  })

  test("queue nothing to a runner whose locks are stale", function*() {
    const claims = yield* runner()
    yield* givenDue("alice", 2)
    yield* lock([shard], lockExpirationSeconds + 1)
    yield* claims.take({ free: 1, perUser: 9, after: "", active: nobody })
    assert.deepStrictEqual(yield* queues, { "alice.1": null, "alice.2": null })
  })

  test("report that there is more than one scan reads, and read it next", function*() {
    const claims = yield* lockedRunner
    yield* givenDue("flood", 501)
    yield* givenDue("zoe", 1)
    const look = { free: 1, perUser: 1, after: "flood", active: nobody }
    const first = yield* claims.look(look)
    assert.deepStrictEqual([names(first.claims), first.hasMore], [["flood.1"], true])
    const active = new Map(first.claims.map((claim) => [claim.taskId, claim.creator]))
    const second = yield* claims.look({ ...look, active })
    assert.deepStrictEqual([names(second.claims), second.hasMore], [["zoe.1"], false])
  })

  test("never take a queued task that a command has ended or delayed", function*() {
    yield* lock([shard])
    const { query } = yield* Wire
    const commands = yield* TaskCommands
    const claims = yield* runner()
    yield* givenDue("alice", 4)
    const look = { free: 1, perUser: 9, after: "", active: nobody }
    const active = new Map((yield* claims.take(look)).map((claim) => [claim.taskId, claim.creator]))
    yield* commands.cancel(yield* idOf("alice.2"), "Cancelled.")
    yield* query(
      "update actors set wake_at = date_trunc('milliseconds', now()) + interval '1 hour' where task_id = $1",
      [yield* idOf("alice.3")]
    )
    assert.deepStrictEqual(names(yield* claims.take({ ...look, free: 9, active, since: 0 })), ["alice.4"])
    assert.isNull((yield* queues)["alice.2"])
  })
})
