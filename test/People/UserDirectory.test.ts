import { SqlError } from "@effect/sql/SqlError"
import { assert } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { Context, Effect, Layer } from "effect"
import { UserRepo } from "../../src/People/User/UserRepo.ts"
import { Directory, Users } from "../../src/People/User/Users.ts"
import { alice, bob } from "../support/GivenTasks.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { elsewhere, idsOf } from "./users.ts"

const directoryOver = (repo: UserRepo["Type"]) =>
  Effect.map(
    Layer.build(Layer.fresh(Directory.layer).pipe(Layer.provide(Layer.succeed(UserRepo, repo)))),
    Context.get(Directory)
  )

inWorld("Users", (test) => {
  test("are introduced to agents with those who work beside them, as of half a minute ago at most", function*() {
    const users = yield* Users
    const line = yield* Wire
    yield* line.query("delete from users")
    const directory = Context.get(yield* Layer.build(Layer.fresh(Directory.layer)), Directory)
    const [eve, mute] = [UserId.make("eve"), UserId.make("mute")]
    for (const id of [alice, bob, eve, mute]) yield* (yield* elsewhere).ensureExists(id)
    yield* users.change(yield* (yield* elsewhere).system, { title: "Machine" })
    yield* users.change(alice, { name: "Alice Ample" })
    yield* users.change(bob, { title: "Builder" })
    yield* users.change(eve, { responsibilities: "listens" })
    const introduced = (id: UserId) =>
      Effect.map(directory.find(id), ({ colleagues, requester }) => [requester?.name, ...idsOf(colleagues)])
    assert.deepStrictEqual(yield* introduced(alice), ["Alice Ample", bob, eve])
    assert.deepStrictEqual(yield* introduced(bob), ["bob", alice, eve])
    assert.deepStrictEqual(yield* introduced(UserId.make("nobody")), [undefined, alice, bob, eve])
    yield* users.change(alice, { name: "Alice B." })
    assert.deepStrictEqual(yield* introduced(alice), ["Alice Ample", bob, eve])
  })

  test("are introduced to twenty others at most, those who have been there longest", function*() {
    const users = yield* Users
    const line = yield* Wire
    yield* line.query("delete from users")
    const crew = Array.from({ length: 23 }, (_, number) => UserId.make(`crew-${number + 10}`))
    for (const id of crew) {
      yield* users.ensureExists(id)
      yield* users.change(id, { title: "Sailor" })
    }
    const directory = Context.get(yield* Layer.build(Layer.fresh(Directory.layer)), Directory)
    const introduced = (id: UserId) => Effect.map(directory.find(id), ({ colleagues }) => idsOf(colleagues))
    assert.deepStrictEqual(yield* introduced(UserId.make("nobody")), crew.slice(0, 20))
    assert.deepStrictEqual(yield* introduced(UserId.make("crew-12")), [...crew.slice(0, 2), ...crew.slice(3, 21)])
  })

  test("are unknown to agents while the database is unavailable, which go on without", function*() {
    const away = new SqlError({ cause: { code: "57P01" }, message: "away" })
    const directory = yield* directoryOver({
      ...(yield* UserRepo),
      find: () => Effect.die(away),
      described: () => Effect.die(away)
    })
    assert.deepStrictEqual(yield* directory.find(alice), { requester: null, colleagues: [] })
  })
})
