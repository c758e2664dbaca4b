import { assert } from "@effect/vitest"
import { Deferred, Duration, Effect, Ref } from "effect"
import { InboundFailed } from "../../src/Intake/InboundMessage.ts"
import { webhookSource } from "../../src/Intake/Webhook/Webhooks.ts"
import { eventually } from "../support/Eventually.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { all, countTasks, makesTasks } from "./inbound.ts"
import { accept, rows, startConsumer, states } from "./intake.ts"

inWorld("InboundConsumer", (test) => {
  test("a consumer that is stopped between its steps releases the message, as if it had not been claimed", function*() {
    const reached = yield* Deferred.make<void>()
    const first = yield* startConsumer(
      makesTasks(() => Effect.zipRight(Deferred.succeed(reached, undefined), Effect.never))
    )
    yield* accept()
    yield* Deferred.await(reached)
    yield* first.stop
    const [row] = yield* rows
    assert.deepInclude(row, { state: "pending", attempts: 0 })
    yield* startConsumer(makesTasks())
    yield* eventually(states, all("done"))
    assert.strictEqual(yield* countTasks, 1)
  })

  test("another consumer repeats the work of one that was killed before its commit, once the lease has expired", function*() {
    const { query } = yield* Wire
    yield* accept()
    yield* query(
      "update inbound_messages set state = 'processing', attempts = 1, due_at = now() + interval '300 milliseconds'"
    )
    yield* startConsumer(makesTasks())
    yield* eventually(states, all("done"))
    const [row] = yield* rows
    assert.strictEqual(row?.attempts, 2)
    assert.strictEqual(yield* countTasks, 1)
  })

  test("a consumer that was frozen until its lease was over changes nothing", function*() {
    const line = yield* Wire
    const frozen = yield* Deferred.make<void>()
    const reached = yield* Deferred.make<void>()
    const attempts = yield* Ref.make(0)
    yield* startConsumer(
      makesTasks(() =>
        Effect.flatMap(
          Ref.getAndUpdate(attempts, (n) => n + 1),
          (before) =>
            before > 0 ? Effect.void : Effect.zipRight(Deferred.succeed(reached, undefined), Deferred.await(frozen))
        )
      )
    )
    yield* accept()
    yield* Deferred.await(reached)
    yield* line.query("update inbound_messages set due_at = now()")
    yield* eventually(states, all("done"))
    yield* Deferred.succeed(frozen, undefined)
    yield* accept()
    yield* eventually(Effect.zip(states, Ref.get(attempts)), ([found, n]) => all("done")(found) && n === 3)
    assert.strictEqual(yield* countTasks, 2)
  })

  test("a consumer that takes longer than its lease keeps the message while it is alive", function*() {
    const { query } = yield* Wire
    const over = yield* Deferred.make<void>()
    const slow = makesTasks(() => Deferred.await(over))
    yield* Effect.replicateEffect(startConsumer(slow, { lease: Duration.seconds(3) }), 2)
    yield* accept()
    const lease = Effect.map(
      query<{ until: number }>(
        "select extract(epoch from due_at)::float8 as until from inbound_messages where state = 'processing'"
      ),
      ([row]) => row?.until ?? 0
    )
    const first = yield* eventually(lease, (until) => until > 0)
    yield* eventually(lease, (until) => until > first)
    yield* Deferred.succeed(over, undefined)
    yield* eventually(states, all("done"))
    assert.strictEqual((yield* rows)[0]?.attempts, 1)
  })

  test("of messages that share a transaction, a failed one fails no other", function*() {
    yield* Effect.forEach(
      Array.from({ length: 12 }, (_, index) => index),
      (index) => accept({ body: Buffer.from(index === 5 ? "bad" : "good") })
    )
    const good = makesTasks()
    yield* startConsumer({
      source: webhookSource,
      prepare: (message) =>
        Effect.map(good.prepare(message), (act) =>
          Buffer.from(message.body).toString() === "bad"
            ? Effect.zipRight(act, Effect.fail(InboundFailed.refused("It is bad.")))
            : act)
    })
    yield* eventually(states, (found) => found.every((state) => state === "done" || state === "failed"))
    assert.deepStrictEqual((yield* states).filter((state) => state === "failed").length, 1)
    assert.deepInclude((yield* rows)[5], { state: "failed", attempts: 1, last_error: "It is bad." })
    assert.strictEqual(yield* countTasks, 11)
  })

  test("an attempt that takes too long fails", function*() {
    const { query } = yield* Wire
    yield* startConsumer(makesTasks(({ attempt }) => attempt === 1 ? Effect.never : Effect.void), {
      timeout: Duration.millis(500)
    })
    yield* accept()
    yield* eventually(states, all("done"))
    const [row] = yield* query<{ attempts: number }>("select attempts from inbound_messages")
    assert.isAtLeast(row?.attempts ?? 0, 2)
  })

  test("nothing of a transaction stays that can't be finished", function*() {
    const { query } = yield* Wire
    yield* accept()
    const stale = makesTasks()
    yield* startConsumer({
      source: webhookSource,
      prepare: (message) =>
        Effect.map(stale.prepare(message), (act) =>
          message.attempt > 1
            ? act
            // Another consumer takes the message while this one has made its task, but has not committed it.
            : Effect.tap(act, () => query("update inbound_messages set attempts = 2, due_at = now()")))
    })
    yield* eventually(states, all("done"))
    assert.strictEqual((yield* rows)[0]?.attempts, 3)
    assert.strictEqual(yield* countTasks, 1)
  })

  test("an outage outside is no attempt, and ends the message only a day after its arrival", function*() {
    const { query } = yield* Wire
    const prepared = yield* Ref.make(0)
    yield* startConsumer(
      makesTasks(({ body }) =>
        Effect.flatMap(
          Ref.updateAndGet(prepared, (n) => n + 1),
          (n) => n > 8 && Buffer.from(body).toString() === "new" ? Effect.void : InboundFailed.outage("It is down.")
        )
      )
    )
    yield* accept({ body: Buffer.from("new") })
    yield* eventually(states, all("done"))
    assert.strictEqual((yield* rows)[0]?.attempts, 1)
    assert.deepStrictEqual(yield* query("select postponed from inbound_messages"), [{ postponed: 8 }])
    yield* accept({ body: Buffer.from("old") })
    yield* query("update inbound_messages set received_at = now() - interval '25 hours' where state <> 'done'")
    yield* eventually(states, ([, old]) => old === "failed")
    assert.deepInclude((yield* rows)[1], { attempts: 5, last_error: "It is down." })
  })

  test("a message that always fails is kept as failed after five attempts, and blocks no other", function*() {
    yield* startConsumer(
      makesTasks(({ body }) =>
        Buffer.from(body).toString() === "poison" ? Effect.fail(InboundFailed.later("It is poison.")) : Effect.void
      )
    )
    yield* accept({ body: Buffer.from("poison") })
    yield* accept()
    yield* eventually(states, ([poison, other]) => poison === "failed" && other === "done")
    assert.deepInclude((yield* rows)[0], { attempts: 5, last_error: "It is poison.", task_id: null })
  })

  test("a defect is a failed attempt, and a refusal fails at once", function*() {
    yield* startConsumer(makesTasks(({ attempt, type }) =>
      type === "refused"
        ? Effect.fail(InboundFailed.refused("Nobody knows this type."))
        : attempt === 1
        ? Effect.die(new Error("A bug"))
        : Effect.void
    ))
    yield* accept({ type: "refused" })
    yield* accept({ type: "crashes once" })
    yield* eventually(states, ([refused, crashing]) => refused === "failed" && crashing === "done")
    assert.deepStrictEqual((yield* rows).map(({ attempts }) => attempts), [1, 2])
  })

  test("a message that ends its process each time is failed after five of them", function*() {
    const { query } = yield* Wire
    yield* accept()
    yield* query("update inbound_messages set state = 'processing', attempts = 5, due_at = now()")
    yield* startConsumer(makesTasks())
    yield* eventually(states, all("failed"))
    assert.include((yield* rows)[0]?.last_error, "5 times")
  })
})
