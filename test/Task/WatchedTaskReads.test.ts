import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, TestClock } from "effect"
import { failed, idOf, makeFixture, settled, woken, wokenIds } from "./watching.ts"

describe("Watched tasks", () => {
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
})
