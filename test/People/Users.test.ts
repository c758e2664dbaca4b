import { SqlError } from "@effect/sql/SqlError"
import { assert } from "@effect/vitest"
import { defaultUser, systemUser, UserId } from "@troupe/domain/Ids"
import { positionOf, UserNotFound } from "@troupe/domain/User"
import { Context, Deferred, Effect, Fiber, Layer, Option } from "effect"
import * as DefaultUser from "../../src/People/DefaultUser.ts"
import { Roster } from "../../src/People/Roster.ts"
import { UserRepo } from "../../src/People/UserRepo.ts"
import { Users } from "../../src/People/Users.ts"
import { Tasks } from "../../src/Task/Tasks.ts"
import { alice, bob, givenTask, request } from "../support/GivenTasks.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"

const first = { limit: 100, cursor: Option.none() }
const idsOf = (users: ReadonlyArray<{ readonly id: UserId }>) => users.map(({ id }) => id)

/** What another process would have: the same database, and nothing remembered. */
const elsewhere = Layer.build(Layer.fresh(Users.layer)).pipe(
  Effect.map((context) => Users.pipe(Effect.provide(context))),
  Effect.flatten
)

inWorld("Users", (test) => {
  test(
    "come into being with their first task, without a statement for each task after it",
    Effect.gen(function*() {
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
  )

  test(
    "are not made for a request that is refused",
    Effect.gen(function*() {
      const users = yield* Users
      const tasks = yield* Tasks
      const carl = UserId.make("carl")
      yield* Effect.flip(tasks.submit(request("Read it", { userId: carl, attachments: ["nowhere.txt"] })))
      assert.deepStrictEqual(yield* Effect.flip(users.check(carl)), new UserNotFound({ id: carl }))
    })
  )

  test(
    "are met once, however many processes meet them at the same time, and keep what was set",
    Effect.gen(function*() {
      const others = yield* Effect.all([elsewhere, elsewhere, elsewhere])
      const users = yield* Users
      const dora = UserId.make("dora")
      yield* Effect.forEach([users, ...others], ({ meet }) => meet(dora), { concurrency: "unbounded" })
      yield* users.change(dora, { name: "Dora" })
      yield* (yield* elsewhere).meet(dora)
      const found = (yield* users.list(first)).filter(({ id }) => id === dora)
      assert.deepStrictEqual(found.map(({ name }) => name), ["Dora"])
    })
  )

  test(
    "keep each change as an override, also a cleared value, and leave the other fields",
    Effect.gen(function*() {
      const users = yield* Users
      yield* users.meet(alice)
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
  )

  test(
    "keep what a person set through every sync, until the overrides are cleared",
    Effect.gen(function*() {
      const users = yield* Users
      const repo = yield* UserRepo
      yield* users.meet(bob)
      yield* users.change(bob, { name: "Bob the Builder", email: null })
      const profile = {
        name: "bob",
        email: "bob@example.org",
        title: "Builder",
        chat_user_id: "U1",
        avatar_url: "http://x/y"
      }
      const synced = Option.getOrThrow(yield* repo.sync(bob, profile))
      assert.deepInclude(synced, {
        name: "Bob the Builder",
        email: null,
        title: "Builder",
        chat_user_id: "U1",
        avatar_url: "http://x/y",
        overrides: ["email", "name"]
      })
      yield* users.clearOverrides(bob)
      assert.deepInclude(Option.getOrThrow(yield* repo.sync(bob, profile)), {
        name: "bob",
        email: "bob@example.org",
        overrides: []
      })
      assert.deepStrictEqual(yield* repo.sync(UserId.make("nobody"), profile), Option.none())
    })
  )

  test(
    "are listed by name, then by id, page by page, each once, even if one is renamed between two pages",
    Effect.gen(function*() {
      const users = yield* Users
      const nameless = UserId.make("carl")
      for (
        const [id, name] of [["p1", "Zoe"], ["p2", "bob"], ["p4", "Ann"], ["p3", "Ann"], [nameless, null]] as const
      ) {
        yield* users.meet(UserId.make(id))
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
  )

  test(
    "are known only when they were met; the default user from the start, the system user once it was asked for",
    Effect.gen(function*() {
      const users = yield* Users
      const nobody = UserId.make("nobody")
      const missing = new UserNotFound({ id: nobody })
      for (const asked of [users.check(nobody), users.change(nobody, { name: "x" }), users.clearOverrides(nobody)]) {
        assert.deepStrictEqual(yield* Effect.flip(asked), missing)
      }
      assert.instanceOf(yield* Effect.flip(users.check(systemUser)), UserNotFound)
      assert.strictEqual(yield* users.system, systemUser)
      yield* users.check(systemUser)
      yield* Layer.build(DefaultUser.layer)
      const all = yield* users.list(first)
      assert.deepInclude(all.find(({ id }) => id === systemUser), { is_system: true })
      assert.deepInclude(all.find(({ id }) => id === defaultUser), { role: "owner" })
    })
  )

  test(
    "are introduced to agents with those who work beside them, as of half a minute ago at most",
    Effect.gen(function*() {
      const users = yield* Users
      const line = yield* Wire
      yield* line.query("delete from users")
      const roster = Context.get(yield* Layer.build(Layer.fresh(Roster.layer)), Roster)
      const [eve, mute] = [UserId.make("eve"), UserId.make("mute")]
      for (const id of [alice, bob, eve, mute]) yield* (yield* elsewhere).meet(id)
      yield* users.change(yield* (yield* elsewhere).system, { title: "Machine" })
      yield* users.change(alice, { name: "Alice Ample" })
      yield* users.change(bob, { title: "Builder" })
      yield* users.change(eve, { responsibilities: "listens" })
      const introduced = (id: UserId) =>
        Effect.map(roster.introduce(id), ({ colleagues, requester }) => [requester?.name, ...idsOf(colleagues)])
      assert.deepStrictEqual(yield* introduced(alice), ["Alice Ample", bob, eve])
      assert.deepStrictEqual(yield* introduced(bob), ["bob", alice, eve])
      assert.deepStrictEqual(yield* introduced(UserId.make("nobody")), [undefined, alice, bob, eve])
      line.sent.length = 0
      yield* introduced(alice)
      assert.isEmpty(line.sent)
    })
  )

  test(
    "are introduced to twenty others at most, those who have been there longest",
    Effect.gen(function*() {
      const users = yield* Users
      const line = yield* Wire
      yield* line.query("delete from users")
      const crew = Array.from({ length: 23 }, (_, number) => UserId.make(`crew-${number + 10}`))
      for (const id of crew) {
        yield* users.meet(id)
        yield* users.change(id, { title: "Sailor" })
      }
      const roster = Context.get(yield* Layer.build(Layer.fresh(Roster.layer)), Roster)
      const introduced = (id: UserId) => Effect.map(roster.introduce(id), ({ colleagues }) => idsOf(colleagues))
      assert.deepStrictEqual(yield* introduced(UserId.make("nobody")), crew.slice(0, 20))
      assert.deepStrictEqual(yield* introduced(UserId.make("crew-12")), [...crew.slice(0, 2), ...crew.slice(3, 21)])
    })
  )

  test(
    "are introduced to a task also when another of theirs, which asked first, is called off",
    Effect.gen(function*() {
      const line = yield* Wire
      yield* (yield* elsewhere).meet(alice)
      const roster = Context.get(yield* Layer.build(Layer.fresh(Roster.layer)), Roster)
      const answered = yield* Deferred.make<void>()
      line.before = () => Deferred.await(answered)
      const [first, second] = [yield* Effect.fork(roster.introduce(alice)), yield* Effect.fork(roster.introduce(alice))]
      yield* Effect.yieldNow()
      yield* Fiber.interruptFork(first)
      yield* Effect.yieldNow()
      yield* Deferred.succeed(answered, undefined)
      assert.strictEqual((yield* Fiber.join(second)).requester?.id, alice)
    })
  )

  test(
    "are unknown to agents while the database is away, which go on without",
    Effect.gen(function*() {
      const line = yield* Wire
      const roster = Context.get(yield* Layer.build(Layer.fresh(Roster.layer)), Roster)
      line.before = () => new SqlError({ cause: { code: "57P01" }, message: "away" })
      assert.deepStrictEqual(yield* roster.introduce(alice), { requester: null, colleagues: [] })
    })
  )
})
