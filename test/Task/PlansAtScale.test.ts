import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { keyedPlans, type Query } from "../../src/Runtime/Database/PreparedStatements.ts"
import * as CandidateStatement from "../../src/Task/Claim/CandidateStatement.ts"
import * as ClaimStatements from "../../src/Task/Claim/ClaimStatements.ts"
import * as CommandStatements from "../../src/Task/Command/CommandStatements.ts"
import * as TaskDeletion from "../../src/Task/Command/TaskDeletion.ts"
import * as JournalStatements from "../../src/Task/Journal/JournalStatements.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"

const rooms = [CandidateStatement, ClaimStatements, CommandStatements, JournalStatements, TaskDeletion]

const isQuery = Schema.is(Schema.Struct({ name: Schema.String, text: Schema.String, values: Schema.Unknown }))

const anyValues: object = new Proxy({}, { get: () => null })

/** The prepared statements that a module exports. */
const statementsOf = (room: object): ReadonlyArray<Pick<Query, "name" | "text">> =>
  Object.values(room).flatMap((made: unknown) => {
    if (typeof made !== "function") return []
    try {
      const query: unknown = made(anyValues)
      return isQuery(query) ? [query] : []
    } catch {
      return []
    }
  })

/** The tables that grow without end, or with what waits. */
const growing = ["tasks", "actors", "steps", "inbox", "notifications", "outbox", "task_threads"]

/** Scans of a table that grows, by none of the values that the statement was given. */
const wholeScans = (plan: ReadonlyArray<string>): ReadonlyArray<string> =>
  plan.filter((line, index) => {
    const [, index_, table = ""] = / Scan (?:Backward )?(?:using (\S+) )?on (\S+)/.exec(line) ?? []
    // A partial index may be read in its order.
    const isWhole = index_ === undefined || index_.endsWith("_pkey")
    return growing.includes(table) && isWhole && !/Index Cond/.test(plan[index + 1] ?? "")
  })

const given = (count: number) =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    const numbered =
      `select i, ('019a0000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid as id from generate_series(1, ${count}) i`
    for (
      const text of [
        `insert into tasks (id, created_at, creator, description, task_type) select id, now(), 'alice', 'Number ' || i, 'task' from (${numbered}) n`,
        `insert into actors (task_id, shard, creator, updated_at, status, completed_at, wake_at)
         select id, 1 + i % 300, 'alice', now(), case when i % 2 = 0 then 'completed' else 'pending' end,
           case when i % 2 = 0 then now() end, case when i % 2 = 1 then now() end from (${numbered}) n`,
        `insert into steps (task_id, seq, body) select id, 1, '{"kind":"woken"}' from (${numbered}) n`,
        `insert into inbox (task_id, key, number, body) select id, 'message:1', 1, '{}' from (${numbered}) n`,
        `insert into notifications (user_id, id, task_id, seq) select 'alice', id, id, 1 from (${numbered}) n`,
        `insert into task_threads (channel, key, task_id) select 'chat', 'C1/' || i, id from (${numbered}) n`,
        `insert into outbox (id, channel, recipient, kind, user_id, task_id, payload)
         select id, 'email', 'a@example.org', 'reply', 'alice', id, '{}' from (${numbered}) n`
      ]
    ) yield* query(text)
    for (const table of growing) yield* query(`analyze ${table}`)
  })

inWorld("The plans of the hot path", (test) => {
  for (const count of [0, 5_000]) {
    test(`read no table as a whole, made on tables of ${count} rows`, function*() {
      const { query } = yield* Wire
      if (count > 0) yield* given(count)
      const statements = rooms.flatMap(statementsOf)
      assert.isAtLeast(statements.length, 20)
      for (const { name, text } of statements) {
        yield* query("begin")
        for (const [setting, value] of Object.entries(keyedPlans)) yield* query(`set local ${setting} = ${value}`)
        const rows = yield* query<{ "QUERY PLAN": string }>(`explain (generic_plan) ${text}`)
        yield* query("rollback")
        assert.deepStrictEqual(wholeScans(rows.map((row) => row["QUERY PLAN"])), [], name)
      }
    })
  }
})
