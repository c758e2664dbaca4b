import { assert } from "@effect/vitest"
import type { TaskId } from "@troupe/domain/Ids"
import { Cause, Effect, Exit, Option } from "effect"
import { ensureRequestRole } from "../../src/Runtime/Database/RequestRole.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { alice, bob, givenCompleted, givenTask, givenWaiting, request } from "../support/GivenTasks.ts"
import { as } from "../support/Seats.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { memberAlice } from "./alice.ts"

/** The states in which a call of its owner meets a task. */
const states = {
  archived: Effect.tap(givenCompleted(), (id) => Effect.flatMap(Tasks, (tasks) => tasks.archive(id))),
  completed: givenCompleted(),
  failed: Effect.tap(givenTask(), (id) => Effect.flatMap(Tasks, (tasks) => tasks.cancel(id, Option.none()))),
  pending: givenTask(),
  waiting: givenWaiting()
}

/** What others statements have left with the task, or read when it changes. */
const surroundings: Readonly<Record<string, ReadonlyArray<string>>> = {
  "nothing": [],
  "a thread of the team chat": [
    "update tasks set source = 'chat', reply_channel = 'chat', reply_to = 'D1' where id = $1",
    "insert into task_threads (channel, key, task_id) values ('chat', 'D1/' || $1, $1::uuid)"
  ],
  "a mail that its agent sent, and the question of another": [
    "insert into task_threads (channel, key, task_id, addresses) values ('email', '<a' || $1, $1::uuid, '{ann@example.org}')",
    "insert into task_threads (channel, key, task_id, call) values ('email', '<b' || $1, $1::uuid, 'ask1')"
  ],
  "subscriptions to it and to all tasks": [
    `insert into subscriptions (id, user_id, url, events, tasks, secret)
     select gen_random_uuid(), user_id, 'https://example.org', '{task.created,task.completed,task.failed}', tasks, '{}'
     from (values ('alice', 'own'), ('owner', 'all')) s (user_id, tasks), tasks t where t.id = $1`
  ],
  "a reply to a mail, with its mails": [
    `update tasks set source = 'email', reply_channel = 'email', reply_to = '{"address":"ann@example.org","name":null,"subject":"Hi","messageId":"<m>","references":[],"participants":[]}' where id = $1`,
    "insert into task_threads (channel, key, task_id) values ('email', '<m' || $1, $1::uuid)",
    "insert into outbox (id, kind, task_id, user_id, channel, recipient, payload) select gen_random_uuid(), 'mail', id, creator, 'email', 'ann@example.org', '{}' from tasks where id = $1"
  ],
  "another as its creator": [
    "update tasks set creator = 'bob', assignee = 'alice' where id = $1",
    "update actors set creator = 'bob' where task_id = $1"
  ],
  "an approval that it asks": [
    "update actors set asks_approval = true where task_id = $1 and status = 'waiting_input'"
  ],
  "a message that waits": [
    "insert into inbox (task_id, key, number, body) select $1::uuid, 'steered:9', 9, '{\"kind\":\"steered\",\"text\":\"x\"}' from tasks where id = $1"
  ],
  "a continuation": [
    "insert into tasks (id, task_type, creator, description, created_at, continued_from) values (gen_random_uuid(), 'task', 'alice', 'Next', now(), $1)"
  ],
  "a parent": [
    "insert into tasks (id, task_type, creator, description, created_at) values (gen_random_uuid(), 'task', 'alice', 'Parent', now()) on conflict do nothing",
    "update tasks t set parent_task_id = p.id, task_type = 'subtask' from tasks p where p.description = 'Parent' and t.id = $1"
  ]
}

const calls = (id: TaskId): Effect.Effect<Readonly<Record<string, Effect.Effect<unknown, unknown>>>, never, Tasks> =>
  Effect.map(Tasks, (tasks) => ({
    "a message": tasks.message(id, "And the others?", Option.some(alice)),
    "a continuation": tasks.submit(request("Go on", { continue_task_id: id })),
    "a continuation under a key": tasks.submit(
      request("Go on", { continue_task_id: id, idempotency: { caller: memberAlice, key: id, digest: "digest" } })
    ),
    "a continuation for another": tasks.submit(request("Go on", { continue_task_id: id, assignee: bob })),
    "a restoring": tasks.restore(id),
    "an answer": tasks.answer(id, "Blue", Option.some(alice)),
    "a cancellation": tasks.cancel(id, Option.some("Enough")),
    "a retry": tasks.retry(id),
    "an archiving": tasks.archive(id),
    "a deletion": tasks.remove(id)
  }))

inWorld("A member's call on an own task", (test) => {
  for (const [around, statements] of Object.entries(surroundings)) {
    test(`is answered in every state, with ${around}`, function*() {
      yield* ensureRequestRole()
      const { query } = yield* Wire
      const answered: Array<string> = []
      for (const [state, given] of Object.entries(states)) {
        for (const name of Object.keys(yield* calls(yield* given))) {
          const id = yield* given
          for (const statement of statements) yield* query(statement, statement.includes("$1") ? [id] : [])
          const { [name]: call = Effect.void } = yield* calls(id)
          const exit = yield* Effect.exit(as(memberAlice)(call))
          const isDefect = Exit.isFailure(exit) && Option.isSome(Cause.dieOption(exit.cause))
          if (isDefect) answered.push(`${name}, ${state}: ${Cause.pretty(exit.cause)}`)
        }
      }
      assert.deepStrictEqual(answered, [])
    })
  }
})
