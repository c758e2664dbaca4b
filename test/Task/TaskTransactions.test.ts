import { SqlClient } from "@effect/sql/SqlClient"
import { assert } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { Effect, Either, Fiber, Option, Stream } from "effect"
import { Users } from "../../src/People/User/Users.ts"
import { TaskTransactions } from "../../src/Task/Command/TaskTransactions.ts"
import { TaskSignals } from "../../src/Task/Row/TaskSignals.ts"
import { Tasks, type TaskSource } from "../../src/Task/UseCase/Tasks.ts"
import { bob, givenCompleted, givenWaiting, request } from "../support/GivenTasks.ts"
import { countTasks } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"

const fromChat: TaskSource = {
  kind: "chat",
  context: "<channel>general</channel>",
  reply: { channel: "chat", to: "{\"channel\":\"C1\"}" },
  threads: ["C1/1.5"],
  toolAccess: "all"
}

const threadsOf = (id: string) =>
  Effect.flatMap(
    Wire,
    ({ query }) => query("select channel, key from task_threads where task_id = $1 order by 2", [id])
  )

inWorld("TaskTransactions", (test) => {
  test("a task and what claims its delivery are committed together, and the task is then due", function*() {
    const tasks = yield* Tasks
    const transactions = yield* TaskTransactions
    const sql = yield* SqlClient
    const signals = yield* TaskSignals
    const { query } = yield* Wire
    const hints = yield* Effect.forkScoped(
      Stream.runHead(Stream.mapEffect(
        Stream.filter(signals.commands, (command) => command._tag === "Wake" && command.shards === null),
        () => countTasks
      ))
    )
    yield* Effect.yieldNow()
    const made = yield* transactions.run(Effect.zipLeft(
      tasks.submit(request("Answer the mention", { source: fromChat })),
      sql`insert into rate_limits (caller, full_at) values ('claimed', now())`
    ))
    assert.strictEqual(made.source, "chat")
    assert.strictEqual(yield* countTasks, 1)
    assert.deepStrictEqual(yield* threadsOf(made.id), [{ channel: "chat", key: "C1/1.5" }])
    assert.strictEqual((yield* query("select from rate_limits where caller = 'claimed'")).length, 1)
    yield* query("delete from rate_limits")
    assert.deepStrictEqual(yield* Fiber.join(hints), Option.some(1))
  })

  test("a failure undoes the task and an answer, but not the user, whom others may count on", function*() {
    const tasks = yield* Tasks
    const users = yield* Users
    const transactions = yield* TaskTransactions
    const waiting = yield* givenWaiting()
    const carol = UserId.make("carol")
    const result = yield* Effect.either(transactions.run(
      tasks.submit(request("Never made", { user_id: carol, source: fromChat })).pipe(
        Effect.zipRight(tasks.answer(waiting, "Undone", Option.some(bob))),
        Effect.zipRight(Effect.fail("the platform went away" as const))
      )
    ))
    assert.isTrue(Either.isLeft(result))
    assert.strictEqual(yield* countTasks, 1)
    assert.strictEqual((yield* tasks.find(waiting)).status, "waiting_input")
    yield* users.check(carol)
  })

  test("a continuation answers where the task before it did, and its threads are the same", function*() {
    const tasks = yield* Tasks
    const { query } = yield* Wire
    const id = yield* givenCompleted()
    yield* query("update tasks set source = 'chat', reply_channel = 'chat', reply_to = '{}' where id = $1", [id])
    yield* query("insert into task_threads values ('chat', 'C1/1.5', $1)", [id])
    const next = yield* tasks.message(id, "And now?", Option.none())
    assert.strictEqual(next.source, "chat")
    assert.deepStrictEqual(yield* threadsOf(next.id), [{ channel: "chat", key: "C1/1.5" }])
  })
})
