import { assert, it } from "@effect/vitest"
import { defaultUser, systemUser, UserId } from "@troupe/domain/Ids"
import { positionOf, UserNotFound } from "@troupe/domain/User"
import { Cause, Context, Effect, Fiber, Layer, Option, TestClock, TestContext } from "effect"
import { UserRepo } from "../../src/People/User/UserRepo.ts"
import { layerDefaultUser, Users } from "../../src/People/User/Users.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { noConnection } from "../support/BusyDatabase.ts"
import { alice, givenTask, request } from "../support/GivenTasks.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { elsewhere, first, idsOf } from "./users.ts"

const usersOver = (repo: UserRepo["Type"]) =>
  Effect.map(
    Layer.build(Layer.fresh(Users.layer).pipe(Layer.provide(Layer.succeed(UserRepo, repo)))),
    Context.get(Users)
  )

inWorld("Users", (test) => {
  test("come into being with their first task, without a statement for each task after it", function*() {
    const users = yield* Users
    const line = yield* Wire
    const ada = UserId.make("ada")
    yield* givenTask("One", ada)
    assert.deepInclude((yield* users.list(first)).find(({ id }) => id === ada), {
      name: "ada",
      role: "member",
      is_system: false,
      email: null,
      notify_by: [],
      overrides: []
    })
    line.sent.length = 0
    yield* givenTask("Two", ada)
    assert.deepStrictEqual(line.sent.map(({ name }) => name), ["tasks_insert"])
  })

  test("are not made for a request that is refused", function*() {
    const users = yield* Users
    const tasks = yield* Tasks
    const carl = UserId.make("carl")
    yield* Effect.flip(tasks.submit(request("Read it", { user_id: carl, attachments: ["nowhere.txt"] })))
    assert.deepStrictEqual(yield* Effect.flip(users.check(carl)), new UserNotFound({ id: carl }))
  })

  test("exist once, however many processes create them at the same time, and keep what was set", function*() {
    const others = yield* Effect.all([elsewhere, elsewhere, elsewhere])
    const users = yield* Users
    const dora = UserId.make("dora")
    yield* Effect.forEach([users, ...others], ({ ensureExists }) => ensureExists(dora), { concurrency: "unbounded" })
    yield* users.change(dora, { name: "Dora" })
    yield* (yield* elsewhere).ensureExists(dora)
    const found = (yield* users.list(first)).filter(({ id }) => id === dora)
    assert.deepStrictEqual(found.map(({ name }) => name), ["Dora"])
  })

  test(
    "are created by a later request when a statement on a lost connection does not return",
    Effect.gen(function*() {
      const repo = yield* UserRepo
      let inserts = 0
      const lost: UserRepo["Type"]["insert"] = (user) =>
        ++inserts === 1 ? Effect.uninterruptible(Effect.never) : repo.insert(user)
      const { ensureExists } = yield* usersOver({ ...repo, insert: lost })
      const eve = UserId.make("eve")
      const stuck = yield* Effect.fork(Effect.flip(Effect.sandbox(ensureExists(eve))))
      const impatient = yield* Effect.fork(ensureExists(eve))
      yield* TestClock.adjust(0)
      yield* Fiber.interrupt(impatient)
      yield* TestClock.adjust("25 seconds")
      assert.include(Cause.pretty(yield* Fiber.join(stuck)), "User eve was not created within 25s")
      yield* ensureExists(eve)
      assert.isTrue(Option.isSome(yield* repo.find(eve)))
    }).pipe(Effect.provide(TestContext.TestContext))
  )

  test("keep each change as an override, also a cleared value, and leave the other fields", function*() {
    const users = yield* Users
    yield* users.ensureExists(alice)
    const odd = "A\0lice\ud800"
    const changed = yield* users.change(alice, { name: odd, email: "a@example.org", notify_by: ["email", "ui"] })
    assert.deepInclude(changed, {
      name: "A\ufffdlice\ufffd",
      email: "a@example.org",
      notify_by: ["email", "ui"],
      overrides: ["email", "name", "notify_by"],
      title: null
    })
    const cleared = yield* users.change(alice, { email: null, notify_by: null, title: "Pilot" })
    assert.deepInclude(cleared, {
      name: "A\ufffdlice\ufffd",
      email: null,
      notify_by: [],
      title: "Pilot",
      overrides: ["email", "name", "notify_by", "title"]
    })
    const free = yield* users.clearOverrides(alice)
    assert.deepStrictEqual(free, { ...cleared, overrides: [], updated_at: free.updated_at })
    assert.deepStrictEqual((yield* users.list(first)).find(({ id }) => id === alice), free)
  })

  test("are listed by name, then by id, page by page, each once, even if one is renamed between two pages", function*() {
    const users = yield* Users
    const nameless = UserId.make("carl")
    for (
      const [id, name] of [["p1", "Zoe"], ["p2", "bob"], ["p4", "Ann"], ["p3", "Ann"], [nameless, null]] as const
    ) {
      yield* users.ensureExists(UserId.make(id))
      yield* users.change(UserId.make(id), { name })
    }
    const ours = (ids: ReadonlyArray<UserId>) => ids.filter((id) => /^p\d$/.test(id) || id === nameless)
    const everybody = idsOf(yield* users.list(first))
    assert.deepStrictEqual(ours(everybody), ["p3", "p4", "p2", nameless, "p1"].map((id) => UserId.make(id)))
    const pages: Array<UserId> = []
    let page = yield* users.list({ limit: 2, cursor: Option.none() })
    while (page.length > 0) {
      pages.push(...idsOf(page))
      page = yield* users.list({ limit: 2, cursor: Option.map(Option.fromNullable(page.at(-1)), positionOf) })
    }
    assert.deepStrictEqual(pages, everybody)
    const renamed = yield* users.change(UserId.make("p2"), { name: "A first" })
    const cursor = Option.some(positionOf({ ...renamed, name: "bob" }))
    assert.deepStrictEqual(ours(idsOf(yield* users.list({ limit: 100, cursor }))), [nameless, UserId.make("p1")])
  })

  test("are known only once they exist; the default user from the start, the system user once it was asked for", function*() {
    const users = yield* Users
    const nobody = UserId.make("nobody")
    const missing = new UserNotFound({ id: nobody })
    for (const asked of [users.check(nobody), users.change(nobody, { name: "x" }), users.clearOverrides(nobody)]) {
      assert.deepStrictEqual(yield* Effect.flip(asked), missing)
    }
    assert.instanceOf(yield* Effect.flip(users.check(systemUser)), UserNotFound)
    assert.strictEqual(yield* users.system, systemUser)
    yield* users.check(systemUser)
    yield* Layer.build(layerDefaultUser)
    const all = yield* users.list(first)
    assert.deepInclude(all.find(({ id }) => id === systemUser), { is_system: true })
    assert.deepInclude(all.find(({ id }) => id === defaultUser), { role: "owner" })
  })
})

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
