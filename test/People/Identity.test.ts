import { assert, it } from "@effect/vitest"
import { type Caller, NotAllowed, selfHostedCaller, SignInUnavailable, Unauthenticated } from "@troupe/domain/Caller"
import { UserId } from "@troupe/domain/Ids"
import { Deferred, Effect, Exit, Fiber, FiberId, Stream, TestClock } from "effect"
import { type Identity, whileSignedIn, withoutSeats } from "../../src/People/SignIn/Identity.ts"

const ada: Caller = { id: UserId.make("ada"), role: "member" }

/** A stream without an end, and what the checks of its reader find. */
const world = (caller: Caller) =>
  Effect.gen(function*() {
    const found: { now: ReturnType<Identity["Type"]["authenticate"]>; change: Deferred.Deferred<void> } = {
      now: Effect.succeed(caller),
      change: yield* Deferred.make<void>()
    }
    const identity = {
      ...withoutSeats,
      authenticate: () => Effect.suspend(() => found.now),
      seatChange: Effect.sync(() => Deferred.await(found.change))
    }
    const stream = whileSignedIn(identity, caller, { method: "GET", headers: { authorization: "Bearer token" } })(
      Stream.never
    )
    const reader = yield* Effect.fork(Stream.runDrain(stream))
    yield* TestClock.adjust("1 second")
    const hasEnded = Effect.map(Fiber.poll(reader), ({ _tag }) => _tag === "Some")
    const after = (finding: typeof found.now) =>
      Effect.sync(() => (found.now = finding)).pipe(
        Effect.zipRight(TestClock.adjust("61 seconds")),
        Effect.zipRight(Effect.yieldNow()),
        Effect.zipRight(hasEnded)
      )
    const changeSeats = (finding: typeof found.now) =>
      Effect.sync(() => {
        found.now = finding
        Deferred.unsafeDone(found.change, Exit.void)
        found.change = Deferred.unsafeMake(FiberId.none)
      }).pipe(
        Effect.zipRight(Effect.yieldNow()),
        Effect.zipRight(hasEnded)
      )
    return { after, changeSeats, reader }
  })

for (const end of [new Unauthenticated({ reason: "expired" }), new NotAllowed({ reason: "removed" })]) {
  it.effect(`A stream ends within a minute of its reader's sign-in (${end._tag}), not because it can't be checked`, () =>
    Effect.gen(function*() {
      const { after, reader } = yield* world(ada)
      assert.isFalse(yield* after(Effect.succeed(ada)))
      assert.isFalse(yield* after(new SignInUnavailable({ reason: "away" })))
      assert.isFalse(yield* after(Effect.die("no database")))
      yield* after(end)
      yield* Fiber.join(reader)
    }))
}

it.effect("A stream of a self-hosted service is not checked", () =>
  Effect.gen(function*() {
    const { after } = yield* world(selfHostedCaller)
    assert.isFalse(yield* after(new Unauthenticated({ reason: "no sign-in" })))
  }))

it.effect("A stream ends at once when its reader has lost the seat or the role, and not when others have", () =>
  Effect.gen(function*() {
    for (const end of [new NotAllowed({ reason: "removed" }), Effect.succeed({ ...ada, role: "admin" as const })]) {
      const { changeSeats, reader } = yield* world(ada)
      assert.isFalse(yield* changeSeats(Effect.succeed(ada)))
      assert.isFalse(yield* changeSeats(Effect.succeed(ada)))
      yield* changeSeats(end)
      yield* Fiber.join(reader)
    }
  }))
