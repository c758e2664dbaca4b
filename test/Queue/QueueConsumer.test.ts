import { assert } from "@effect/vitest"
import { Clock, Deferred, Duration, Effect, Option, Queue } from "effect"
import type { ClaimedMessage, OutboxChannel } from "../../src/Delivery/OutboxChannel.ts"
import { AttemptFailed } from "../../src/Queue/AttemptFailed.ts"

import { givenMail, outboxRows, settled, startStream, states } from "../support/Deliveries.ts"
import { eventually } from "../support/Eventually.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"

const failure = (kind: AttemptFailed["kind"], retryAfter = Option.none<Duration.Duration>()) =>
  AttemptFailed.as(kind, `It is ${kind}`, retryAfter)

const channelThat = (deliver: OutboxChannel["deliver"]) => Effect.succeed({ channel: "email" as const, deliver })

inWorld("A consumer of a queue", (test) => {
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

  test("goes on with other recipients before it comes back to one with more messages", function*() {
    for (const to of ["ada@x.org", "ada@x.org", "bob@x.org"]) yield* givenMail(to, to)
    const order: Array<string> = []
    const note = ({ recipient }: ClaimedMessage) => Effect.as(Effect.sync(() => order.push(recipient)), null)
    yield* startStream(channelThat(note), { maxActive: 1, pollInterval: "1 hour" })
    yield* settled
    assert.deepStrictEqual(order, ["ada@x.org", "bob@x.org", "ada@x.org"])
  })

  test("claims nothing until the next poll once it has considered all, however many wait", function*() {
    const { query, sent } = yield* Wire
    yield* query(`insert into outbox (id, channel, recipient, kind, payload, due_at)
      select notification_id(now(), gen_random_uuid(), i, 0), 'email', i || '@x.org', 'mail', '{}', now() + interval '1 hour'
      from generate_series(1, 600) i`)
    const claims = () => sent.filter(({ name }) => name === "outbox_claim").length
    const [earlier, begun] = [claims(), yield* Clock.currentTimeMillis]
    const stream = yield* startStream(channelThat(() => Effect.succeed(null)), { pollInterval: "200 millis" })
    // Two for all of them, after each poll.
    yield* eventually(Effect.sync(claims), (count) => count >= earlier + 5)
    assert.isAtLeast((yield* Clock.currentTimeMillis) - begun, 400)
    yield* stream.stop
  })

  test("gives up what is refused at once, what is uncertain without another attempt, and what fails too often", function*() {
    const tried: Array<string> = []
    for (const kind of ["refused", "uncertain", "later"]) yield* givenMail(`${kind}@x.org`, kind)
    yield* startStream(
      channelThat(({ recipient }) => {
        tried.push(recipient)
        return Effect.fail(failure(recipient.split("@")[0] as AttemptFailed["kind"]))
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
      "is down": "10 minutes",
      "is quick": "8 seconds"
    }
    for (const name of [...Object.keys(asked), "is out", "slow"]) yield* givenMail(name, name)
    yield* query("update outbox set attempts = 4 where recipient = 'slow'")
    yield* query("update outbox set attempts = 10 where recipient = 'insists'")
    yield* query("update outbox set epoch = 40 where recipient like 'is %'")
    const stream = yield* startStream(
      channelThat(({ recipient }) =>
        Effect.fail(failure(
          ["is down", "is out"].includes(recipient) ? "outage" : "later",
          Option.map(Option.fromNullable(asked[recipient]), Duration.decode)
        ))
      ),
      { firstDelay: "15 seconds" }
    )
    const delays = query<{ recipient: string; seconds: number }>(
      `select recipient, extract(epoch from due_at - now())::float8 as seconds from outbox
         where state = 'pending' and due_at > now()`
    )
    const rows = yield* eventually(delays, ({ length }) => length === 6)
    const delayOf = (name: string) => rows.find(({ recipient }) => recipient === name)?.seconds ?? 0
    assert.closeTo(delayOf("asks"), 600, 5)
    assert.closeTo(delayOf("is down"), 600, 5, "in an outage always")
    assert.isAtMost(delayOf("is quick"), 8.2)
    assert.isAtLeast(delayOf("insists"), 3_595)
    assert.isAtMost(delayOf("is out"), 5 * 60 * 1.2)
    assert.isAtLeast(delayOf("slow"), 15 * 3 ** 4 - 5)
    assert.isAtMost(delayOf("slow"), 15 * 3 ** 4 * 1.2)
    yield* stream.stop
  })

  test("attempts a message again as soon as it is due", function*() {
    yield* givenMail("ada@x.org", "1")
    yield* startStream(
      channelThat(({ attempts }) => attempts < 3 ? failure("later") : Effect.succeed(null)),
      { pollInterval: "1 hour", firstDelay: "50 millis" }
    )
    yield* settled
    assert.deepStrictEqual(yield* states, ["sent"])
  })

  test("survives a channel that crashes, and a database that fails", function*() {
    const line = yield* Wire
    let fails = 2
    line.after = ({ name }) =>
      Effect.suspend(() => name === "outbox_finish" && fails-- > 0 ? Effect.die("lost") : Effect.void)
    yield* givenMail("ada@x.org", "1")
    yield* startStream(
      channelThat(({ attempts }) => attempts === 1 ? Effect.die(new Error("boom")) : Effect.succeed(null))
    )
    yield* settled
    const [row] = yield* outboxRows
    assert.deepStrictEqual([row?.state, row?.attempts], ["sent", 2])
  })

  test("keeps what it is still sending", function*() {
    const { query } = yield* Wire
    yield* givenMail("slow@x.org", "1")
    const held = yield* Deferred.make<void>()
    yield* startStream(channelThat(() => Effect.as(Deferred.await(held), null)), { lease: "3 seconds" })
    const leaseUntil = Effect.map(
      query<{ at: number | null }>("select extract(epoch from due_at)::float8 as at from outbox"),
      ([row]) => row?.at ?? 0
    )
    const first = yield* eventually(leaseUntil, (at) => at > 0)
    yield* eventually(leaseUntil, (at) => at > first)
    yield* Deferred.succeed(held, undefined)
    yield* settled
    assert.deepInclude((yield* outboxRows)[0], { state: "sent", attempts: 1 })
  })

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
      )
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
