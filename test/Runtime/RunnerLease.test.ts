import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import * as RunnerLease from "../../src/Runtime/Cluster/RunnerLease.ts"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import { Session } from "../../src/Runtime/Database/Session.ts"
import { freshDatabase, query } from "../support/Database.ts"
import { advancing, eventually } from "../support/Eventually.ts"

const lease = (port: number) => RunnerLease.layer({ host: "10.0.0.7", port }).pipe(Layer.provide(Session.layer))

const holders = "select pid from pg_locks where locktype = 'advisory' and granted and database = "
  + "(select oid from pg_database where datname = current_database())"

describe("RunnerLease", () => {
  it.scoped("lets one process at a time be the runner of an address, and others of other addresses", () =>
    Effect.gen(function*() {
      const url = yield* freshDatabase
      const take = (port: number) => Layer.build(lease(port)).pipe(Effect.provideService(DatabaseUrl, url))
      const first = yield* Scope.make()
      yield* Scope.extend(take(34431), first)
      yield* take(34432)
      const [error] = yield* advancing(Effect.flip(Effect.scoped(take(34431))), "500 millis")
      assert.strictEqual(error._tag, "RunnerAddressTaken")
      assert.include(error.message, "10.0.0.7:34431")
      yield* Scope.close(first, Exit.void)
      yield* take(34431)
    }))

  it.scopedLive("is taken again after its session was lost", () =>
    Effect.gen(function*() {
      const url = yield* freshDatabase
      yield* Layer.build(lease(34431)).pipe(Effect.provideService(DatabaseUrl, url))
      const [before] = yield* query<{ readonly pid: number }>(url, holders)
      yield* query(url, "select pg_terminate_backend($1)", [before?.pid])
      const held = yield* eventually(
        query<{ readonly pid: number }>(url, holders),
        (rows) => rows.some(({ pid }) => pid !== before?.pid),
        "20 seconds"
      )
      assert.lengthOf(held, 1)
    }))
})
