import { SqlClient } from "@effect/sql/SqlClient"
import { assert, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Option, Queue } from "effect"
import { newOutboxId } from "../../src/Delivery/Outbox.ts"
import { type Delivered, DeliveryFailed, type OutboxMessage } from "../../src/Delivery/OutboxChannel.ts"
import { OutboxRepo } from "../../src/Delivery/OutboxRepo.ts"
import { buffersOf } from "../support/Buffers.ts"
import { givenMail, outboxRows, startStream } from "../support/Deliveries.ts"
import { eventually } from "../support/Eventually.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"

const fine: Delivered = { remark: null }
const failure = (kind: DeliveryFailed["kind"], retryAfter = Option.none<Duration.Duration>()) =>
  new DeliveryFailed({ kind, reason: `It is ${kind}`, retryAfter })

/** A channel that says what happened to it, and does what the test says. */
const channelThat = (
  deliver: (message: OutboxMessage, handedOver: Effect.Effect<void, DeliveryFailed>) => Effect.Effect<
    Delivered,
    DeliveryFailed
  >
) => Effect.succeed({ channel: "email" as const, deliver })

const all = { limit: 10, after: "", lease: Duration.seconds(20) }

const states = Effect.map(outboxRows, (rows) => rows.map(({ state }) => state))
const settled = eventually(states, (all) => all.every((state) => state === "sent" || state === "failed"))

it.effect("The ids of messages are in the order in which they were made, also within a millisecond", () =>
  Effect.gen(function*() {
    const ids = yield* Effect.replicateEffect(newOutboxId, 1_000)
    assert.deepStrictEqual(ids, ids.toSorted())
  }))

inWorld("The outbox", (test) => {
  test(
    "delivers the messages of a recipient in their order, whatever fails, and those of others meanwhile",
    Effect.gen(function*() {
      const order: Array<string> = []
      for (const to of ["ada@x.org", "bob@x.org"]) {
        for (const subject of ["1", "2", "3"]) yield* givenMail(to, subject)
      }
      const held = yield* Deferred.make<void>()
      yield* startStream(channelThat(({ attempts, id, recipient }) =>
        Effect.gen(function*() {
          if (recipient === "ada@x.org") yield* Deferred.await(held)
          if (attempts === 1) return yield* failure("later")
          order.push(`${recipient} ${id}`)
          return fine
        })
      ))
      const ids = (yield* outboxRows).map(({ id, recipient }) => `${recipient} ${id}`)
      yield* eventually(Effect.sync(() => order.length), (count) => count === 3)
      assert.deepStrictEqual(order, ids.slice(3), "one who is held up holds nobody else up")
      yield* Deferred.succeed(held, undefined)
      yield* settled
      assert.deepStrictEqual(order.slice(3), ids.slice(0, 3))
      assert.deepStrictEqual([...new Set((yield* outboxRows).map(({ attempts }) => attempts))], [2])
    })
  )

  test(
    "sends nothing of a transaction that is rolled back",
    Effect.gen(function*() {
      const sql = yield* SqlClient
      yield* Effect.flip(sql.withTransaction(Effect.zipRight(givenMail("ada@x.org", "1"), Effect.fail("no"))))
      assert.deepStrictEqual(yield* outboxRows, [])
    })
  )

  test(
    "goes on with other recipients before it comes back to one with more messages",
    Effect.gen(function*() {
      for (const to of ["ada@x.org", "ada@x.org", "bob@x.org"]) yield* givenMail(to, to)
      const order: Array<string> = []
      const note = ({ recipient }: OutboxMessage) => Effect.as(Effect.sync(() => order.push(recipient)), fine)
      yield* startStream(channelThat(note), { concurrency: 1 })
      yield* settled
      assert.deepStrictEqual(order, ["ada@x.org", "bob@x.org", "ada@x.org"])
    })
  )

  test(
    "reads few pages for a claim, however many messages wait for one recipient",
    Effect.gen(function*() {
      const { query, sent } = yield* Wire
      const repo = yield* OutboxRepo
      yield* query(`insert into outbox (id, channel, recipient, kind, payload, next_attempt_at)
        select event_id(now() + i * interval '1 second', 0), 'email', 'dead@x.org', 'mail', '{}',
          case when i = 0 then now() + interval '1 hour' else now() end from generate_series(0, 49999) i`)
      yield* query(`insert into outbox (id, channel, recipient, kind, payload)
        select event_id(now(), i), 'email', i || '@y.org', 'mail', '{}' from generate_series(1, 50) i`)
      yield* query("analyze outbox")
      const { claims, next } = yield* repo.take("email", { limit: 60, after: "", lease: Duration.seconds(20) })
      assert.deepStrictEqual([claims.length, next], [50, ""])
      assert.isFalse(claims.some(({ message }) => message.recipient === "dead@x.org"))
      const take = sent.findLast(({ name }) => name === "outbox_take")
      assert.isBelow(yield* buffersOf(take, { plan_cache_mode: "force_generic_plan" }), 1_000)
    }).pipe(Effect.provide(OutboxRepo.layer))
  )

  test(
    "gives up what is refused at once, what is uncertain without another attempt, and what fails too often",
    Effect.gen(function*() {
      const tried: Array<string> = []
      for (const kind of ["refused", "uncertain", "later"]) yield* givenMail(`${kind}@x.org`, kind)
      yield* startStream(
        channelThat(({ recipient }) => {
          tried.push(recipient)
          return Effect.fail(failure(recipient.split("@")[0] as DeliveryFailed["kind"]))
        }),
        { maxAttempts: 3 }
      )
      yield* settled
      assert.deepStrictEqual(
        (yield* outboxRows).map(({ attempts, last_error, state }) => [state, attempts, last_error]),
        [["failed", 1, "It is refused"], ["failed", 1, "It is uncertain"], ["failed", 3, "It is later"]]
      )
      assert.strictEqual(tried.length, 5)
    })
  )

  test(
    "waits as long as the recipient asks for, and longer after each failure",
    Effect.gen(function*() {
      const { query } = yield* Wire
      for (const name of ["asks", "slow"]) yield* givenMail(`${name}@x.org`, name)
      yield* query("update outbox set attempts = 4 where recipient like 'slow%'")
      const stream = yield* startStream(
        channelThat(({ recipient }) =>
          Effect.fail(
            recipient.startsWith("asks") ? failure("later", Option.some(Duration.minutes(10))) : failure("later")
          )
        ),
        { firstDelay: "15 seconds" }
      )
      const delays = query<{ seconds: number }>(
        `select extract(epoch from next_attempt_at - now())::float8 as seconds from outbox
         where state = 'pending' and next_attempt_at > now() order by recipient`
      )
      const [asked, slow] = yield* eventually(delays, ({ length }) => length === 2)
      assert.closeTo(asked?.seconds ?? 0, 600, 5)
      assert.isAtLeast(slow?.seconds ?? 0, 15 * 3 ** 4 - 5)
      assert.isAtMost(slow?.seconds ?? 0, 15 * 3 ** 4 * 1.2)
      yield* stream.stop
    })
  )

  test(
    "survives a channel that crashes, and a database that fails",
    Effect.gen(function*() {
      const line = yield* Wire
      let fails = 2
      line.after = ({ name }) =>
        Effect.suspend(() => name === "outbox_sent" && fails-- > 0 ? Effect.die("lost") : Effect.void)
      yield* givenMail("ada@x.org", "1")
      yield* startStream(
        channelThat(({ attempts }) => attempts === 1 ? Effect.die(new Error("boom")) : Effect.succeed(fine))
      )
      yield* settled
      const [row] = yield* outboxRows
      assert.deepStrictEqual([row?.state, row?.attempts], ["sent", 2])
    })
  )
})

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
        yield* query("update outbox set next_attempt_at = least(next_attempt_at, now())")
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

  test(
    "keeps what it is still sending",
    Effect.gen(function*() {
      const { query } = yield* Wire
      yield* givenMail("slow@x.org", "1")
      const held = yield* Deferred.make<void>()
      yield* startStream(channelThat(() => Effect.as(Deferred.await(held), fine)), { lease: "900 millis" })
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
  )

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
        channelThat(({ recipient }) => Effect.as(Effect.sync(() => delivered.push(recipient)), fine))
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

  test(
    "ends the attempts that it has begun, and gives those that did not leave it to its successor uncounted",
    Effect.gen(function*() {
      const begun = yield* Queue.unbounded<string>()
      for (const to of ["slow@x.org", "stuck@x.org"]) yield* givenMail(to, to)
      const slow = yield* Deferred.make<void>()
      const first = yield* startStream(
        channelThat(({ recipient }) =>
          Effect.zipRight(
            Queue.offer(begun, recipient),
            recipient === "slow@x.org" ? Effect.as(Deferred.await(slow), fine) : Effect.never
          )
        ),
        { grace: "300 millis" }
      )
      yield* Queue.takeN(begun, 2)
      yield* Effect.forkScoped(Effect.delay(Deferred.succeed(slow, undefined), "50 millis"))
      yield* first.stop
      const rows = yield* outboxRows
      assert.deepStrictEqual(rows.map(({ attempts, state }) => [state, attempts]), [["sent", 1], ["pending", 0]])
      yield* startStream(channelThat(() => Effect.succeed(fine)))
      yield* settled
      assert.deepStrictEqual(yield* states, ["sent", "sent"])
    })
  )
})
