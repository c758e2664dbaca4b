import { SqlClient } from "@effect/sql/SqlClient"
import { assert, layer } from "@effect/vitest"
import { CurrentUser } from "@troupe/api/Authentication"
import { ProblemError } from "@troupe/api/Problem"
import { type Caller, selfHostedCaller } from "@troupe/domain/Caller"
import { UserId } from "@troupe/domain/Ids"
import { Cause, Effect, Exit, Fiber, Layer, Stream } from "effect"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import { asService, requestRole, requireCaller } from "../../src/Runtime/Database/Isolation.ts"
import { PreparedStatements } from "../../src/Runtime/Database/PreparedStatements.ts"
import * as RequestRole from "../../src/Runtime/Database/RequestRole.ts"
import { SearchStatements } from "../../src/Runtime/Database/SearchStatements.ts"
import * as Sql from "../../src/Runtime/Database/Sql.ts"
import { RateLimits } from "../../src/Runtime/RateLimits.ts"
import * as Database from "../support/Database.ts"
import { seatOf } from "../support/Seats.ts"

const ann: Caller = { id: UserId.make("ann"), role: "member" }
const statement = { name: "current_role", text: "select current_user::text as role", values: [] }

/** The role that a statement of each pool runs as. */
const pools = Effect.gen(function*() {
  const sql = yield* SqlClient
  const hot = yield* PreparedStatements
  const search = yield* SearchStatements
  return {
    sql: sql.unsafe(statement.text),
    transaction: sql.withTransaction(sql.unsafe(statement.text)),
    hot: hot.execute(statement),
    search: search.execute(statement)
  }
})

const seated = (caller: Caller) => Effect.flatMap(DatabaseUrl, (url) => Database.query(url, ...seatOf(caller)))

const isRefused = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.isFailure(exit) && Cause.isDie(exit.cause) && Cause.pretty(exit.cause).includes("has no caller")

const services = RateLimits.layer({ perMinute: 6 }).pipe(
  Layer.provideMerge(Layer.mergeAll(
    PreparedStatements.layer({ maxConnections: 2 }),
    SearchStatements.layer({ maxConnections: 2 }),
    RequestRole.layer.pipe(Layer.provideMerge(Sql.layer({ maxConnections: 2 })))
  )),
  Layer.provideMerge(Database.layer)
)

layer(services)("A statement of a request", (it) => {
  it.effect("is a defect in every pool without a caller", () =>
    Effect.gen(function*() {
      for (const [pool, role] of Object.entries(yield* pools)) {
        assert.isTrue(isRefused(yield* Effect.exit(requireCaller(role))), pool)
        const unknown = Effect.provideService(role, CurrentUser, selfHostedCaller)
        assert.isTrue(isRefused(yield* Effect.exit(requireCaller(unknown))), pool)
      }
    }))

  it.effect("is a defect also in what the request starts, and in the stream that it answers", () =>
    Effect.gen(function*() {
      const { hot } = yield* pools
      const forked = Effect.flatMap(Effect.forkDaemon(hot), Fiber.await)
      assert.isTrue(isRefused(yield* requireCaller(forked)))
      assert.isTrue(isRefused(yield* Effect.exit(requireCaller(Stream.runDrain(Stream.fromEffect(hot))))))
    }))

  it.effect("is refused for a caller without a seat, or without its role, and leaves its connection as it was", () =>
    Effect.gen(function*() {
      yield* seated(ann)
      const boss: Caller = { id: UserId.make("boss"), role: "admin" }
      yield* seated(boss)
      for (const [pool, role] of Object.entries(yield* pools)) {
        for (const caller of [{ ...ann, id: UserId.make("nobody") }, { ...ann, role: "admin" as const }]) {
          // More often than the pool has connections.
          for (let index = 0; index < 5; index++) {
            const exit = yield* Effect.exit(requireCaller(Effect.provideService(role, CurrentUser, caller)))
            const problem = Exit.isFailure(exit) ? Cause.squash(exit.cause) : null
            assert.instanceOf(problem, ProblemError, pool)
            assert.strictEqual(problem.status, 403)
          }
        }
        for (const caller of [ann, boss, { ...boss, role: "member" as const }]) {
          const allowed = yield* requireCaller(Effect.provideService(role, CurrentUser, caller))
          assert.deepStrictEqual(allowed, [{ role: requestRole }], pool)
        }
        assert.notDeepEqual(yield* role, [{ role: requestRole }], pool)
      }
    }))

  it.effect("runs for its caller, or as the service where it says so", () =>
    Effect.gen(function*() {
      yield* seated(ann)
      for (const [pool, role] of Object.entries(yield* pools)) {
        const ofCaller = yield* requireCaller(Effect.provideService(role, CurrentUser, ann))
        assert.deepStrictEqual(ofCaller, [{ role: requestRole }], pool)
        assert.notDeepEqual(yield* requireCaller(asService(role)), [{ role: requestRole }], pool)
        assert.notDeepEqual(yield* role, [{ role: requestRole }], pool)
      }
    }))

  it.effect("counts for the rate limit before anyone has signed in", () =>
    Effect.gen(function*() {
      const { take } = yield* RateLimits
      assert.strictEqual((yield* requireCaller(take("address 192.0.2.1")))?.remaining, 5)
    }))
})
