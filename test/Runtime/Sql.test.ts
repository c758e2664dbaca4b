import { SqlClient } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option, Redacted } from "effect"
import { connect, createServer } from "node:net"
import { inject } from "vitest"
import { isNoneFree, makePool, openSession } from "../../src/Runtime/Database/Connections.ts"
import { DatabaseProbe } from "../../src/Runtime/Database/DatabaseProbe.ts"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import { outsideTransaction as withoutTransaction } from "../../src/Runtime/Database/Isolation.ts"
import * as Sql from "../../src/Runtime/Database/Sql.ts"
import { freshDatabase, query } from "../support/Database.ts"
import { advancing, eventually } from "../support/Eventually.ts"
import { listening } from "../support/LocalServer.ts"

const select = (url: Redacted.Redacted) =>
  Effect.flatMap(SqlClient, (sql) => sql<{ answer: number }>`select 42 as answer`).pipe(
    Effect.provide(Sql.layer({ maxConnections: 1 }).pipe(Layer.provide(Layer.succeed(DatabaseUrl, url))))
  )

describe("Sql", () => {
  it.scoped("waits for a server that does not run yet", () =>
    Effect.gen(function*() {
      const { calls, url } = yield* serverThatComesUpLate(yield* freshDatabase)
      const [rows] = yield* advancing(select(url), "1 second")
      assert.deepStrictEqual(rows, [{ answer: 42 }])
      assert.isAtLeast(calls(), 2)
    }))

  it.scoped("fails with the reason when the server never starts", () =>
    Effect.gen(function*() {
      const [error, seconds] = yield* advancing(Effect.flip(select(yield* nobodyListens)), "1 second")
      assert.isAtLeast(seconds, 30)
      assert.strictEqual(error._tag, "DatabaseUnreachable")
      assert.include(error.message, "ECONNREFUSED")
    }))

  it.scopedLive("does not wait for a server that refuses, and shows no password", () =>
    Effect.gen(function*() {
      const wrong = new URL(Redacted.value(yield* freshDatabase))
      wrong.password = "not-the-password"
      const error = yield* Effect.flip(select(Redacted.make(wrong.href)))
      assert.strictEqual(error._tag, "DatabaseUnreachable")
      assert.include(error.message, "password authentication failed")
      assert.notInclude(error.message, "not-the-password")
    }))

  it.scopedLive("loses no connection to a statement that is interrupted while it waits for one", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient
      const waits = sql`select 1`.pipe(Effect.timeoutOption("50 millis"))
      assert.isTrue(Option.isNone(yield* sql.withTransaction(withoutTransaction(waits))))
      assert.deepStrictEqual(yield* sql`select 42 as answer`, [{ answer: 42 }])
    }).pipe(
      Effect.provide(Sql.layer({ maxConnections: 1 })),
      Effect.provideServiceEffect(DatabaseUrl, freshDatabase)
    ))

  it.scopedLive("has its times in UTC, whatever the time zone of the database", () =>
    Effect.gen(function*() {
      const url = yield* freshDatabase
      yield* query(
        url,
        `alter database "${new URL(Redacted.value(url)).pathname.slice(1)}" set timezone = 'Europe/Berlin'`
      )
      const zone = "select current_setting('timezone') as zone"
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient
        assert.deepStrictEqual(yield* sql.unsafe<object>(zone), [{ zone: "UTC" }])
        const session = yield* openSession({ applicationName: "test" })
        assert.deepStrictEqual((yield* Effect.promise(() => session.query(zone))).rows, [{ zone: "UTC" }])
      }).pipe(Effect.provide(Sql.layer({ maxConnections: 1 })), Effect.provideService(DatabaseUrl, url))
    }))

  it.scopedLive("fails, after a wait, as the pool does whose connections are all in use", () =>
    Effect.gen(function*() {
      const pool = yield* makePool({
        maxConnections: 1,
        applicationName: "test",
        statementTimeout: "1 minute",
        waitTimeout: "1 second"
      })
      const connected = Effect.tryPromise({ try: () => pool.connect(), catch: (cause) => new SqlError({ cause }) })
      const client = yield* connected
      assert.isTrue(isNoneFree((yield* Effect.flip(connected)).cause))
      client.release()
      ;(yield* connected).release()
    }).pipe(Effect.provideServiceEffect(DatabaseUrl, freshDatabase)))

  it.scopedLive("knows that the database responds while all of its connections are in use", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient
      const { response } = yield* DatabaseProbe
      yield* response
      const holder = yield* openSession({ applicationName: "holder" })
      const hold = (change: string) => Effect.promise(() => holder.query(change))
      yield* hold("select pg_advisory_lock(1), pg_advisory_lock(2)")
      const first = yield* Effect.fork(sql`select pg_advisory_xact_lock(1)`)
      yield* Effect.yieldNow()
      const second = yield* Effect.fork(sql`select pg_advisory_xact_lock(2)`)
      yield* Effect.yieldNow()
      const asked = yield* Effect.fork(response)
      yield* Effect.yieldNow()
      yield* hold("select pg_advisory_unlock(1)")
      yield* Fiber.join(first)
      yield* Fiber.join(asked)
      assert.isNull(yield* second.poll.pipe(Effect.map(Option.getOrNull)), "the connection is in use again")
      yield* hold("select pg_advisory_unlock(2)")
      yield* Fiber.join(second)
    }).pipe(
      Effect.provide(Sql.layer({ maxConnections: 1 })),
      Effect.provideServiceEffect(DatabaseUrl, freshDatabase)
    ))

  it.scopedLive("knows that the database does not respond while statements end without a response", () =>
    Effect.gen(function*() {
      const { freeze, sent, thaw, url } = yield* serverThatFreezes(yield* freshDatabase)
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient
        const { response } = yield* DatabaseProbe
        freeze()
        const first = yield* Effect.fork(sql`select 1`)
        yield* sent
        const asked = yield* Effect.fork(response)
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(first)
        yield* Effect.repeatN(Effect.yieldNow(), 50)
        assert.isTrue(Option.isNone(yield* asked.poll))
        thaw()
        yield* Fiber.join(asked)
      }).pipe(Effect.provide(Sql.layer({ maxConnections: 1 })), Effect.provideService(DatabaseUrl, url))
    }))

  it.scopedLive("cancels statements that are interrupted together on all of its connections", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient
      const sleeping = sql`select pg_sleep(300)`
      const asleep = query<{ n: number }>(
        yield* DatabaseUrl,
        "select count(*)::integer as n from pg_stat_activity where datname = current_database() and state = 'active' and query like 'select pg_sleep%'"
      ).pipe(Effect.map(([row]) => row?.n))
      const statements = yield* Effect.all([Effect.fork(sleeping), Effect.fork(sleeping)])
      yield* eventually(asleep, (n) => n === 2)
      yield* Fiber.interruptAll(statements)
      yield* eventually(asleep, (n) => n === 0)
      assert.deepStrictEqual(yield* sql`select 42 as answer`, [{ answer: 42 }])
    }).pipe(
      Effect.provide(Sql.layer({ maxConnections: 2 })),
      Effect.provideServiceEffect(DatabaseUrl, freshDatabase)
    ))
})

const at = (url: Redacted.Redacted, port: number): Redacted.Redacted => {
  const moved = new URL(Redacted.value(url))
  moved.port = String(port)
  return Redacted.make(moved.href)
}

const nobodyListens = Effect.map(
  Effect.scoped(listening(createServer())),
  (port) => at(Redacted.make(inject("databaseUrl")), port)
)

/** The test run's server behind an address that hangs up on the first who calls. */
const serverThatComesUpLate = (url: Redacted.Redacted) =>
  Effect.gen(function*() {
    let calls = 0
    const server = createServer((socket) => {
      calls += 1
      if (calls === 1) return socket.destroy()
      const { hostname, port } = new URL(Redacted.value(url))
      const real = connect({ host: hostname, port: Number(port) })
      socket.on("error", () => real.destroy())
      real.on("error", () => socket.destroy())
      return socket.pipe(real).pipe(socket)
    })
    const port = yield* listening(server)
    return { calls: () => calls, url: at(url, port) }
  })

/** The test run's server behind an address that, while it is frozen, keeps what is sent and hangs up on who calls. */
const serverThatFreezes = (url: Redacted.Redacted) =>
  Effect.gen(function*() {
    const kept: Array<() => void> = []
    const sent = yield* Effect.makeLatch()
    let isFrozen = false
    const server = createServer((socket) => {
      if (isFrozen) return socket.destroy()
      const { hostname, port } = new URL(Redacted.value(url))
      const real = connect({ host: hostname, port: Number(port) })
      socket.on("error", () => real.destroy()).on("close", () => real.destroy())
      real.on("error", () => socket.destroy()).pipe(socket)
      return socket.on("data", (data) => {
        if (!isFrozen) return real.write(data)
        kept.push(() => real.write(data))
        return sent.unsafeOpen()
      })
    })
    const port = yield* listening(server)
    return {
      url: at(url, port),
      freeze: () => {
        isFrozen = true
      },
      /** Until something is sent to the frozen server. */
      sent: sent.await,
      thaw: () => {
        isFrozen = false
        kept.forEach((write) => write())
      }
    }
  })
