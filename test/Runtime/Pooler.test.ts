import { SqlClient } from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Redacted, type Scope } from "effect"
import { openSession } from "../../src/Runtime/Database/Connections.ts"
import { ThroughPooler } from "../../src/Runtime/Database/DatabaseUrl.ts"
import * as Pooler from "../../src/Runtime/Database/Pooler.ts"
import { PreparedStatements } from "../../src/Runtime/Database/PreparedStatements.ts"
import { SearchStatements } from "../../src/Runtime/Database/SearchStatements.ts"
import { Session } from "../../src/Runtime/Database/Session.ts"
import { Signals } from "../../src/Runtime/Database/Signals.ts"
import * as Sql from "../../src/Runtime/Database/Sql.ts"
import { freshDatabase, query } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { makePgBouncer, pgBouncerNeed } from "../support/PgBouncer.ts"

const pools = Layer.mergeAll(
  PreparedStatements.layer({ maxConnections: 4 }),
  SearchStatements.layer({ maxConnections: 2 }),
  Sql.layer({ maxConnections: 4 })
)

const through = (url: Redacted.Redacted) => Layer.provideMerge(pools, Pooler.layer(url))

/** A database, and a pooler before it that shares two connections between all sessions. */
const givenPooler = Effect.gen(function*() {
  const server = yield* freshDatabase
  return { server, pooler: yield* makePgBouncer(server, { connections: 2 }) }
})

const limits = `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
  current_setting('idle_in_transaction_session_timeout') as idle`

it.scopedLive("A second address that leads to another database is refused, and the setting named", () =>
  Effect.gen(function*() {
    const [url, other] = yield* Effect.all([freshDatabase, freshDatabase])
    const at = (direct: Redacted.Redacted) => Layer.build(Layer.provide(Pooler.layerDirect(direct), Pooler.layer(url)))
    yield* at(url)
    const refused = yield* Effect.flip(at(other))
    assert.strictEqual(refused.setting, "DATABASE_DIRECT_URL")
    assert.include(refused.message, "another database")
    const wrong = new URL(Redacted.value(url))
    wrong.pathname = "/nowhere"
    const absent = yield* Effect.flip(at(Redacted.make(wrong.href)))
    assert.match(absent.message, /"nowhere" does not exist\. Check DATABASE_DIRECT_URL/)
  }))

describe.skipIf(pgBouncerNeed.isMissing)(pgBouncerNeed.named("Pooler"), () => {
  it.scopedLive("a pooler is recognized, and a server is none", () =>
    Effect.gen(function*() {
      const { pooler, server } = yield* givenPooler
      const isPooler = (url: Redacted.Redacted) =>
        Effect.map(Layer.build(Pooler.layer(url)), (context) => Context.get(context, ThroughPooler))
      assert.isTrue(yield* isPooler(pooler))
      assert.isFalse(yield* isPooler(server))
    }))

  it.scopedLive("statements have their time limits, alone and in transactions, and no other session gets them", () =>
    Effect.gen(function*() {
      const { pooler, server } = yield* givenPooler
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient
        const { execute } = yield* PreparedStatements
        const expected = [{ statement: "1min", lock: "30s", idle: "1min" }]
        assert.deepStrictEqual(yield* sql.unsafe<object>(limits), expected)
        assert.deepStrictEqual(yield* sql.withTransaction(sql.unsafe<object>(limits)), expected)
        const hot = [{ statement: "20s", lock: "10s", idle: "20s" }]
        assert.deepStrictEqual(yield* execute({ name: "limits", text: limits, values: [] }), hot)
        assert.deepStrictEqual(yield* query(pooler, limits), yield* query(server, limits))
      }).pipe(Effect.provide(through(pooler)))
    }))

  it.scopedLive("statements and the session of the process have their times in UTC, whatever the time zone of the database", () =>
    Effect.gen(function*() {
      const { pooler, server } = yield* givenPooler
      yield* query(
        server,
        `alter database "${new URL(Redacted.value(server)).pathname.slice(1)}" set timezone = 'Europe/Berlin'`
      )
      const zone = "select current_setting('timezone') as zone"
      const utc = [{ zone: "UTC" }]
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient
        assert.deepStrictEqual(yield* sql.unsafe<object>(zone), utc)
        assert.deepStrictEqual(yield* sql.withTransaction(sql.unsafe<object>(zone)), utc)
        const session = yield* openSession({ applicationName: "test" })
        assert.deepStrictEqual((yield* Effect.promise(() => session.query(zone))).rows, utc)
        assert.deepStrictEqual(
          (yield* Effect.promise(() => session.query(`${zone} where $1::integer = 1`, [1]))).rows,
          utc
        )
      }).pipe(Effect.provide(through(pooler)))
    }))

  it.scopedLive("a transaction keeps what its statements set", () =>
    Effect.gen(function*() {
      const { pooler } = yield* givenPooler
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient
        const found = yield* sql.withTransaction(
          Effect.zipRight(
            sql`set local lock_timeout = '7s'`,
            sql<{ lock: string }>`select 1, lock from (
            select current_setting('lock_timeout') as lock) x`
          )
        )
        assert.strictEqual(found[0]?.lock, "7s")
      }).pipe(Effect.provide(through(pooler)))
    }))

  it.scopedLive("a statement that fails leaves its connection usable, alone and in a transaction", () =>
    Effect.gen(function*() {
      const { pooler } = yield* givenPooler
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient
        const { execute } = yield* PreparedStatements
        for (let attempt = 0; attempt < 5; attempt++) {
          assert.include(String((yield* Effect.flip(sql`select 1 / 0`)).cause), "division by zero")
          const inTransaction = sql.withTransaction(Effect.zipRight(sql`select 1`, sql`select nothing`))
          assert.include(String((yield* Effect.flip(inTransaction)).cause), "nothing")
          yield* Effect.flip(execute({ name: "wrong", text: "select $1::integer", values: ["x"] }))
        }
        assert.deepStrictEqual(yield* sql`select ${41}::integer + 1 as answer`, [{ answer: 42 }])
        assert.deepStrictEqual(yield* execute({ name: "answer", text: "select $1::integer as n", values: [7] }), [{
          n: 7
        }])
      }).pipe(Effect.provide(through(pooler)))
    }))

  it.scopedLive("named statements run on sessions that have not prepared them, many at once", () =>
    Effect.gen(function*() {
      const { pooler } = yield* givenPooler
      yield* Effect.gen(function*() {
        const { execute } = yield* PreparedStatements
        const numbers = Array.from({ length: 60 }, (_, index) => index)
        const rows = yield* Effect.forEach(
          numbers,
          (n) => execute({ name: `numbers_${n % 3}`, text: `select $1::integer + ${n % 3} as n`, values: [n] }),
          { concurrency: 20 }
        )
        assert.deepStrictEqual(rows.map(([row]) => row?.["n"]), numbers.map((n) => n + n % 3))
      }).pipe(Effect.provide(through(pooler)))
    }))

  it.scopedLive("searches can't write", () =>
    Effect.gen(function*() {
      const { pooler } = yield* givenPooler
      yield* Effect.gen(function*() {
        const { execute } = yield* SearchStatements
        assert.deepStrictEqual(yield* execute({ name: "one", text: "select 1 as n", values: [] }), [{ n: 1 }])
        const refused = yield* Effect.flip(
          execute({
            name: "write",
            text: "insert into troupe_migrations (migration_id, name) values (1, 'x')",
            values: []
          })
        )
        assert.include(String(refused._tag === "SqlError" ? refused.cause : refused), "read-only transaction")
      }).pipe(Effect.provide(through(pooler)))
    }))

  it.scopedLive("an interrupted statement is cancelled on the server", () =>
    Effect.gen(function*() {
      const { pooler, server } = yield* givenPooler
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient
        const asleep = Effect.map(
          query<{ n: number }>(
            server,
            "select count(*)::integer as n from pg_stat_activity where datname = current_database() and state = 'active' and query like 'select pg_sleep%'"
          ),
          ([row]) => row?.n
        )
        const sleeping = yield* Effect.fork(sql`select pg_sleep(300)`)
        yield* eventually(asleep, (n) => n === 1)
        yield* Fiber.interrupt(sleeping)
        yield* eventually(asleep, (n) => n === 0)
      }).pipe(Effect.provide(through(pooler)))
    }))

  it.scopedLive("lost notifications are noticed and reported, and urgent signals come all the same", () =>
    Effect.gen(function*() {
      const { pooler } = yield* givenPooler
      const signals = yield* signalsAt(pooler)
      const problem = yield* eventually(signals.problem, (found) => found !== null)
      assert.include(problem ?? "", "set DATABASE_DIRECT_URL to the address of the server itself")
      yield* signalled(signals)
      yield* signalled(signals)
    }))

  it.scopedLive("notifications arrive by the address of the server itself", () =>
    Effect.gen(function*() {
      const { pooler, server } = yield* givenPooler
      const signals = yield* signalsAt(pooler, server)
      yield* signalled(signals, query(server, "select pg_notify('troupe_wake', 'another 1')"))
      assert.isNull(yield* signals.problem)
    }))
})

/** Listens at the one address, and notifies itself by way of the other. */
const signalsAt = (
  pooler: Redacted.Redacted,
  direct = pooler
): Effect.Effect<Signals["Type"], unknown, Scope.Scope> =>
  Effect.map(
    Layer.build(
      Signals.layer.pipe(
        Layer.provide(Layer.provide(Sql.layer({ maxConnections: 2 }), Pooler.layer(pooler))),
        Layer.provide(Layer.provideMerge(Session.layer, Pooler.layer(direct)))
      )
    ),
    (context) => Context.get(context, Signals)
  )

/** Waits for the next signal on a channel; `notify` is repeated until then. */
const signalled = (signals: Signals["Type"], notify: Effect.Effect<unknown> = Effect.void) =>
  Effect.scoped(Effect.gen(function*() {
    let count = 0
    yield* signals.onSignal("troupe_wake", () => void (count += 1))
    yield* eventually(Effect.zipRight(notify, Effect.sync(() => count)), (found) => found > 0)
  }))
