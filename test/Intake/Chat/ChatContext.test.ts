import { SqlClient } from "@effect/sql/SqlClient"
import { assert } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber } from "effect"
import { makeChatClaims } from "../../../src/Intake/Chat/ChatContext.ts"
import { inWorld, Wire } from "../../support/TaskWorld.ts"

inWorld("Claims of the team chat", (test) => {
  test("one transaction gets a claim, and another one after it has rolled back", function*() {
    const claims = yield* makeChatClaims
    const { withTransaction } = yield* SqlClient
    const taken = yield* Deferred.make<void>()
    const end = yield* Deferred.make<void>()
    const take = claims.take("message C1/1", Duration.days(1))
    const first = yield* Effect.fork(withTransaction(
      take.pipe(
        Effect.zipLeft(Deferred.succeed(taken, undefined)),
        Effect.zipLeft(Deferred.await(end)),
        Effect.zipRight(Effect.fail("undone" as const))
      )
    ))
    yield* Deferred.await(taken)
    const second = yield* Effect.fork(withTransaction(take))
    yield* Deferred.succeed(end, undefined)
    assert.strictEqual((yield* Fiber.await(first))._tag, "Failure")
    assert.isTrue(yield* Fiber.join(second))
    assert.isFalse(yield* take)
  })

  test("a claim is free again when it has expired; one without an expiry never is", function*() {
    const claims = yield* makeChatClaims
    const { query } = yield* Wire
    assert.isTrue(yield* claims.take("a", Duration.days(1)))
    assert.isTrue(yield* claims.take("b", Duration.infinity))
    yield* query("update chat_claims set expires_at = expires_at - interval '2 days'")
    assert.isTrue(yield* claims.take("a", Duration.days(1)))
    assert.isFalse(yield* claims.take("b", Duration.days(1)))
  })
})
