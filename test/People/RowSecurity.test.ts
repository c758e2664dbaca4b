import { SqlClient } from "@effect/sql/SqlClient"
import { assert } from "@effect/vitest"
import { CurrentUser } from "@troupe/api/Authentication"
import type { Caller } from "@troupe/domain/Caller"
import { UserId } from "@troupe/domain/Ids"
import { Cause, Effect, Either, Option, Stream } from "effect"
import { asService } from "../../src/Runtime/Isolation.ts"
import { ensureRequestRole } from "../../src/Runtime/RequestRole.ts"
import { TaskCommands } from "../../src/Task/TaskCommands.ts"
import { Tasks } from "../../src/Task/Tasks.ts"
import { alice, bob, givenCompleted, givenTask, givenWaiting, request } from "../support/GivenTasks.ts"
import { rowOf } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"

/** Tables without anything of a person or a secret: only the service uses them. */
const unprotected = [
  "cluster_locks",
  "cluster_runners",
  "rate_limits",
  "scheduled_jobs",
  "tool_server_reports",
  "troupe_migrations"
]

/** What every member may read; the changes are restricted. */
const ofTheTeam = ["actors", "event_positions", "steps", "tasks"]

const memberBob: Caller = { id: bob, role: "member" }
const memberAlice: Caller = { id: alice, role: "member" }
const admin: Caller = { id: bob, role: "admin" }

const as = (caller: Caller) => Effect.provideService(CurrentUser, caller)

const tables = Effect.flatMap(Wire, ({ query }) =>
  query<{ name: string; isProtected: boolean }>(
    `select relname as name, relrowsecurity as "isProtected" from pg_class
     where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace order by 1`
  ))

const protectedTables = Effect.map(tables, (all) => all.flatMap(({ isProtected, name }) => isProtected ? [name] : []))

/** A row of Alice in every table that contains rows of people, and secrets of tool servers. */
const givenAlice = Effect.gen(function*() {
  yield* ensureRequestRole()
  const { query } = yield* Wire
  const tasks = yield* Tasks
  const id = yield* givenWaiting()
  yield* tasks.answer(id, "This one", Option.none())
  yield* givenCompleted()
  yield* tasks.submit(request("Once", {
    idempotency: Option.some({ caller: memberAlice, key: "key", digest: "digest" })
  }))
  yield* query("insert into memory_owners values ('alice', 1, 0, 1) on conflict do nothing")
  yield* query(
    `insert into memories values (gen_random_uuid(), 'alice', 'Likes tea', '{}', null, 'm', 1, '{1}', 1, now(), now())`
  )
  yield* query("insert into remembered_tasks values ($1)", [id])
  yield* query("insert into task_threads values ('chat', 'C1/1.5', $1)", [id])
  yield* query(
    `insert into inbound_messages (id, source, type, headers, url, task_id)
     values (gen_random_uuid(), 'webhook', 'orders', '{}', '', $1)`,
    [id]
  )
  yield* query("insert into chat_claims values ('message C1/1.5') on conflict do nothing")
  yield* query(
    `insert into outbox (id, channel, recipient, kind, user_id, payload)
     values (gen_random_uuid(), 'email', 'alice@example.org', 'mail', 'alice', '{}')`
  )
  yield* query("insert into users (id, name) values ('alice', 'Alice') on conflict do nothing")
  yield* query(
    `insert into channels (channel_id, id, name, topic, purpose, is_private, is_active, is_member, member_count)
     values ('C1', gen_random_uuid(), 'secret', '', '', true, true, true, 1) on conflict do nothing`
  )
  yield* query("insert into channel_members (channel_id, user_id) values ('C1', 'alice') on conflict do nothing")
  yield* query(
    `insert into channel_messages (channel_id, ts, user_id, content, said_at)
     values ('C1', '1.5', 'alice', 'Hello', now()) on conflict do nothing`
  )
  yield* query(
    `insert into file_reservations (id, user_id, holder, bytes, files, is_final, expires_at)
     values (gen_random_uuid(), 'alice', gen_random_uuid(), 1, 1, true, now())`
  )
  yield* query("insert into former_members values ('https://id.example.org', 'alice', 'alice') on conflict do nothing")
  yield* query("insert into mail_ledger (mailbox, uid_validity, uid) values ('inbox', 1, 1) on conflict do nothing")
  yield* query(
    `insert into schedules (id, user_id, kind, message, cron, timezone, next_run_at)
     values (gen_random_uuid(), 'alice', 'reminder', 'Stretch', '0 9 * * *', 'UTC', now())`
  )
  yield* query(
    `insert into subscriptions (id, user_id, url, events, tasks, secret)
     values (gen_random_uuid(), 'alice', 'https://example.org', '{task.failed}', 'own', '{"plain": "secret"}')`
  )
  yield* query("insert into erasures values ('alice') on conflict do nothing")
  yield* query(
    "insert into team_members (id, email, role) values (gen_random_uuid(), 'alice@example.org', 'owner') on conflict do nothing"
  )
  yield* query("insert into tool_server_config values (true, 1, '{\"secret\": 1}', now()) on conflict do nothing")
  yield* query("insert into tool_definitions values ('files', 'read', 'digest', now()) on conflict do nothing")
  return id
})

/** How many rows a statement of the caller returns. */
const countAs = (caller: Caller, text: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient
    return (yield* as(caller)(sql.unsafe(text))).length
  })

const rowsIn = (table: string) =>
  Effect.flatMap(Wire, ({ query }) => Effect.map(query(`select * from ${table}`), ({ length }) => length))

inWorld("Row-level security", (test) => {
  test(
    "is on in every table but those that contain nothing of people",
    Effect.gen(function*() {
      const without = (yield* tables).flatMap(({ isProtected, name }) => isProtected ? [] : [name])
      assert.deepStrictEqual(without.filter((name) => !unprotected.includes(name)), [])
    })
  )

  test(
    "shows a member no row of another one without a where, except the team's tasks",
    Effect.gen(function*() {
      yield* givenAlice
      for (const table of yield* protectedTables) {
        assert.isAbove(yield* rowsIn(table), 0, `the test has a row in ${table}`)
        const seen = yield* countAs(memberBob, `select * from ${table}`)
        assert.strictEqual(seen > 0, ofTheTeam.includes(table), `${seen} rows of ${table}`)
      }
    })
  )

  test(
    "lets a member change no row of another one without a where",
    Effect.gen(function*() {
      yield* givenAlice
      const sql = yield* SqlClient
      const { query } = yield* Wire
      for (const table of yield* protectedTables) {
        const before = yield* query(`select * from ${table} order by ${table}`)
        const [column] = Object.keys(before[0] ?? {})
        assert.strictEqual(yield* countAs(memberBob, `update ${table} set ${column} = ${column} returning 1`), 0, table)
        assert.strictEqual(yield* countAs(memberBob, `delete from ${table} returning 1`), 0, table)
        const copied = yield* Effect.either(
          as(memberBob)(sql.unsafe(`insert into ${table} select (t).* from unnest(array(
            select t from ${table} t)) as t on conflict do nothing returning 1`))
        )
        assert.isTrue(copied._tag === "Left" || copied.right.length === 0, `inserted into ${table}`)
        assert.deepStrictEqual(yield* query(`select * from ${table} order by ${table}`), before, table)
      }
    })
  )

  test(
    "shows nothing without a caller",
    Effect.gen(function*() {
      yield* givenAlice
      const { query } = yield* Wire
      for (const table of yield* protectedTables) {
        yield* query("begin")
        yield* query("set local role troupe_requests")
        const seen = yield* query(`select * from ${table}`)
        yield* query("rollback")
        assert.deepStrictEqual(seen, [], table)
      }
    })
  )

  test(
    "shows one's own rows, and an admin those of everyone but other people's idempotency keys",
    Effect.gen(function*() {
      yield* givenAlice
      const all = yield* protectedTables
      for (const table of all) {
        const total = yield* rowsIn(table)
        const own = ![
          "erasures",
          "file_reservations",
          "former_members",
          "inbound_messages",
          "channel_messages",
          "mail_ledger",
          "chat_claims",
          "remembered_tasks",
          "team_members",
          "tool_definitions",
          "tool_server_config"
        ]
          .includes(table)
        const ofAlice = yield* countAs(memberAlice, `select * from ${table}`)
        assert.strictEqual(ofAlice > 0, own, `${ofAlice} rows of ${table}`)
        const seenByAdmin = ![
          "channel_messages",
          "chat_claims",
          "erasures",
          "file_reservations",
          "former_members",
          "idempotency_keys",
          "inbound_messages",
          "mail_ledger",
          "remembered_tasks",
          "team_members"
        ]
          .includes(table)
        assert.strictEqual(yield* countAs(admin, `select * from ${table}`), seenByAdmin ? total : 0, table)
      }
    })
  )

  test(
    "leaves a task that another member commands as it is, even without the check before",
    Effect.gen(function*() {
      const id = yield* givenAlice
      const commands = yield* TaskCommands
      const before = yield* rowOf(id)
      const changed = yield* as(memberBob)(Effect.all([
        commands.cancel(id, "Mine"),
        commands.archive(id),
        commands.answer(id, "Mine", null),
        commands.retry(id),
        commands.remove(id)
      ]))
      assert.deepStrictEqual(changed, [false, false, false, false, false])
      assert.deepStrictEqual(yield* rowOf(id), before)
      assert.isTrue(yield* as(memberAlice)(commands.cancel(id, "Mine")))
    })
  )
})

inWorld("A signed-in member", (test) => {
  test(
    "reads the team's tasks, makes tasks, and changes only what is theirs",
    Effect.gen(function*() {
      const id = yield* givenAlice
      const tasks = yield* Tasks
      const mine = yield* as(memberBob)(tasks.submit(request("Mine", { userId: bob })))
      for (const assignee of ["nobody", "alice"].map((name) => UserId.make(name))) {
        const assigned = as(memberBob)(tasks.submit(request("Yours", { userId: bob, assignee: Option.some(assignee) })))
        const result = yield* Effect.either(assigned)
        assert.strictEqual(Either.isRight(result), assignee === alice)
        if (Either.isLeft(result)) assert.strictEqual(result.left.message, "assignee: there is no user nobody")
      }
      assert.strictEqual((yield* as(memberBob)(tasks.find(id))).creator, alice)
      assert.isAbove((yield* as(memberBob)(tasks.messages(id))).length, 0)
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
  )

  test(
    "answers and deletes no task of another one, whether or not it has an assignee",
    Effect.gen(function*() {
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
  )

  test(
    "makes no user by naming one in an answer or a message",
    Effect.gen(function*() {
      yield* ensureRequestRole()
      const tasks = yield* Tasks
      const { query } = yield* Wire
      const [waiting, over, ofGhost] = [yield* givenWaiting(), yield* givenCompleted(), yield* givenCompleted()]
      yield* query("update tasks set assignee = 'ghost' where id = $1", [ofGhost])
      const nobody = Option.some(UserId.make("nobody"))
      const asAdmin = as(admin)
      for (
        const [change, reason] of [
          [tasks.answer(waiting, "Blue", nobody), "user_id: there is no user nobody"],
          [tasks.message(waiting, "Blue", nobody), "user_id: there is no user nobody"],
          [tasks.message(over, "Blue", nobody), "user_id: there is no user nobody"],
          [tasks.message(ofGhost, "Blue", Option.some(bob)), "assignee: there is no user ghost"]
        ] as const
      ) {
        const error = yield* Effect.flip(asAdmin(change))
        assert.deepStrictEqual([error._tag, error.message], ["TaskRequestInvalid", reason])
      }
      assert.deepStrictEqual(yield* query("select from users where id in ('nobody', 'ghost')"), [])
      assert.strictEqual((yield* rowOf(waiting)).status, "waiting_input")
      assert.strictEqual((yield* tasks.answer(waiting, "Blue", nobody)).assignee, "nobody", "where nobody signs in")
    })
  )

  test(
    "answers, messages and cancels a task as its assignee, but does not delete it",
    Effect.gen(function*() {
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
      assert.isFalse(yield* asBob(Effect.flatMap(TaskCommands, ({ remove }) => remove(id))))
      yield* as(memberAlice)(tasks.remove(id))
      assert.strictEqual((yield* Effect.flip(tasks.find(id)))._tag, "TaskNotFound")
    })
  )

  test(
    "reads a task's events also after the handler has ended, with the member's rights",
    Effect.gen(function*() {
      yield* ensureRequestRole()
      const id = yield* givenTask()
      const tasks = yield* Tasks
      yield* asService(tasks.cancel(id, Option.none()))
      const events = yield* as(memberBob)(tasks.events(id, Option.none()))
      const first = Stream.runCollect(Stream.take(events, 2))
      assert.deepStrictEqual(Array.from(yield* first).map(({ _tag }) => _tag), ["status", "log"])
      const { query } = yield* Wire
      yield* query("revoke select on steps from troupe_requests")
      assert.include(Cause.pretty(yield* Effect.flip(Effect.sandbox(first))), "Statement journal_read failed")
    })
  )
})
