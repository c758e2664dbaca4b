import { assert, it } from "@effect/vitest"
import { defaultUser } from "@troupe/domain/Ids"
import { Effect, Fiber, Layer, TestClock } from "effect"
import { UserRepo } from "../../src/People/UserRepo.ts"
import { layerDefaultUser, Users } from "../../src/People/Users.ts"
import { noConnection } from "../support/BusyDatabase.ts"

it.scoped("A start that can't create the default user in time tries again", () =>
  Effect.gen(function*() {
    const attempts: Array<string> = []
    const repo = Layer.mock(UserRepo, {
      insert: ({ id }) => Effect.suspend(() => attempts.push(id) === 1 ? Effect.die(noConnection) : Effect.void)
    })
    const start = yield* Effect.fork(
      Layer.build(layerDefaultUser.pipe(Layer.provide(Users.layer), Layer.provide(repo)))
    )
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(start)
    assert.deepStrictEqual(attempts, [defaultUser, defaultUser])
  }))
