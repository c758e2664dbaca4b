import { SqlClient } from "@effect/sql/SqlClient"
import { assert, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Option } from "effect"
import { newOutboxId } from "../../src/Delivery/Outbox.ts"
import { DeliveryFailed, type OutboxMessage } from "../../src/Delivery/OutboxChannel.ts"
import { OutboxRepo } from "../../src/Delivery/OutboxRepo.ts"
import { buffersOf } from "../support/Buffers.ts"
import { givenMail, outboxRows, settled, startStream, states } from "../support/Deliveries.ts"
import { eventually } from "../support/Eventually.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { channelThat } from "./outbox.ts"

const failure = (kind: DeliveryFailed["kind"], retryAfter = Option.none<Duration.Duration>()) =>
  new DeliveryFailed({ kind, reason: `It is ${kind}`, retryAfter })

it.effect("The ids of messages are in the order in which they were made, also within a millisecond", () =>
  Effect.gen(function*() {
    const ids = yield* Effect.replicateEffect(newOutboxId, 1_000)
    assert.deepStrictEqual(ids, ids.toSorted())
  }))

inWorld("The outbox", (test) => {
  test("delivers the messages of a recipient in their order, whatever fails, and those of others meanwhile", function*() {
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
        return null
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

  test("sends nothing of a transaction that is rolled back", function*() {
    const sql = yield* SqlClient
    yield* Effect.flip(sql.withTransaction(Effect.zipRight(givenMail("ada@x.org", "1"), Effect.fail("no"))))
    assert.deepStrictEqual(yield* outboxRows, [])
  })

  test("goes on with other recipients before it comes back to one with more messages", function*() {
    for (const to of ["ada@x.org", "ada@x.org", "bob@x.org"]) yield* givenMail(to, to)
    const order: Array<string> = []
    const note = ({ recipient }: OutboxMessage) => Effect.as(Effect.sync(() => order.push(recipient)), null)
    yield* startStream(channelThat(note), { concurrency: 1 })
    yield* settled
    assert.deepStrictEqual(order, ["ada@x.org", "bob@x.org", "ada@x.org"])
  })

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
      const { claims, next } = yield* repo.take("email", {
        limit: 60,
        limitOfOne: 4,
        after: "",
        lease: Duration.seconds(20)
      })
      assert.deepStrictEqual([claims.length, next], [50, ""])
      assert.isFalse(claims.some(({ message }) => message.recipient === "dead@x.org"))
      const take = sent.findLast(({ name }) => name === "outbox_take")
      assert.isBelow(yield* buffersOf(take, { plan_cache_mode: "force_generic_plan" }), 1_000)
    }).pipe(Effect.provide(OutboxRepo.layer))
  )

  test("gives up what is refused at once, what is uncertain without another attempt, and what fails too often", function*() {
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

  test("waits as long as the recipient asks for the first times, and longer after each failure", function*() {
    const { query } = yield* Wire
    const asked: Readonly<Record<string, Duration.DurationInput>> = {
      "asks": "10 minutes",
      "insists": "8 seconds",
      "is quick": "8 seconds"
    }
    for (const name of [...Object.keys(asked), "slow"]) yield* givenMail(name, name)
    yield* query("update outbox set attempts = 4 where recipient = 'slow'")
    yield* query("update outbox set attempts = 10 where recipient = 'insists'")
    const stream = yield* startStream(
      channelThat(({ recipient }) =>
        Effect.fail(failure("later", Option.map(Option.fromNullable(asked[recipient]), Duration.decode)))
      ),
      { firstDelay: "15 seconds" }
    )
    const delays = query<{ seconds: number }>(
      `select extract(epoch from next_attempt_at - now())::float8 as seconds from outbox
         where state = 'pending' and next_attempt_at > now() order by recipient`
    )
    const [asks, insists, quick, slow] = yield* eventually(delays, ({ length }) => length === 4)
    assert.closeTo(asks?.seconds ?? 0, 600, 5)
    assert.isAtMost(quick?.seconds ?? 0, 8.2)
    assert.isAtLeast(insists?.seconds ?? 0, 3_595)
    assert.isAtLeast(slow?.seconds ?? 0, 15 * 3 ** 4 - 5)
    assert.isAtMost(slow?.seconds ?? 0, 15 * 3 ** 4 * 1.2)
    yield* stream.stop
  })

  test("attempts a message again as soon as it is due", function*() {
    yield* givenMail("ada@x.org", "1")
    yield* startStream(
      channelThat(({ attempts }) => attempts < 3 ? failure("later") : Effect.succeed(null)),
      { pollInterval: "1 hour", firstDelay: "200 millis" }
    )
    yield* settled
    assert.deepStrictEqual(yield* states, ["sent"])
  })

  test("survives a channel that crashes, and a database that fails", function*() {
    const line = yield* Wire
    let fails = 2
    line.after = ({ name }) =>
      Effect.suspend(() => name === "outbox_sent" && fails-- > 0 ? Effect.die("lost") : Effect.void)
    yield* givenMail("ada@x.org", "1")
    yield* startStream(
      channelThat(({ attempts }) => attempts === 1 ? Effect.die(new Error("boom")) : Effect.succeed(null))
    )
    yield* settled
    const [row] = yield* outboxRows
    assert.deepStrictEqual([row?.state, row?.attempts], ["sent", 2])
  })
})
