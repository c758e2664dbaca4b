import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Journal } from "../../src/Task/Journal/Journal.ts"
import { TaskCommands } from "../../src/Task/TaskCommands.ts"
import { claim, givenTask, stepAfter } from "../support/GivenTasks.ts"
import { asks } from "../support/ScriptedModel.ts"
import { rowOf, statusOf } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { makeEntities } from "../support/Workers.ts"
import { cast, childrenOf, dispatch, tools, traceOf } from "./subtasks.ts"

inWorld("The end of subtasks", (test) => {
  /** A parent that waits for so many subtasks, each claimed. */
  const givenWaiting = (count: number) =>
    Effect.gen(function*() {
      const scripted = cast({
        Plan: [asks(...Array.from({ length: count }, (_, index) => dispatch(`c${index}`, `Part ${index}`)))]
      })
      const entities = yield* makeEntities({ scripted, tools })
      const id = yield* givenTask("Plan it")
      yield* entities.wake(yield* claim(id))
      assert.strictEqual(yield* statusOf(id), "waiting_subagents")
      const claims = yield* Effect.forEach(yield* childrenOf(id), (child) => claim(child.id))
      return { id, claims }
    })

  const failed = { kind: "failed", error: "No." } as const
  const endOf = (claimed: Effect.Effect.Success<ReturnType<typeof claim>>) =>
    stepAfter(claimed, failed, { attempts: 0 })

  test("wakes the parent once, when the last is over, even if all end at the same time on two workers", function*() {
    const here = yield* Journal
    const there = Context.get(yield* Layer.build(Layer.fresh(Journal.layer)), Journal)
    for (let round = 0; round < 5; round++) {
      const { claims, id } = yield* givenWaiting(5)
      const before = (yield* rowOf(id)).inbox_sent
      yield* Effect.forEach(
        claims,
        (claimed, index) => (index % 2 === 0 ? here : there).append(endOf(claimed)),
        { concurrency: "unbounded", discard: true }
      )
      const row = yield* rowOf(id)
      assert.strictEqual(row.inbox_sent, before + 1)
      assert.isNotNull(row.wake_at)
      assert.deepInclude(yield* traceOf(id), { commands: 1, open: 0, locked: true })
    }
  })

  test("wakes the parent only after the last one, and waits again for a subtask that is retried", function*() {
    const journal = yield* Journal
    const commands = yield* TaskCommands
    const { claims: [one, two], id } = yield* givenWaiting(2)
    if (one === undefined || two === undefined) return assert.fail("two subtasks")
    yield* journal.append(endOf(one))
    assert.isNull((yield* rowOf(id)).wake_at)
    assert.isTrue(yield* commands.retry(one.taskId))
    yield* journal.append(endOf(two))
    assert.isNull((yield* rowOf(id)).wake_at)
    yield* journal.append(endOf(yield* claim(one.taskId)))
    assert.isNotNull((yield* rowOf(id)).wake_at)
  })

  test("written by a fenced writer wakes no parent", function*() {
    const journal = yield* Journal
    const { claims: [one], id } = yield* givenWaiting(1)
    if (one === undefined) return assert.fail("one subtask")
    yield* claim(one.taskId)
    assert.strictEqual((yield* Effect.flip(journal.append(endOf(one))))._tag, "Fenced")
    assert.isNull((yield* rowOf(id)).wake_at)
    assert.deepInclude(yield* traceOf(id), { commands: 0, open: 1 })
  })

  test("locks the resume of the parent for 60 seconds: an end meanwhile leaves its wake-up alone, a later one does not", function*() {
    const journal = yield* Journal
    const commands = yield* TaskCommands
    const { query } = yield* Wire
    const { claims: [one], id } = yield* givenWaiting(1)
    if (one === undefined) return assert.fail("one subtask")
    const endAgain = Effect.gen(function*() {
      yield* commands.retry(one.taskId)
      yield* journal.append(endOf(yield* claim(one.taskId)))
      const [row] = yield* query<{ isDue: boolean; locked: number }>(
        `select wake_at <= now() as "isDue", extract(epoch from resume_locked_until - now())::float8 as locked
           from actors where task_id = $1`,
        [id]
      )
      return row ?? assert.fail("no row")
    })
    yield* journal.append(endOf(one))
    // Woken by this end, the parent has crashed and waits to be tried again.
    yield* query(
      "update actors set wake_at = date_trunc('milliseconds', now()) + interval '1 hour' where task_id = $1",
      [id]
    )
    const { isDue, locked } = yield* endAgain
    assert.isFalse(isDue)
    assert.isTrue(locked > 30 && locked <= 60, `locked for ${locked} s`)
    yield* query("update actors set resume_locked_until = date_trunc('milliseconds', now()) where task_id = $1", [id])
    assert.isTrue((yield* endAgain).isDue)
  })
})
