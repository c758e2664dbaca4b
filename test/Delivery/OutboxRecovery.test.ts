import { assert } from "@effect/vitest"
import { Deferred, Duration, Effect, Queue } from "effect"
import { OutboxRepo } from "../../src/Delivery/OutboxRepo.ts"
import { givenMail, outboxRows, settled, startStream, states } from "../support/Deliveries.ts"
import { eventually } from "../support/Eventually.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { channelThat } from "./outbox.ts"

const all = { limit: 10, limitOfOne: 4, after: "", lease: Duration.seconds(20) }

inWorld("An outbox whose process ends or freezes", (test) => {
  const expire = Effect.flatMap(
    Wire,
    ({ query }) => query("update outbox set lease_until = now() - interval '1 second' where state = 'sending'")
  )

  const once = { maxAttempts: 3, firstDelay: Duration.seconds(15), maxDelay: Duration.hours(1) }

  test(
    "repeats a message whose delivery ends its process with growing delays, and gives it up in the end",
    Effect.gen(function*() {
      const { query } = yield* Wire
      const repo = yield* OutboxRepo
      yield* givenMail("poison@x.org", "1")
      const delays: Array<number> = []
      for (const exhausted of [0, 0, 1]) {
        yield* query("update outbox set next_attempt_at = now() - interval '1 second'")
        assert.lengthOf((yield* repo.take("email", all)).claims, 1)
        yield* expire
        assert.deepStrictEqual(yield* repo.recover("email", once), { due: 1 - exhausted, uncertain: 0, exhausted })
        const [row] = yield* query<{ seconds: number }>(
          "select extract(epoch from next_attempt_at - now())::float8 as seconds from outbox"
        )
        delays.push(row?.seconds ?? 0)
      }
      assert.isAtMost(delays[0] ?? 1, 0)
      assert.closeTo(delays[1] ?? 0, 15, 5)
      const [row] = yield* outboxRows
      assert.deepInclude(row, { state: "failed", attempts: 3 })
      assert.match(row?.last_error ?? "", /ended during attempt 3/)
    }).pipe(Effect.provide(OutboxRepo.layer))
  )

  test("keeps what it is still sending", function*() {
    const { query } = yield* Wire
    yield* givenMail("slow@x.org", "1")
    const held = yield* Deferred.make<void>()
    yield* startStream(channelThat(() => Effect.as(Deferred.await(held), null)), { lease: "3 seconds" })
    const leaseUntil = Effect.map(
      query<{ at: number | null }>("select extract(epoch from lease_until)::float8 as at from outbox"),
      ([row]) => row?.at ?? 0
    )
    const first = yield* eventually(leaseUntil, (at) => at > 0)
    yield* eventually(leaseUntil, (at) => at > first)
    yield* Deferred.succeed(held, undefined)
    yield* settled
    assert.deepInclude((yield* outboxRows)[0], { state: "sent", attempts: 1 })
  })

  test(
    "repeats what had not left it, and never what had",
    Effect.gen(function*() {
      const repo = yield* OutboxRepo
      for (const to of ["before@x.org", "after@x.org"]) yield* givenMail(to, to)
      const { claims } = yield* repo.take("email", all)
      assert.deepStrictEqual(claims.map(({ message }) => message.recipient).toSorted(), ["after@x.org", "before@x.org"])
      const [after, before] = claims.toSorted((one, other) => one.message.recipient < other.message.recipient ? -1 : 1)
      if (after === undefined || before === undefined) return assert.fail("no claims")
      assert.isTrue(yield* repo.handOver(after, { mayRepeat: false, lease: all.lease }))
      assert.deepStrictEqual(yield* repo.take("email", all), { claims: [], next: "" })
      yield* expire
      assert.deepStrictEqual(yield* repo.recover("email", once), { due: 1, uncertain: 1, exhausted: 0 })
      const delivered: Array<string> = []
      yield* startStream(
        channelThat(({ recipient }) => Effect.as(Effect.sync(() => delivered.push(recipient)), null))
      )
      yield* settled
      assert.deepStrictEqual(delivered, ["before@x.org"])
      const rows = yield* outboxRows
      assert.deepStrictEqual(rows.map(({ state }) => state), ["sent", "failed"])
      assert.match(rows[1]?.last_error ?? "", /may have arrived/)
      assert.isFalse(
        yield* repo.handOver(before, { mayRepeat: false, lease: all.lease }),
        "the frozen process does not send what its successor sent"
      )
      yield* repo.sent(after, null)
      assert.deepStrictEqual(yield* states, ["sent", "sent"], "the result is known in the end")
    }).pipe(Effect.provide(OutboxRepo.layer))
  )

  test("ends the attempts that it has begun, and gives those that did not leave it to its successor uncounted", function*() {
    const begun = yield* Queue.unbounded<string>()
    for (const to of ["slow@x.org", "stuck@x.org"]) yield* givenMail(to, to)
    const slow = yield* Deferred.make<void>()
    const first = yield* startStream(
      channelThat(({ recipient }) =>
        Effect.zipRight(
          Queue.offer(begun, recipient),
          recipient === "slow@x.org" ? Effect.as(Deferred.await(slow), null) : Effect.never
        )
      ),
      { grace: "2 seconds" }
    )
    yield* Queue.takeN(begun, 2)
    yield* Effect.forkScoped(Effect.delay(Deferred.succeed(slow, undefined), "50 millis"))
    yield* first.stop
    const rows = yield* outboxRows
    assert.deepStrictEqual(rows.map(({ attempts, state }) => [state, attempts]), [["sent", 1], ["pending", 0]])
    yield* startStream(channelThat(() => Effect.succeed(null)))
    yield* settled
    assert.deepStrictEqual(yield* states, ["sent", "sent"])
  })
})
