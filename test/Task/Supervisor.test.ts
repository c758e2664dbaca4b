import { assert, describe, it } from "@effect/vitest"
import { TaskId } from "@troupe/domain/Ids"
import { Effect, Fiber, Stream } from "effect"
import { Supervisor } from "../../src/Task/Actor/Supervisor.ts"
import { eventually } from "../support/Eventually.ts"

const id = TaskId.make("00000000-0000-7000-8000-000000000001")

describe("The supervisor of a shard", () => {
  it.live("lets a watched model call go on once it closes, and ends the streams of its watchers", () =>
    Effect.gen(function*() {
      const supervisor = new Supervisor(1)
      const watching = yield* Effect.fork(Stream.runDrain(supervisor.watch(id)))
      const publish = yield* eventually(
        Effect.sync(() => supervisor.texts.publisher(id, false)),
        (publisher) => publisher !== undefined
      )
      supervisor.close()
      assert.isDefined(publish)
      yield* publish?.("The text of a call that is not interrupted") ?? Effect.void
      yield* Fiber.await(watching)
    }))

  it.live("gives the first watcher of a task that is about to be watched the text of the call so far, once", () =>
    Effect.gen(function*() {
      const supervisor = new Supervisor(1)
      const watch = (count: number) =>
        Effect.map(Stream.runCollect(Stream.take(supervisor.watch(id), count)), (text) => Array.from(text))
      const publish = supervisor.texts.publisher(id, true) ?? (yield* Effect.dieMessage("nobody watches"))
      yield* publish("Hel")
      yield* publish("lo")
      assert.deepStrictEqual(yield* watch(1), ["Hello"])

      const next = supervisor.texts.publisher(id, true) ?? (yield* Effect.dieMessage("nobody watches"))
      yield* next("Well")
      const late = yield* Effect.fork(watch(2))
      const received = yield* eventually(
        Effect.zipRight(next(", then"), Effect.sync(() => late.unsafePoll())),
        (exit) => exit !== null
      )
      assert.isNotNull(received)
      assert.match((yield* Fiber.join(late)).join(""), /^Well(, then)+$/)
    }))

  it.live("forgets the text of a call that nobody has watched once its step is journalled", () =>
    Effect.gen(function*() {
      const supervisor = new Supervisor(1)
      yield* supervisor.texts.publisher(id, true)?.("Read it in the journal") ?? Effect.void
      supervisor.texts.forget(id)
      assert.isUndefined(supervisor.texts.publisher(id, false))
      const watching = yield* Effect.fork(Stream.runCollect(supervisor.watch(id)))
      yield* eventually(
        Effect.sync(() => supervisor.texts.publisher(id, false)),
        (publisher) => publisher !== undefined
      )
      supervisor.close()
      assert.deepStrictEqual(Array.from(yield* Fiber.join(watching)), [])
    }))

  it.live("is watched by nobody after it closed", () =>
    Effect.gen(function*() {
      const supervisor = new Supervisor(1)
      supervisor.close()
      yield* Stream.runDrain(supervisor.watch(id))
      assert.isUndefined(supervisor.texts.publisher(id, false))
    }))
})
