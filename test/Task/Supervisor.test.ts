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
        Effect.sync(() => supervisor.publisher(id)),
        (publisher) => publisher !== undefined
      )
      supervisor.close()
      assert.isDefined(publish)
      yield* publish?.("The text of a call that is not interrupted") ?? Effect.void
      yield* Fiber.await(watching)
    }))

  it.live("is watched by nobody after it closed", () =>
    Effect.gen(function*() {
      const supervisor = new Supervisor(1)
      supervisor.close()
      yield* Stream.runDrain(supervisor.watch(id))
      assert.isUndefined(supervisor.publisher(id))
    }))
})
