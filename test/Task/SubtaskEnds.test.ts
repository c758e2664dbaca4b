import { assert } from "@effect/vitest"
import type { TaskId } from "@troupe/domain/Ids"
import { Context, Effect, Either, Fiber, Layer, Option } from "effect"
import { TaskCommands } from "../../src/Task/Command/TaskCommands.ts"
import { Journal } from "../../src/Task/Journal/Journal.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { claim, givenTask, stepAfter, takeStep } from "../support/GivenTasks.ts"
import { asks, dies, says, type Turn } from "../support/ScriptedModel.ts"
import { becomes, rowOf, statusOf } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { makeEntities, startWorker } from "../support/Workers.ts"
import { anotherConnection, cast, childIdsOf, childrenOf, dispatch, tools, traceOf, waiters } from "./subtasks.ts"

const isRefused = (id: TaskId) =>
  Effect.gen(function*() {
    const answer = yield* Effect.either((yield* Tasks).retry(id))
    const message = Either.isLeft(answer) ? answer.left.message : "it was retried"
    assert.match(
      message,
      /is failed: its parent task has ended or has taken its result already; retry the parent instead/
    )
  })

/** Answers once the latch is open. */
const gated = Effect.map(Effect.makeLatch(false), (gate) => ({
  gate,
  says: (text: string): Turn => (asked) => Effect.zipRight(gate.await, says(text)(asked))
}))

inWorld("Subtasks", (test) => {
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

  test("wake their parent once, when the last is over, even if all end at the same time on two workers", function*() {
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

  test("wake their parent only after the last one, which may be one that is retried", function*() {
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

  test("whose end a fenced writer wrote wake no parent", function*() {
    const journal = yield* Journal
    const { claims: [one], id } = yield* givenWaiting(1)
    if (one === undefined) return assert.fail("one subtask")
    yield* claim(one.taskId)
    assert.strictEqual((yield* Effect.flip(journal.append(endOf(one))))._tag, "Fenced")
    assert.isNull((yield* rowOf(id)).wake_at)
    assert.deepInclude(yield* traceOf(id), { commands: 0, open: 1 })
  })

  test("lock the resume of their parent for 60 seconds: an end meanwhile leaves its wake-up alone, a later one does not", function*() {
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

  test("that are retried after all was cancelled are refused: their parent is retried, and continues with their outcomes", function*() {
    const tasks = yield* Tasks
    const scripted = cast({ Plan: [asks(dispatch("a", "Part"))], Part: [() => Effect.never] })
    yield* startWorker({ scripted, tools })
    const id = yield* givenTask("Plan it")
    yield* becomes(id, "waiting_subagents")
    const [child = id] = yield* childIdsOf(id, 1)
    yield* tasks.cancel(id, Option.none())
    yield* isRefused(child)
    yield* tasks.retry(id)
    yield* becomes(id, "completed")
    yield* isRefused(child)
    assert.match(JSON.stringify(yield* tasks.messages(id)), /subagent failed \(task [^)]*\): Cancelled\./)
  })

  test("that are retried while archived, and are then removed, leave no parent waiting", function*() {
    const tasks = yield* Tasks
    const late = yield* gated
    const scripted = cast({
      Plan: [asks(dispatch("a", "Part"), dispatch("b", "Hangs"))],
      Part: [late.says("One.")],
      Hangs: [() => Effect.never]
    })
    yield* startWorker({ scripted, tools })
    const id = yield* givenTask("Plan it")
    yield* becomes(id, "waiting_subagents")
    const [, hangs = id] = yield* childIdsOf(id, 2)
    yield* tasks.remove(hangs)
    yield* tasks.retry(hangs)
    yield* tasks.remove(hangs)
    yield* late.gate.open
    yield* becomes(id, "completed")
    const said = yield* tasks.messages(id)
    assert.match(JSON.stringify(said), /subagent failed \(task [^)]*\): it was deleted/)
  })

  test("that are retried after their parent has read their outcomes are refused, so that they spend nothing beyond its budget", function*() {
    const late = yield* gated
    const scripted = cast({
      Plan: [asks(dispatch("a", "Breaks")), asks(dispatch("b", "Later"))],
      Breaks: [dies("boom")],
      Later: [late.says("Two.")]
    })
    yield* startWorker({ scripted, tools, maxCrashes: 0 })
    const id = yield* givenTask("Plan it")
    const [first = id] = yield* childIdsOf(id, 2)
    yield* becomes(id, "waiting_subagents")
    yield* isRefused(first)
    yield* late.gate.open
    yield* becomes(id, "completed")
  })

  test("that are retried under a parent that failed are retried after it, and wake it when they end", function*() {
    const journal = yield* Journal
    const commands = yield* TaskCommands
    const { query } = yield* Wire
    const entities = yield* makeEntities({ scripted: cast({ Plan: [asks(dispatch("a", "Part"))] }), tools })
    const id = yield* givenTask("Plan it")
    yield* entities.wake(yield* claim(id))
    const [child = id] = yield* childIdsOf(id, 1)
    const end = (claimed: Effect.Effect.Success<ReturnType<typeof claim>>) =>
      journal.append(stepAfter(claimed, { kind: "failed", error: "No." }, { attempts: 0 }))
    const before = yield* claim(child)
    yield* query("update actors set status = 'failed', error = 'x', wake_at = null where task_id = $1", [id])
    yield* end(before)
    assert.isFalse(yield* commands.retry(child))
    assert.isTrue(yield* commands.retry(id))
    assert.isTrue(yield* commands.retry(child))
    const after = yield* claim(child)
    yield* entities.wake(yield* claim(id))
    assert.include(yield* rowOf(id), { status: "waiting_subagents", wake_at: null })
    yield* end(after)
    assert.isNotNull((yield* rowOf(id)).wake_at)
  })

  test("of a parent that is about to read their results are not retried once it runs, even if it is claimed or reads the results meanwhile", function*() {
    const commands = yield* TaskCommands
    const entities = yield* makeEntities({ scripted: cast({ Plan: [asks(dispatch("a", "Part"))] }), tools })
    const id = yield* givenTask("Plan it")
    yield* entities.wake(yield* claim(id))
    const [child = id] = yield* childIdsOf(id, 1)
    yield* takeStep(child, { kind: "failed", error: "No." }, { attempts: 0 })
    const other = yield* anotherConnection
    const meanwhile = (change: string, values: ReadonlyArray<unknown>) =>
      Effect.gen(function*() {
        yield* other("begin")
        yield* other(change, values)
        const retrying = yield* Effect.fork(commands.retry(child))
        yield* waiters(1)
        yield* other("commit")
        assert.isFalse(yield* Fiber.join(retrying))
      })
    // The parent is claimed, and reads how its subtasks ended.
    yield* meanwhile("update actors set runner = 'another' where task_id = $1", [id])
    yield* other("update actors set runner = null where task_id = $1", [id])
    // The parent's step takes the results, and it goes on to wait for a human.
    yield* meanwhile(
      `with parent as (
          update actors set subtasks_open = null, runner = null, status = 'waiting_input' where task_id = $1
        ) update actors set awaited_by = null where task_id = $2`,
      [id, child]
    )
    assert.strictEqual((yield* rowOf(child)).status, "failed")

    yield* other("update actors set subtasks_open = 0, status = 'waiting_subagents' where task_id = $1", [id])
    yield* other("update actors set awaited_by = $2 where task_id = $1", [child, id])
    const claimed = yield* claim(id)
    assert.isFalse(yield* commands.retry(child))
    yield* entities.wake(claimed)
    assert.strictEqual((yield* rowOf(id)).status, "completed")
  })
})
