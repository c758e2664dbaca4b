import { assert, describe, it } from "@effect/vitest"
import { ToolCallId } from "@troupe/domain/Ids"
import type { Step } from "@troupe/domain/Step"
import { Effect, Fiber, PubSub, type Scope, TestClock } from "effect"
import { failed, idOf, makeFixture, settled, woken, wokenIds } from "./watching.ts"

const asked: Step = { kind: "results", results: [], asked: { id: ToolCallId.make("call"), question: "Which?" } }

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
