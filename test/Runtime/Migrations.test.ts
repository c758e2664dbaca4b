import { assert, describe, it } from "@effect/vitest"
import { Cause, Duration, Effect, Fiber, Redacted } from "effect"
import { copyFile, readdir } from "node:fs/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { makePool } from "../../src/Runtime/Database/Connections.ts"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import { emptyDatabase, query } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { done, makeFolder, migrate, plays, tables } from "./migrations.ts"

describe("Migrations", () => {
  it.scopedLive("runs every migration once when four processes start together on an empty database", () =>
    Effect.gen(function*() {
      const url = yield* emptyDatabase
      yield* Effect.all(Array.from({ length: 4 }, () => migrate(url)), { concurrency: 4, discard: true })
      const files = yield* Effect.promise(() => readdir(new URL("../../migrations/", import.meta.url)))
      assert.deepStrictEqual(yield* done(url), files.filter((name) => name.endsWith(".sql")).sort())
    }))

  it.scopedLive("runs only what is new, in the order of the numbers, and leaves other files alone", () =>
    Effect.gen(function*() {
      const url = yield* emptyDatabase
      const { add, where } = yield* makeFolder({
        "0002_fill_plays.sql": "insert into plays values ('Hamlet')",
        ...plays,
        "README.md": "not SQL"
      })
      yield* migrate(url, where)
      yield* add({ "0003_fill_more_plays.sql": "insert into plays values ('Macbeth')" })
      yield* migrate(url, where)
      yield* migrate(url, where)
      const titles = yield* query(url, "select title from plays order by 1")
      assert.deepStrictEqual(titles, [{ title: "Hamlet" }, { title: "Macbeth" }])
    }))

  it.scopedLive("leaves nothing of a start in which one migration fails, and names that one", () =>
    Effect.gen(function*() {
      const url = yield* emptyDatabase
      const { add, where } = yield* makeFolder({
        ...plays,
        "0002_fill_plays.sql": "insert into players values ('Hamlet')"
      })
      const cause = yield* Effect.flip(Effect.sandbox(migrate(url, where)))
      assert.include(Cause.pretty(cause), "2_fill_plays")
      assert.deepStrictEqual(yield* tables(url), [])

      yield* add({ "0002_fill_plays.sql": "insert into plays values ('Hamlet')" })
      yield* migrate(url, where)
      assert.deepStrictEqual(yield* tables(url), ["plays", "troupe_migrations"])
    }))

  it.scopedLive("leave a schema without triggers, whose indexes each do what no other one does", () =>
    Effect.gen(function*() {
      const url = yield* emptyDatabase
      yield* migrate(url)
      assert.deepStrictEqual(yield* query(url, "select tgname from pg_trigger where not tgisinternal"), [])
      const doubled = yield* query(
        url,
        `select one.indexrelid::regclass::text as index, other.indexrelid::regclass::text as "contained in"
         from pg_index one join pg_index other on other.indrelid = one.indrelid and other.indexrelid <> one.indexrelid
         where one.indexprs is null and other.indexprs is null and not one.indisunique
           and other.indkey::text || ' ' like one.indkey::text || ' %'
           and pg_get_expr(one.indpred, one.indrelid) is not distinct from pg_get_expr(other.indpred, other.indrelid)`
      )
      assert.deepStrictEqual(doubled, [])
    }))

  it.scopedLive("has no time limit for a statement, whatever the database's default, and logs each migration", () =>
    Effect.gen(function*() {
      const url = yield* emptyDatabase
      const name = new URL(Redacted.value(url)).pathname.slice(1)
      yield* query(url, `alter database ${name} set statement_timeout = '100ms'`)
      const { where } = yield* makeFolder({
        "0001_note_limits.sql": `select pg_sleep(0.2);
        create table limits as select current_setting('statement_timeout') as statement,
          current_setting('lock_timeout') as lock, current_setting('application_name') as connection`
      })
      const lines: Array<string> = []
      yield* migrate(url, where, lines)
      assert.deepStrictEqual(yield* query(url, "select * from limits"), [
        { statement: "0", lock: "30s", connection: "troupe-migrations" }
      ])
      assert.deepStrictEqual(lines.slice(0, 2), ["Applying 1 migration ...", "Migration 0001_note_limits.sql started"])
      assert.match(lines[2] ?? "", /^Migration 0001_note_limits\.sql finished in \d+ms$/)
      const { options: { query_timeout, statement_timeout } } = yield* Effect.provideService(
        makePool({ maxConnections: 1, applicationName: "unlimited", statementTimeout: Duration.infinity }),
        DatabaseUrl,
        url
      )
      assert.deepStrictEqual({ query_timeout, statement_timeout }, {
        query_timeout: undefined,
        statement_timeout: undefined
      })
    }))

  it.scopedLive("waits for another process that migrates, and ends its statement when the start is interrupted", () =>
    Effect.gen(function*() {
      const url = yield* emptyDatabase
      const { add, where } = yield* makeFolder({ "0001_take_long.sql": "select pg_sleep(300)" })
      const count = (state: string) =>
        Effect.map(
          query(
            url,
            `select from pg_stat_activity where datname = current_database() and state <> 'idle'
              and application_name = 'troupe-migrations' and wait_event = '${state}'`
          ),
          ({ length }) => length
        )
      const lines: Array<string> = []
      const first = yield* Effect.fork(migrate(url, where, lines))
      yield* eventually(count("PgSleep"), (sleeping) => sleeping === 1)
      const second = yield* Effect.fork(migrate(url, where, lines))
      yield* eventually(count("advisory"), (waiting) => waiting === 1)
      assert.deepStrictEqual(lines, [
        "Applying 1 migration ...",
        "Migration 0001_take_long.sql started",
        "Waiting for another process to migrate the database"
      ])
      yield* add({ "0001_take_long.sql": "create table plays (title text)" })
      yield* Fiber.interrupt(first)
      yield* Fiber.join(second)
      assert.deepStrictEqual(yield* tables(url), ["plays", "troupe_migrations"])
    }))
})

describe("The migration that adds the chain of tasks", () => {
  it.scopedLive("fills it for the continuations that are there, whichever of their tasks were deleted", () =>
    Effect.gen(function*() {
      const url = yield* emptyDatabase
      const all = new URL("../../migrations/", import.meta.url)
      const folder = yield* freshFolder
      yield* Effect.promise(async () => {
        for (const name of (await readdir(all)).filter((one) => one < "0017")) {
          await copyFile(new URL(name, all), join(folder, name))
        }
      })
      yield* migrate(url, pathToFileURL(`${folder}/`))
      yield* query(
        url,
        `insert into tasks (id, created_at, creator, task_type, description, continued_from)
select lpad(n::text, 32, '0')::uuid, now(), 'ada', 'task', 'Step', case when n > 1 then lpad((n - 1)::text, 32, '0')::uuid end
from generate_series(1, 30) n where n <> 3`
      )
      yield* migrate(url)
      const rows = yield* query(
        url,
        `select right(t.id::text, 2) as id,
  (select string_agg(right(link::text, 2), ' ' order by place) from unnest(t.chain) with ordinality c (link, place)) as chain
from tasks t where right(t.id::text, 2) in ('01', '02', '05', '30') order by 1`
      )
      assert.deepStrictEqual(rows, [
        { id: "01", chain: null },
        { id: "02", chain: "01" },
        { id: "05", chain: "04 03" },
        { id: "30", chain: Array.from({ length: 20 }, (_, index) => String(29 - index)).join(" ") }
      ])
    }))
})
