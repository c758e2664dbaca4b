import { assert } from "@effect/vitest"
import { selfHostedCaller } from "@troupe/domain/Caller"
import { Cause, Effect, Either, Option, Stream } from "effect"
import { answering, sending } from "../../src/People/User/Access.ts"
import { Users } from "../../src/People/User/Users.ts"
import { asService } from "../../src/Runtime/Database/Isolation.ts"
import { ensureRequestRole } from "../../src/Runtime/Database/RequestRole.ts"
import { TaskCommands } from "../../src/Task/Command/TaskCommands.ts"
import { chatTask } from "../../src/Task/UseCase/ChatTask.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { alice, bob, givenCompleted, givenTask, givenWaiting, request } from "../support/GivenTasks.ts"
import { as } from "../support/Seats.ts"
import { rowOf } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { admin, givenAlice, memberAlice, memberBob } from "./alice.ts"

inWorld("A signed-in member", (test) => {
  test("reads the team's tasks, makes tasks, and changes only what is theirs", function*() {
    const id = yield* givenAlice
    const tasks = yield* Tasks
    const mine = yield* as(memberBob)(tasks.submit(request("Mine", { user_id: bob })))
    const users = yield* Users
    for (const assignee of ["nobody", "alice"]) {
      const assigned = Effect.flatMap(
        chatTask({ tasks, users }, { message: "Yours", assignee }, undefined),
        tasks.submit
      )
      const result = yield* Effect.either(as(memberBob)(assigned))
      assert.strictEqual(Either.isRight(result), assignee === alice)
      if (Either.isLeft(result)) {
        assert.strictEqual(result.left.message, "assignee: nobody has the id, address or name nobody")
      }
    }
    assert.strictEqual((yield* as(memberBob)(tasks.find(id))).creator, alice)
    assert.strictEqual((yield* as(memberBob)(tasks.workerStatus(id))).task_id, id)
    for (
      const change of [
        tasks.cancel(id, Option.none()),
        tasks.remove(id),
        tasks.retry(id),
        tasks.message(id, "Hi", Option.some(bob))
      ]
    ) {
      assert.strictEqual((yield* Effect.flip(as(memberBob)(change)))._tag, "NotAllowed")
    }
    assert.strictEqual((yield* as(memberBob)(tasks.cancel(mine.id, Option.none()))).status, "failed")
    assert.strictEqual((yield* as(memberBob)(tasks.retry(mine.id))).status, "pending")
    yield* as(memberBob)(Effect.zipRight(tasks.remove(mine.id), tasks.remove(mine.id)))
    assert.strictEqual((yield* Effect.flip(tasks.find(mine.id)))._tag, "TaskNotFound")
    const ended = yield* as(admin)(tasks.cancel(id, Option.some("by an admin")))
    assert.strictEqual(ended.status, "failed")
  })

  test("answers and deletes no task of another one, whether or not it has an assignee", function*() {
    yield* ensureRequestRole()
    const tasks = yield* Tasks
    const { query } = yield* Wire
    const [open, ofAdmin, assigned] = [yield* givenWaiting(), yield* givenWaiting(), yield* givenWaiting()]
    yield* query("update tasks set assignee = 'carol' where id = $1", [assigned])
    for (const id of [open, assigned]) {
      const before = yield* rowOf(id)
      for (
        const change of [
          tasks.answer(id, "Blue", Option.some(bob)),
          tasks.message(id, "Blue", Option.some(bob)),
          tasks.remove(id)
        ]
      ) assert.strictEqual((yield* Effect.flip(as(memberBob)(change)))._tag, "NotAllowed")
      assert.deepStrictEqual(yield* rowOf(id), before)
    }
    assert.strictEqual((yield* as(memberAlice)(tasks.answer(assigned, "Red", Option.some(alice)))).assignee, "carol")
    assert.strictEqual((yield* as(memberAlice)(tasks.answer(open, "Red", Option.some(alice)))).assignee, alice)
    assert.strictEqual((yield* as(admin)(tasks.answer(ofAdmin, "Red", Option.some(bob)))).assignee, bob)
  })

  test("makes no user by naming one in an answer or a message", function*() {
    yield* ensureRequestRole()
    const { query } = yield* Wire
    const users = yield* Users
    for (const [named, by] of [[answering, admin], [sending, admin], [answering, selfHostedCaller]] as const) {
      const found = yield* Effect.either(as(by)(named(users, "nobody")))
      assert.strictEqual(Either.isRight(found), by === selfHostedCaller)
    }
    assert.deepStrictEqual(yield* query("select from users where id = 'nobody'"), [])
  })

  test("answers, messages and cancels a task as its assignee, but does not delete it", function*() {
    yield* ensureRequestRole()
    const tasks = yield* Tasks
    const { query } = yield* Wire
    const id = yield* givenWaiting()
    yield* query("update tasks set assignee = $2 where id = $1", [id, bob])
    const asBob = as(memberBob)
    assert.strictEqual((yield* asBob(tasks.answer(id, "Blue", Option.some(bob)))).question, null)
    yield* query("update actors set status = 'running' where task_id = $1", [id])
    yield* asBob(tasks.message(id, "And red", Option.some(bob)))
    assert.strictEqual((yield* asBob(tasks.cancel(id, Option.none()))).status, "failed")
    assert.strictEqual((yield* Effect.flip(asBob(tasks.remove(id))))._tag, "NotAllowed")
    assert.isNull((yield* tasks.find(id)).archived_at)
    yield* as(memberAlice)(tasks.remove(id))
    assert.deepStrictEqual(yield* asBob(Effect.flatMap(TaskCommands, ({ removeAll }) => removeAll([id]))), [])
    assert.deepStrictEqual(yield* asBob(tasks.removeArchived([id])), [])
    yield* as(memberAlice)(tasks.remove(id))
    assert.strictEqual((yield* Effect.flip(tasks.find(id)))._tag, "TaskNotFound")
  })

  test("continues another's finished task without its conversation and its assignee", function*() {
    yield* ensureRequestRole()
    const done = yield* givenCompleted("Count them", "There are 7.")
    const { query } = yield* Wire
    yield* query(
      "update tasks set assignee = creator, source = 'chat', reply_channel = 'chat', reply_to = 'D1' where id = $1",
      [done]
    )
    yield* query(
      "insert into users (id, is_guest) values ('alice', true) on conflict (id) do update set is_guest = true, overrides = '{}'"
    )
    const tasks = yield* Tasks
    const replies = (id: string) =>
      query<{ reply_to: string | null; assignee: string | null }>(
        "select reply_to, assignee from tasks where id = $1",
        [id]
      )
    const theirs = yield* as(memberAlice)(tasks.message(done, "And the others?", Option.some(alice)))
    assert.deepStrictEqual(yield* replies(theirs.id), [{ reply_to: "D1", assignee: alice }])
    const access = yield* query("select tool_access from tasks where id = $1", [theirs.id])
    assert.deepStrictEqual(access, [{ tool_access: "all" }], "a member, although a guest of the chat workspace")
    const others = yield* as(memberBob)(tasks.message(done, "Post this to Alice", Option.some(bob)))
    assert.deepStrictEqual(yield* replies(others.id), [{ reply_to: null, assignee: null }])
  })

  test("reads the events of an own task also after the handler has ended, with the member's rights", function*() {
    yield* ensureRequestRole()
    const id = yield* givenTask()
    const tasks = yield* Tasks
    yield* asService(tasks.cancel(id, Option.none()))
    const events = yield* as(memberAlice)(tasks.events(id, Option.none()))
    const first = Stream.runCollect(Stream.take(events, 2))
    assert.deepStrictEqual(Array.from(yield* first).map(({ _tag }) => _tag), ["status", "log"])
    const { query } = yield* Wire
    yield* query("revoke select on steps from troupe_requests")
    const refused = Cause.pretty(yield* Effect.flip(Effect.sandbox(first)), { renderErrorCause: true })
    assert.include(refused, "permission denied for table steps")
  })
})
