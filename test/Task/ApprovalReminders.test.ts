import { assert } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { Effect, Layer } from "effect"
import { Outbox } from "../../src/Delivery/Outbox.ts"
import { Reminders } from "../../src/Delivery/Reminders.ts"
import * as ApprovalReminders from "../../src/Task/Command/ApprovalReminders.ts"
import { eventually } from "../support/Eventually.ts"
import { givenTask } from "../support/GivenTasks.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { unconfiguredChat } from "../support/UnconfiguredChat.ts"

/** A call of alice's task that has waited for so many days, and who is told of it once reminders were sent. */
const toldAfter = (days: number, who: ReadonlyArray<string>, admin: string | null = null) =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    yield* query("delete from notifications")
    yield* query("delete from approvals")
    const task = yield* givenTask()
    yield* query(
      `insert into users (id, role) values ('alice', 'member'), ('bob', 'admin'), ('carol', 'member'), ('olga', 'owner')
on conflict (id) do update set role = excluded.role`
    )
    yield* query(
      `insert into team_members (id, email, role, issuer, subject, user_id, joined_at)
values (gen_random_uuid(), 'carol@example.org', 'member', 'i', 'carol', 'carol', now()) on conflict do nothing`
    )
    yield* query(
      `insert into approvals (id, task_id, tool_call_id, tool, class, arguments, files, parameters, preset, binding, who, created_at, remind_at)
values (gen_random_uuid(), $1, 'one', 'files__delete', 'outside', '{}', '[]', '{}', 'balanced', '', $2,
  now() - $3 * interval '1 day', now())`,
      [task, who, days]
    )
    yield* Layer.build(
      ApprovalReminders.layer({
        admin: admin === null ? null : UserId.make(admin),
        console: new URL("https://troupe.example/console/")
      }).pipe(
        Layer.provide(Layer.provide(Reminders.layer, [Outbox.layer, unconfiguredChat]))
      )
    )
    const [row] = yield* eventually(
      query<{ next: number; reminders: number }>(
        "select reminders, round(extract(epoch from remind_at - created_at) / 86400)::integer as next from approvals"
      ),
      ([row]) => row?.reminders === 1
    )
    const told = yield* query<{ user_id: string }>("select user_id from notifications order by user_id")
    const bodies = yield* query<{ body: string }>("select body from notifications")
    for (const { body } of bodies) assert.include(body, `https://troupe.example/console/tasks/${task}`)
    return { next: row?.next, told: told.map(({ user_id }) => user_id) }
  }).pipe(Effect.scoped)

const people = ["requester", "admin"]

inWorld("Who may approve a call that waits", (test) => {
  test("is reminded after a day", function*() {
    assert.deepStrictEqual(yield* toldAfter(1, people), { next: 3, told: ["alice"] })
  })

  test("is reminded after three days, and owner and admins are asked too", function*() {
    assert.deepStrictEqual(yield* toldAfter(3, people), { next: 10, told: ["alice", "bob", "olga"] })
    assert.deepStrictEqual(yield* toldAfter(3, ["requester"]), { next: 10, told: ["alice", "bob", "olga"] })
  })

  test("is reminded every week from then on", function*() {
    assert.deepStrictEqual(yield* toldAfter(10, people), { next: 17, told: ["alice", "bob", "olga"] })
  })

  test("is told at once where the task's people are not the ones", function*() {
    assert.deepStrictEqual(yield* toldAfter(0, ["admin"]), { next: 1, told: ["bob", "olga"] })
    assert.deepStrictEqual(yield* toldAfter(0, ["carol"]), { next: 1, told: ["carol"] })
    assert.deepStrictEqual(yield* toldAfter(0, ["requester", "carol"]), { next: 1, told: ["carol"] })
    assert.deepStrictEqual(yield* toldAfter(1, ["carol"]), { next: 3, told: ["carol"] })
  })

  test("is told of it only with a seat in the team, unless the service is self-hosted", function*() {
    yield* (yield* Wire).query("insert into users (id, role) values ('dora', 'member')")
    assert.deepStrictEqual(yield* toldAfter(1, ["carol", "dora"]), { next: 3, told: ["carol"] })
    assert.deepStrictEqual(yield* toldAfter(1, ["dora"], "carol"), { next: 3, told: ["dora"] })
  })

  test("is the operator of a self-hosted service in the place of admins", function*() {
    assert.deepStrictEqual(yield* toldAfter(3, people, "carol"), { next: 10, told: ["alice", "carol"] })
  })
})
