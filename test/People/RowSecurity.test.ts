import { SqlClient } from "@effect/sql/SqlClient"
import { assert } from "@effect/vitest"
import type { Caller } from "@troupe/domain/Caller"
import { Effect } from "effect"
import { TaskCommands } from "../../src/Task/Command/TaskCommands.ts"
import { as } from "../support/Seats.ts"
import { rowOf } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { admin, givenAlice, memberAlice, memberBob } from "./alice.ts"

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
const ofTheTeam = ["actors", "tasks", "usage_sums"]

const tables = Effect.flatMap(Wire, ({ query }) =>
  query<{ name: string; isProtected: boolean }>(
    `select relname as name, relrowsecurity as "isProtected" from pg_class
     where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace order by 1`
  ))

const protectedTables = Effect.map(tables, (all) => all.flatMap(({ isProtected, name }) => isProtected ? [name] : []))

/** How many rows a statement of the caller returns. */
const countAs = (caller: Caller, text: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient
    return (yield* as(caller)(sql.unsafe(text))).length
  })

const rowsIn = (table: string) =>
  Effect.flatMap(Wire, ({ query }) => Effect.map(query(`select * from ${table}`), ({ length }) => length))

inWorld("Row-level security", (test) => {
  test("is on in every table but those that contain nothing of people", function*() {
    const without = (yield* tables).flatMap(({ isProtected, name }) => isProtected ? [] : [name])
    assert.deepStrictEqual(without.filter((name) => !unprotected.includes(name)), [])
  })

  test("shows a member no row of another one without a where, except the team's tasks without their steps", function*() {
    yield* givenAlice
    for (const table of yield* protectedTables) {
      assert.isAbove(yield* rowsIn(table), 0, `the test has a row in ${table}`)
      const seen = yield* countAs(memberBob, `select * from ${table}`)
      assert.strictEqual(seen > 0, ofTheTeam.includes(table), `${seen} rows of ${table}`)
    }
  })

  test("lets a member change no row of another one without a where", function*() {
    yield* givenAlice
    const sql = yield* SqlClient
    const { query } = yield* Wire
    for (const table of yield* protectedTables) {
      const before = yield* query(`select * from ${table} order by ${table}`)
      const [column] = Object.keys(before[0] ?? {})
      const update = countAs(memberBob, `update ${table} set ${column} = ${column} returning 1`)
      // A member sees its row, and locks it, but the policy refuses each change.
      if (table === "usage_sums") {
        assert.match(String((yield* Effect.flip(update)).cause), /violates row-level security/)
      } else assert.strictEqual(yield* update, 0, table)
      assert.strictEqual(yield* countAs(memberBob, `delete from ${table} returning 1`), 0, table)
      const copied = yield* Effect.either(
        as(memberBob)(sql.unsafe(`insert into ${table} select (t).* from unnest(array(
            select t from ${table} t)) as t on conflict do nothing returning 1`))
      )
      assert.isTrue(copied._tag === "Left" || copied.right.length === 0, `inserted into ${table}`)
      assert.deepStrictEqual(yield* query(`select * from ${table} order by ${table}`), before, table)
    }
  })

  test("shows nothing without a caller", function*() {
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

  test("shows one's own rows, and an admin those of everyone but other people's idempotency keys", function*() {
    yield* givenAlice
    const all = yield* protectedTables
    for (const table of all) {
      const total = yield* rowsIn(table)
      const own = ![
        "deleted_ends",
        "erasures",
        "file_reservations",
        "former_members",
        "inbound_messages",
        "joined_users",
        "model_config",
        "channel_messages",
        "mail_ledger",
        "chat_claims",
        "policies",
        "prompt_texts",
        "remembered_tasks",
        "sessions",
        "setting_changes",
        "stored_settings",
        "spending_limits",
        "spending_marks",
        "task_hours",
        "task_word_blocks",
        "team_members",
        "tool_server_authorizations",
        "tool_server_clients",
        "tool_server_config",
        "tool_server_pins",
        "tool_server_sign_ins"
      ]
        .includes(table)
      const ofAlice = yield* countAs(memberAlice, `select * from ${table}`)
      assert.strictEqual(ofAlice > 0, own, `${ofAlice} rows of ${table}`)
      const seenByAdmin = ![
        "channel_messages",
        "chat_claims",
        "deleted_ends",
        "erasures",
        "file_reservations",
        "former_members",
        "idempotency_keys",
        "inbound_messages",
        "joined_users",
        "mail_ledger",
        "policies",
        "prompt_texts",
        "remembered_tasks",
        "sessions",
        "spending_limits",
        "spending_marks",
        "task_hours",
        "task_word_blocks",
        "team_members",
        "tool_server_authorizations",
        "tool_server_clients",
        "tool_server_sign_ins"
      ]
        .includes(table)
      assert.strictEqual(yield* countAs(admin, `select * from ${table}`), seenByAdmin ? total : 0, table)
    }
  })

  test("leaves a task that another member commands as it is, even without the check before", function*() {
    const id = yield* givenAlice
    const commands = yield* TaskCommands
    const before = yield* rowOf(id)
    const changed = yield* as(memberBob)(Effect.all([
      commands.cancel(id, "Mine"),
      commands.archive(id),
      commands.answer(id, "Mine", null),
      commands.retry(id),
      Effect.map(commands.removeAll([id]), ({ length }) => length > 0)
    ]))
    assert.deepStrictEqual(changed, [false, false, false, false, false])
    assert.deepStrictEqual(yield* rowOf(id), before)
    assert.isTrue(yield* as(memberAlice)(commands.cancel(id, "Mine")))
  })
})
