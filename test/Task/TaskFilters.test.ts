import { assert } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import type { TaskStatus } from "@troupe/domain/Task"
import { TaskCommands } from "../../src/Task/Command/TaskCommands.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { alice, bob, claim, givenCompleted, givenTask, givenWaiting, request } from "../support/GivenTasks.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { listed } from "./listing.ts"

inWorld("Tasks.list", (test) => {
  test("filters by project, source and time, and counts the same tasks by status", function*() {
    const tasks = yield* Tasks
    const { query } = yield* Wire
    const inProject = yield* tasks.submit(request("In the project", { project_id: "P-counted" }))
    const failed = yield* tasks.submit(request("Failed there", { project_id: "P-counted" }))
    yield* query("update actors set status = 'failed', error = 'boom' where task_id = $1", [failed.id])
    yield* query("update tasks set source = 'email' where id = $1", [failed.id])
    const filter = { project_id: "P-counted" }
    assert.deepStrictEqual(yield* listed(filter), ["Failed there", "In the project"])
    assert.deepStrictEqual(yield* listed({ ...filter, source: "email" }), ["Failed there"])
    assert.deepStrictEqual(yield* listed({ ...filter, source: "api" }), ["In the project"])
    assert.deepStrictEqual(yield* listed({ ...filter, created_before: inProject.created_at }), [])
    assert.deepStrictEqual(yield* listed({ ...filter, created_from: inProject.created_at, status: "pending" }), [
      "In the project"
    ])
    assert.deepStrictEqual(yield* listed({ ...filter, created_from: "2100-01-01" }), [])
    const none = {
      pending: 0,
      running: 0,
      waiting_input: 0,
      waiting_subagents: 0,
      completed: 0,
      failed: 0,
      sleeping: 0,
      cancelled: 0,
      capped: []
    }
    assert.deepStrictEqual(yield* tasks.counts(filter), { ...none, pending: 1, failed: 1 })
    assert.deepStrictEqual(yield* tasks.counts({ ...filter, q: "failed THERE" }), { ...none, failed: 1 })
  })

  test("tells tasks that sleep from running ones, and cancelled ones from failed ones", function*() {
    const tasks = yield* Tasks
    const { query } = yield* Wire
    const states = {
      works: "status = 'running', wake_at = null",
      // A crashed one waits for its next attempt.
      retries: "status = 'running', wake_at = now() + interval '1 hour', attempts = 1",
      sleeps: "status = 'running', wake_at = now() + interval '1 hour'",
      broke: "status = 'failed', error = 'boom', ended_by = 'failure', wake_at = null",
      stopped: "status = 'failed', error = 'Cancelled.', ended_by = 'cancelled', wake_at = null"
    }
    const filter = { project_id: "P-states" }
    for (const [title, change] of Object.entries(states)) {
      const { id } = yield* tasks.submit(request(title, filter))
      yield* query(`update actors set ${change} where task_id = $1`, [id])
    }
    assert.deepStrictEqual(yield* listed({ ...filter, sleeping: true }), ["sleeps"])
    assert.deepStrictEqual(yield* listed({ ...filter, status: "running", sleeping: false }), ["retries", "works"])
    assert.deepStrictEqual(yield* listed({ ...filter, status: "failed", cancelled: false }), ["broke"])
    const found = { running: 3, sleeping: 1, failed: 2, cancelled: 1 }
    assert.deepInclude(yield* tasks.counts(filter), found)
    assert.deepInclude(yield* tasks.counts({ ...filter, q: "s" }), { ...found, failed: 1 })
  })

  test("filters by each status and by none", function*() {
    const commands = yield* TaskCommands
    const { query } = yield* Wire
    // Whatever is due is claimed by those that are claimed on the way, so the pending one comes last.
    yield* givenCompleted("completed")
    const waiting = yield* givenWaiting()
    yield* query("update tasks set description = 'waiting_input' where id = $1", [waiting])
    const subagents = yield* givenWaiting()
    yield* query("update tasks set description = 'waiting_subagents' where id = $1", [subagents])
    yield* query(
      "update actors set status = 'waiting_subagents', question = null, last_tool_call_id = '[\"1\"]' where task_id = $1",
      [subagents]
    )
    yield* commands.cancel(yield* givenTask("failed"), "Cancelled.")
    yield* claim(yield* givenTask("running"))
    yield* givenTask("pending")
    const statuses: ReadonlyArray<TaskStatus> = [
      "pending",
      "running",
      "failed",
      "waiting_subagents",
      "waiting_input",
      "completed"
    ]
    for (const status of statuses) assert.deepStrictEqual(yield* listed({ status }), [status])
    assert.strictEqual((yield* listed()).length, 6)
    assert.deepStrictEqual(yield* listed({ cancelled: true }), ["failed"])
    assert.strictEqual((yield* listed({ cancelled: false })).length, 5)
    assert.deepStrictEqual(yield* listed({ cancelled: false, status: "failed" }), [])
  })

  test("filters by user, webhook, words, and every condition together", function*() {
    const { query } = yield* Wire
    const tasks = yield* Tasks
    const cats = yield* givenTask("All about cats")
    yield* givenTask("All about dogs", bob)
    yield* tasks.submit(request("100% wool_socks", { title: "Sheep and CATS" }))
    yield* query("update tasks set assignee = 'carol', webhook_type = 'sms' where id = $1", [cats])
    const carol = UserId.make("carol")
    assert.deepStrictEqual(yield* listed({ creator: bob }), ["All about dogs"])
    assert.deepStrictEqual(yield* listed({ assignee: carol }), ["All about cats"])
    assert.deepStrictEqual(yield* listed({ webhook_type: "sms" }), ["All about cats"])
    assert.deepStrictEqual(yield* listed({ q: "Cats" }), ["100% wool_socks", "All about cats"])
    assert.deepStrictEqual(yield* listed({ q: "0% w" }), ["100% wool_socks"])
    assert.deepStrictEqual(yield* listed({ q: "_" }), ["100% wool_socks"])
    assert.deepStrictEqual(yield* listed({ q: "%a%" }), [])
    const long = `Über ${"wide ".repeat(100)}pastures`
    yield* givenTask(long)
    assert.deepStrictEqual(yield* listed({ q: "ÜBE" }), [long])
    assert.deepStrictEqual(yield* listed({ q: "e pas" }), [long])
    assert.deepStrictEqual(yield* listed({ q: "äpast" }), [])
    const together = { creator: alice, status: "pending" as const, q: "ABOUT" }
    assert.deepStrictEqual(yield* listed(together), ["All about cats"])
    assert.deepStrictEqual(yield* listed({ ...together, creator: carol }), [])
  })
})
