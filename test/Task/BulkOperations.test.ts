import { assert } from "@effect/vitest"
import { CurrentUser } from "@troupe/api/Authentication"
import type { BulkRequest } from "@troupe/api/TaskBulkApi"
import { type Caller, selfHostedCaller } from "@troupe/domain/Caller"
import type { TaskId } from "@troupe/domain/Ids"
import { Effect, Layer, Option } from "effect"
import { ensureRequestRole } from "../../src/Runtime/Database/RequestRole.ts"
import { makeRun } from "../../src/Task/Bulk/BulkJob.ts"
import { BulkOperations } from "../../src/Task/Bulk/BulkOperations.ts"
import { idempotencyOf, Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { memberAlice, memberBob } from "../People/alice.ts"
import { alice, bob, givenCompleted, givenTask, request, takeStep } from "../support/GivenTasks.ts"
import { as } from "../support/Seats.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"

const operations = Effect.flatMap(
  Layer.build(BulkOperations.layer),
  (context) => Effect.provide(BulkOperations, context)
)

const ask = (request: BulkRequest, caller: Caller = selfHostedCaller, key?: string) =>
  Effect.flatMap(
    operations,
    ({ start }) => Effect.provideService(start(request, idempotencyOf(caller, key, request)), CurrentUser, caller)
  )

const work = Effect.flatten(makeRun)
const progressOf = (id: string) => Effect.flatMap(operations, ({ find }) => find(id))
const statusOf = (id: TaskId) => Effect.map(Effect.flatMap(Tasks, ({ find }) => find(id)), ({ status }) => status)
const fail = (id: TaskId) => takeStep(id, { kind: "failed", error: "boom" })

inWorld("Bulk operations", (test) => {
  test("cancel every task that the filter matches, in slices, and no task that is made later", function*() {
    const { query, sent } = yield* Wire
    const ids = yield* Effect.forEach(Array.from({ length: 230 }), () => givenTask())
    const ofBob = yield* givenTask("Another", bob)
    const { id, ...asked } = yield* ask({ action: "cancel", filter: { creator: alice }, reason: "No longer needed" })
    assert.deepInclude(asked, { action: "cancel", matched: 0, done: 0, failed: 0, error: null, finished_at: null })
    yield* work
    assert.deepInclude(yield* progressOf(id), { matched: 230, done: 230, failed: 0, error: null })
    assert.isNotNull((yield* progressOf(id)).finished_at)
    assert.deepStrictEqual(
      yield* query("select error, count(*)::integer as n from actors where task_id = any($1) group by error", [ids]),
      [{ error: "Cancelled: No longer needed", n: 230 }]
    )
    assert.strictEqual(sent.filter(({ name }) => name === "tasks_cancel").length, 3)
    assert.strictEqual(yield* statusOf(ofBob), "pending")
    const later = yield* givenTask()
    yield* work
    assert.strictEqual(yield* statusOf(later), "pending")
  })

  test("change the tasks that were selected, and of these only what the filter matches", function*() {
    const ids = yield* Effect.forEach(Array.from({ length: 130 }), () => givenTask())
    const [finished, other] = [yield* givenCompleted(), yield* givenTask()]
    const { id } = yield* ask({ action: "cancel", filter: { ids: [...ids, finished], status: "pending" } })
    yield* work
    assert.deepInclude(yield* progressOf(id), { matched: 130, done: 130, failed: 0 })
    assert.strictEqual(yield* statusOf(other), "pending")
    assert.strictEqual(yield* statusOf(finished), "completed")
  })

  test("of users take turns, so that a large one does not hold up a small one", function*() {
    yield* ensureRequestRole()
    const tasks = yield* Effect.forEach(Array.from({ length: 130 }), () => givenTask("Many"))
    const ofBob = yield* givenTask("One", bob)
    const large = yield* as(memberAlice)(ask({ action: "cancel", filter: { creator: alice } }, memberAlice))
    const small = yield* as(memberBob)(ask({ action: "cancel", filter: { creator: bob } }, memberBob))
    yield* work
    const { query } = yield* Wire
    const ended = yield* query<{ id: string }>(
      "select id::text from bulk_operations where id = any($1) order by finished_at",
      [[large.id, small.id]]
    )
    assert.deepStrictEqual(ended.map(({ id }) => id), [small.id, large.id])
    assert.deepInclude(yield* progressOf(large.id), { done: tasks.length })
    assert.strictEqual(yield* statusOf(ofBob), "failed")
  })

  test("change no task that any part of the filter leaves out", function*() {
    const tasks = yield* Tasks
    const inProject = yield* tasks.submit(request("In the project", { project_id: "P-bulk" }))
    const outside = yield* givenTask()
    for (const filter of [{ created_before: "2000-01-01" }, { project_id: "P-bulk", source: "email" as const }]) {
      const { id } = yield* ask({ action: "cancel", filter })
      yield* work
      assert.deepInclude(yield* progressOf(id), { matched: 0, done: 0 })
    }
    const { id } = yield* ask({ action: "cancel", filter: { project_id: "P-bulk", source: "api" } })
    yield* work
    assert.deepInclude(yield* progressOf(id), { matched: 1, done: 1 })
    assert.strictEqual(yield* statusOf(inProject.id), "failed")
    assert.strictEqual(yield* statusOf(outside), "pending")
  })

  test("retry the failed ones, and count what could not be changed", function*() {
    const failed = yield* givenTask()
    yield* fail(failed)
    const unwanted = yield* givenTask("Unwanted")
    yield* (yield* Tasks).cancel(unwanted, Option.none())
    const retried = yield* ask({ action: "retry", filter: { status: "failed", cancelled: false } })
    yield* work
    assert.strictEqual(yield* statusOf(failed), "pending")
    assert.strictEqual(yield* statusOf(unwanted), "failed")
    assert.deepInclude(yield* progressOf(retried.id), { matched: 1, done: 1 })

    const completed = yield* givenCompleted()
    const cancelled = yield* ask({ action: "cancel", filter: {} })
    yield* work
    const { done, failed: refused, matched } = yield* progressOf(cancelled.id)
    assert.isAtLeast(refused, 1)
    assert.strictEqual(matched, done + refused)
    assert.strictEqual(yield* statusOf(completed), "completed")
  })

  test("archive once, so that a slice which is worked on again deletes nothing", function*() {
    const { query } = yield* Wire
    const id = yield* givenCompleted()
    const { id: operation } = yield* ask({ action: "archive", filter: { status: "completed", creator: alice } })
    yield* (yield* Tasks).archive(id)
    // As after a crash in the middle of a slice.
    yield* query("update bulk_operations set slice = array[$2::uuid], cursor = $2::uuid, matched = 1 where id = $1", [
      operation,
      id
    ])
    yield* work
    assert.isNotNull((yield* (yield* Tasks).find(id)).archived_at)
    assert.deepInclude(yield* progressOf(operation), { done: 1, failed: 0 })
  })

  test("delete archived tasks for good and in slices, and no others, though they were retried since", function*() {
    const { query, sent } = yield* Wire
    const archived = yield* Effect.forEach(Array.from({ length: 25 }), () => givenTask())
    yield* ask({ action: "archive", filter: { creator: alice } })
    yield* work
    yield* (yield* Tasks).retry(archived[0] ?? (yield* Effect.dieMessage("No task")))
    const shown = yield* givenCompleted()
    const { id } = yield* ask({ action: "delete", filter: { creator: alice } })
    yield* work
    assert.deepInclude(yield* progressOf(id), { matched: 25, done: 25, failed: 0, error: null })
    assert.deepStrictEqual(yield* query("select id::text from tasks"), [{ id: shown }])
    assert.deepStrictEqual(yield* query("select distinct task_id::text as id from steps"), [{ id: shown }])
    assert.strictEqual(sent.filter(({ name }) => name === "tasks_remove_all").length, 3)
    // As after a crash between the deletion and the count.
    yield* query(
      "update bulk_operations set finished_at = null, done = 0, slice = $2::uuid[], matched = 26 where id = $1",
      [id, [...archived, shown]]
    )
    yield* work
    assert.deepInclude(yield* progressOf(id), { matched: 26, done: 25, failed: 1 })
  })

  test("restore archived tasks that the filter matches, and no others", function*() {
    const { query } = yield* Wire
    const tasks = yield* Tasks
    const [wanted, other, shown] = [yield* givenTask("Wanted"), yield* givenTask("Other"), yield* givenTask("Wanted")]
    yield* Effect.forEach([wanted, other], tasks.archive)
    const { id } = yield* ask({ action: "restore", filter: { q: "Wanted" } })
    yield* work
    assert.deepInclude(yield* progressOf(id), { matched: 1, done: 1, failed: 0 })
    assert.sameMembers(
      (yield* query<{ id: string }>("select id::text from tasks where archived_at is null")).map(({ id }) => id),
      [wanted, shown]
    )
  })

  test("reach what a text of two letters matches behind thousands of other tasks", function*() {
    const { query } = yield* Wire
    const wanted = yield* givenTask("An ox")
    yield* query(`with made as (
        insert into tasks (id, created_at, creator, description, task_type)
        select ('ffff0000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, now(), 'alice', 'A cow', 'task'
        from generate_series(1, 5100) i returning id
      ) insert into actors (task_id, shard, creator, updated_at) select id, 1, 'alice', now() from made`)
    const { id } = yield* ask({ action: "cancel", filter: { q: "OX" } })
    yield* work
    assert.deepInclude(yield* progressOf(id), { matched: 1, done: 1, failed: 0 })
    assert.strictEqual((yield* (yield* Tasks).find(wanted)).status, "failed")
  })

  test("count a task of an interrupted slice once, though it was cancelled before the crash", function*() {
    const { query } = yield* Wire
    const [first, second] = [yield* givenTask("one", bob), yield* givenTask("two", bob)]
    const { id } = yield* ask({ action: "cancel", filter: { creator: bob, status: "pending" } })
    yield* query(
      "update bulk_operations set slice = array[$2::uuid, $3::uuid], cursor = $3::uuid, matched = 2 where id = $1",
      [id, first, second]
    )
    yield* ask({ action: "cancel", filter: { q: "nothing has this text" } })
    yield* work
    assert.deepInclude(yield* progressOf(id), { matched: 2, done: 2, failed: 0 })
    yield* query("update bulk_operations set finished_at = null, slice = array[$2::uuid], done = 1 where id = $1", [
      id,
      first
    ])
    yield* work
    assert.deepInclude(yield* progressOf(id), { matched: 2, done: 2, failed: 0 })
  })

  test("give the same operation for the same key, and refuse another body", function*() {
    const request: BulkRequest = { action: "retry", filter: { status: "failed" } }
    const first = yield* ask(request, selfHostedCaller, "one")
    assert.strictEqual((yield* ask(request, selfHostedCaller, "one")).id, first.id)
    const other = yield* Effect.flip(ask({ action: "retry", filter: {} }, selfHostedCaller, "one"))
    assert.strictEqual(other._tag, "IdempotencyConflict")
  })

  test("change a member's own tasks alone, and end with the member's seat", function*() {
    yield* ensureRequestRole()
    const { query } = yield* Wire
    const own = yield* givenTask("Mine", alice)
    const others = yield* givenTask("His", bob)
    const { id } = yield* as(memberAlice)(ask({ action: "cancel", filter: { status: "pending" } }, memberAlice))
    yield* work
    assert.strictEqual(yield* statusOf(own), "failed")
    assert.strictEqual(yield* statusOf(others), "pending")
    assert.isAtLeast((yield* progressOf(id)).failed, 1)
    assert.strictEqual((yield* Effect.flip(as(memberBob)(progressOf(id))))._tag, "BulkOperationNotFound")

    const next = yield* as(memberAlice)(ask({ action: "cancel", filter: {} }, memberAlice))
    yield* query("delete from team_members where user_id = 'alice'")
    yield* work
    const { error, finished_at } = yield* progressOf(next.id)
    assert.isNotNull(finished_at)
    assert.include(error ?? "", "seat")
  })
})
