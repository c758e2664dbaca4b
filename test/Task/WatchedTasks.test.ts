import { assert, describe, it } from "@effect/vitest"
import type { TaskEvent } from "@troupe/api/TaskEvent"
import { TaskId, ToolCallId } from "@troupe/domain/Ids"
import type { Step } from "@troupe/domain/Step"
import { Deferred, Effect, Fiber, Layer, Option, PubSub, type Scope, Stream, TestClock } from "effect"
import { PreparedStatements } from "../../src/Runtime/Database/PreparedStatements.ts"
import { Signals } from "../../src/Runtime/Database/Signals.ts"
import { LiveText } from "../../src/Task/Events/LiveText.ts"
import { makeTaskEvents } from "../../src/Task/Events/TaskEvents.ts"
import { TaskSignals } from "../../src/Task/Row/TaskSignals.ts"

const at = "2026-01-01T00:00:00.000Z"

/** A database in memory with the steps of some tasks. */
const makeFixture = (origin: string | null = null) =>
  Effect.gen(function*() {
    const journal = new Map<TaskId, Array<Step>>()
    /** The names of the statements so far. */
    const sent: Array<string> = []
    /** Run once, before what the next read finds and after it. */
    const hooks = { beforeRead: Effect.void, afterRead: Effect.void }
    const texts = yield* PubSub.unbounded<string>()
    const listeners = { open: 0 }
    const listening = (text: Stream.Stream<string>) =>
      Stream.unwrapScoped(Effect.as(
        Effect.acquireRelease(Effect.sync(() => listeners.open++), () => Effect.sync(() => listeners.open--)),
        text
      ))
    const stepsAfter = (id: TaskId, after: number) =>
      (journal.get(id) ?? []).slice(after).map((step, index) => ({
        seq: after + index + 1,
        step: JSON.stringify(step)
      }))
    const answer = (ids: ReadonlyArray<TaskId>, after: ReadonlyArray<number>, limit: number) =>
      ids.flatMap((id, index) =>
        (journal.has(id) ? stepsAfter(id, after[index] ?? 0).slice(0, limit) : [{ seq: null }]).map((step) => ({
          task_id: id,
          at,
          ...step
        }))
      )
    const statements = Layer.succeed(PreparedStatements, {
      execute: ({ name, values: [ids, after, limit] }) =>
        Effect.suspend(() => {
          sent.push(name)
          const tasks = ids as ReadonlyArray<TaskId>
          if (name !== "watch_read") return Effect.succeed(tasks.map((task_id) => ({ task_id })))
          const { afterRead, beforeRead } = hooks
          Object.assign(hooks, { beforeRead: Effect.void, afterRead: Effect.void })
          return beforeRead.pipe(
            Effect.map(() => answer(tasks, after as ReadonlyArray<number>, Number(limit))),
            Effect.zipLeft(afterRead)
          )
        })
    })
    const signals = Layer.effect(TaskSignals, Effect.map(TaskSignals, (local) => ({ ...local, origin }))).pipe(
      Layer.provide(Layer.provide(TaskSignals.layer, Signals.layerLocal))
    )
    const context = yield* Layer.build(
      Layer.mergeAll(
        statements,
        signals,
        Layer.succeed(LiveText, { of: () => listening(Stream.fromPubSub(texts)) })
      )
    )
    const { ofOne } = yield* Effect.provide(makeTaskEvents, context)
    const { stepped } = yield* Effect.provide(TaskSignals, context)

    /** Watches until the scope closes or the stream ends; what it received is in the array. */
    const watch = (id: TaskId, after?: string, pace: Effect.Effect<void> = Effect.void) =>
      Effect.gen(function*() {
        const received: Array<TaskEvent> = []
        const fiber = yield* ofOne(id, { type: "task", after: Option.fromNullable(after), isOutline: false }).pipe(
          Stream.runForEach((event) => Effect.zipRight(pace, Effect.sync(() => received.push(event)))),
          Effect.forkScoped
        )
        yield* settled
        return { fiber, received, ids: () => received.flatMap((event) => "id" in event ? [event.id] : []) }
      })

    /** Journals steps; `tell` says whether a signal comes with them. */
    const step = (id: TaskId, steps: ReadonlyArray<Step>, tell = true) =>
      Effect.suspend(() => {
        journal.set(id, [...journal.get(id) ?? [], ...steps])
        if (tell) stepped([id])
        return settled
      })
    return { journal, sent, hooks, listeners, texts, watch, step }
  })

/** Everything that can go on without time passing has gone on. */
const settled = Effect.yieldNow().pipe(Effect.repeatN(50), Effect.zipRight(TestClock.adjust(0)))

const idOf = (index: number) => TaskId.make(`00000000-0000-7000-8000-${String(index).padStart(12, "0")}`)

const woken = (epoch: number): Step => ({ kind: "woken", epoch, reason: "resume", runner: "host:1" })

const asked: Step = { kind: "results", results: [], asked: { id: ToolCallId.make("call"), question: "Which?" } }

const failed: Step = { kind: "failed", error: "Out of luck" }

/** The frames of steps that wake the task, by their ids. */
const wokenIds = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => [`${from + index}.0`, `${from + index}.1`]).flat()

type Fixture = Effect.Effect.Success<ReturnType<typeof makeFixture>>

/** The statements that the work led to, sorted. */
const sentBy = (fixture: Fixture, work: Effect.Effect<unknown>) =>
  Effect.suspend(() => {
    const before = fixture.sent.length
    return Effect.map(work, () => fixture.sent.slice(before).toSorted())
  })

const watchedTasks = (fixture: Fixture, count: number): Effect.Effect<void, never, Scope.Scope> =>
  Effect.forEach(Array.from({ length: count }, (_, index) => idOf(index)), (id) => {
    fixture.journal.set(id, [woken(1)])
    return fixture.watch(id)
  }, { discard: true })

describe("Watched tasks", () => {
  it.scoped("cost the same few statements in any number", () =>
    Effect.gen(function*() {
      const costs: Array<unknown> = []
      for (const count of [2, 20]) {
        const fixture = yield* makeFixture("origin")
        yield* watchedTasks(fixture, count)
        yield* TestClock.adjust("2 seconds")
        const idle = yield* sentBy(fixture, TestClock.adjust("10 seconds"))
        const ofStep = yield* sentBy(fixture, fixture.step(idOf(1), [woken(2)]))
        const ofStranger = yield* sentBy(fixture, fixture.step(idOf(9_999), [woken(1)]))
        costs.push({ idle, ofStep, ofStranger })
      }
      assert.deepStrictEqual(costs[0], {
        idle: Array.from({ length: 5 }, () => "watch_read"),
        ofStep: ["watch_read"],
        ofStranger: []
      })
      assert.deepStrictEqual(costs[1], costs[0])
    }))

  it.scoped("are announced in the database together, once a minute, also in the only process", () =>
    Effect.gen(function*() {
      for (const origin of ["origin", null]) {
        const fixture = yield* makeFixture(origin)
        yield* watchedTasks(fixture, 20)
        yield* TestClock.adjust("2 seconds")
        const sent = yield* sentBy(fixture, TestClock.adjust("60 seconds"))
        assert.strictEqual(sent.filter((name) => name === "watch_announce").length, 1)
      }
    }))

  it.scoped("are read once for all watchers, each of whom receives every event once", () =>
    Effect.gen(function*() {
      const fixture = yield* makeFixture()
      yield* fixture.step(idOf(1), [woken(1)])
      const whole = yield* fixture.watch(idOf(1))
      const resumed = yield* fixture.watch(idOf(1), "1.0")
      const sent = yield* sentBy(fixture, fixture.step(idOf(1), [woken(2), woken(3)]))
      assert.deepStrictEqual(sent, ["watch_read"])
      const late = yield* fixture.watch(idOf(1), "2.1")
      yield* fixture.step(idOf(1), [failed])
      yield* Effect.forEach([whole, resumed, late], ({ fiber }) => Fiber.join(fiber))
      const all = ["0.0", ...wokenIds(1, 3), "4.0", "4.1", "4.2", "4.3"]
      assert.deepStrictEqual(whole.ids(), all)
      assert.deepStrictEqual(resumed.ids(), all.slice(2))
      assert.deepStrictEqual(late.ids(), all.slice(5))
    }))

  it.scoped("begin without a gap or a repetition while steps are written", () =>
    Effect.gen(function*() {
      const fixture = yield* makeFixture()
      yield* fixture.step(idOf(1), [woken(1)])
      const first = yield* fixture.watch(idOf(1))
      // Steps that come once the second one has subscribed, before it has read its past, and one after that.
      fixture.hooks.beforeRead = fixture.step(idOf(1), [woken(2), woken(3)])
      const second = yield* fixture.watch(idOf(1))
      yield* fixture.step(idOf(1), [woken(4)])
      assert.deepStrictEqual(first.ids(), ["0.0", ...wokenIds(1, 4)])
      assert.deepStrictEqual(second.ids(), first.ids())
    }))

  it.scoped("give a slow watcher everything from the database, without delay of the others", () =>
    Effect.gen(function*() {
      const fixture = yield* makeFixture()
      yield* fixture.step(idOf(1), [woken(1)])
      const gate = yield* Effect.makeLatch(true)
      const slow = yield* fixture.watch(idOf(1), undefined, gate.await)
      const quick = yield* fixture.watch(idOf(1))
      yield* gate.close
      // More than a watcher keeps.
      for (let epoch = 2; epoch <= 80; epoch++) yield* fixture.step(idOf(1), [woken(epoch)])
      const expected = ["0.0", ...wokenIds(1, 80)]
      assert.deepStrictEqual(quick.ids(), expected)
      assert.isBelow(slow.received.length, 10)
      yield* gate.open
      yield* settled
      assert.deepStrictEqual(slow.ids(), expected)
    }))

  it.scoped("read many steps in pages, and go on where one ends with a failure that was retried", () =>
    Effect.gen(function*() {
      const fixture = yield* makeFixture()
      const long = [
        ...Array.from({ length: 255 }, (_, epoch) => woken(epoch + 1)),
        failed,
        { kind: "retried" } as const
      ]
      yield* fixture.step(idOf(1), long)
      const live = yield* fixture.watch(idOf(1))
      yield* fixture.step(idOf(1), [...long.slice(2), woken(999)])
      const past = yield* fixture.watch(idOf(1))
      assert.strictEqual(live.ids().at(-1), "513.1")
      assert.deepStrictEqual(past.ids(), live.ids())
      yield* fixture.step(idOf(1), [failed])
      yield* Effect.forEach([live, past], ({ fiber }) => Fiber.join(fiber))
    }))

  it.scoped("do not end a stream of a retried task where the reader has yet to read the retry", () =>
    Effect.gen(function*() {
      const fixture = yield* makeFixture()
      yield* fixture.step(idOf(1), [woken(1)])
      const gate = yield* Effect.makeLatch(true)
      yield* fixture.watch(idOf(1), undefined, gate.await)
      yield* gate.close
      yield* fixture.step(idOf(1), [failed])
      const go = yield* Deferred.make<void>()
      fixture.hooks.afterRead = Deferred.await(go)
      yield* TestClock.adjust("2 seconds")
      yield* fixture.step(idOf(1), [{ kind: "retried" }], false)
      const ahead = yield* fixture.watch(idOf(1), "2.9")
      yield* Deferred.succeed(go, undefined)
      yield* fixture.step(idOf(1), [woken(2)])
      assert.deepStrictEqual(ahead.ids().slice(-2), wokenIds(4, 4))
    }))

  it.scoped("end with a terminal step that came without a signal", () =>
    Effect.gen(function*() {
      const fixture = yield* makeFixture()
      yield* fixture.step(idOf(1), [woken(1)])
      const { fiber, received } = yield* fixture.watch(idOf(1))
      yield* fixture.step(idOf(1), [failed], false)
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(fiber)
      assert.deepInclude(received.at(-1), { _tag: "status", status: "failed" })
    }))

  it.scoped("include steps without a signal, and end when the task is removed", () =>
    Effect.gen(function*() {
      const fixture = yield* makeFixture()
      yield* fixture.step(idOf(1), [woken(1)])
      const { fiber, ids } = yield* fixture.watch(idOf(1))
      yield* fixture.step(idOf(1), [woken(2)], false)
      assert.deepStrictEqual(ids(), ["0.0", ...wokenIds(1, 1)])
      yield* TestClock.adjust("2 seconds")
      yield* settled
      assert.deepStrictEqual(ids(), ["0.0", ...wokenIds(1, 2)])
      fixture.journal.delete(idOf(1))
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(fiber)
    }))

  it.scoped("subscribe to the model's text once, for all watchers, while the task runs", () =>
    Effect.gen(function*() {
      const fixture = yield* makeFixture()
      yield* fixture.step(idOf(1), [woken(1), asked])
      const watchers = [yield* fixture.watch(idOf(1)), yield* fixture.watch(idOf(1))]
      assert.strictEqual(fixture.listeners.open, 0)
      yield* fixture.step(idOf(1), [woken(2)])
      assert.strictEqual(fixture.listeners.open, 1)
      yield* PubSub.publish(fixture.texts, "Hello")
      yield* settled
      for (const { received } of watchers) {
        assert.deepStrictEqual(received.filter(({ _tag }) => _tag === "text"), [{ _tag: "text", delta: "Hello" }])
      }
      yield* fixture.step(idOf(1), [asked])
      assert.strictEqual(fixture.listeners.open, 0)
      fixture.journal.set(idOf(2), [])
      yield* Effect.scoped(
        Effect.zipRight(fixture.watch(idOf(2)), Effect.sync(() => assert.strictEqual(fixture.listeners.open, 1)))
      )
      yield* settled
      assert.strictEqual(fixture.listeners.open, 0)
    }))
})
