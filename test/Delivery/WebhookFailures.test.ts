import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import { Tasks } from "../../src/Task/Tasks.ts"
import { outboxRows, settled, states } from "../support/Deliveries.ts"
import { givenTask } from "../support/GivenTasks.ts"
import { as } from "../support/Seats.ts"
import { inWorld } from "../support/TaskWorld.ts"
import { answers, drops, makeReceiver } from "../support/WebhookReceiver.ts"
import { admin, decodeRequest, delivering, services, subscribed, verified } from "./webhooks.ts"

inWorld("Outgoing webhooks", (test) => {
  test("are repeated under the same id with the same body until the receiver accepts them", function*() {
    const receiver = yield* makeReceiver
    const { secret } = yield* subscribed(receiver.url, { events: ["task.failed"] })
    receiver.misbehave(
      answers(500, {}, "<h1>Out\nof order</h1>"),
      drops,
      answers(302, { location: receiver.url }),
      answers(429, { "retry-after": "0" }),
      () => {},
      (response) => void response.writeHead(400).write("x".repeat(1_000_000))
    )
    const tasks = yield* Tasks
    yield* tasks.cancel(yield* givenTask(), Option.none())
    yield* delivering()
    yield* settled
    assert.deepStrictEqual(yield* states, ["sent"])
    assert.strictEqual(receiver.seen.length, 7)
    assert.strictEqual(new Set(receiver.seen.map(({ body, headers }) => `${headers["webhook-id"]} ${body}`)).size, 1)
    for (const posted of receiver.seen) assert.strictEqual(verified(secret, posted).type, "task.failed")
  })

  test("say why they fail, and disable the subscription in the end, until it is resumed", function*() {
    const receiver = yield* makeReceiver
    const { id, subscriptions } = yield* subscribed(receiver.url, { events: ["task.created", "task.failed"] })
    receiver.misbehave(answers(500, {}, "<h1>Out\nof order</h1>"), answers(503))
    yield* Effect.flatMap(Tasks, (tasks) => Effect.flatMap(givenTask(), (task) => tasks.cancel(task, Option.none())))
    yield* delivering({ maxAttempts: 2 })
    yield* settled
    assert.strictEqual(receiver.seen.length, 2)
    const [second, first] = yield* subscriptions.deliveries(id, { limit: 10, cursor: Option.none() })
    assert.deepInclude(first, { state: "failed", attempts: 2, last_error: "The receiver responded with 503" })
    const reason = "2 attempts to post an event failed. The last one: The receiver responded with 503"
    assert.deepInclude(second, {
      state: "failed",
      attempts: 0,
      last_error: `The subscription is not active: ${reason}`
    })
    assert.deepInclude(yield* subscriptions.get(id), {
      active: false,
      disabled_reason: reason,
      last_delivery: second ?? null
    })
    yield* givenTask("Another")
    assert.strictEqual((yield* outboxRows).length, 2)
    assert.strictEqual((yield* Effect.flip(subscriptions.test(id)))._tag, "SubscriptionInactive")
    assert.isTrue((yield* subscriptions.resume(id)).active)
    yield* subscriptions.replay(id, first?.id ?? "")
    yield* settled
    assert.deepStrictEqual(yield* states, ["sent", "failed"])
    yield* subscriptions.replay(id, first?.id ?? "")
    yield* settled
    assert.deepStrictEqual(
      receiver.seen.map(({ headers }) => headers["webhook-id"]),
      [1, 2, 3, 4].map(() => first?.id)
    )
  })

  test("end when the receiver is gone for good, and with their subscription", function*() {
    const receiver = yield* makeReceiver
    const { id, subscriptions } = yield* subscribed(receiver.url)
    receiver.misbehave(answers(410))
    yield* subscriptions.test(id)
    yield* delivering()
    yield* settled
    assert.deepInclude(yield* subscriptions.get(id), {
      active: false,
      disabled_reason: "The receiver responded with 410 Gone."
    })
    yield* subscriptions.remove(id)
    assert.deepStrictEqual(yield* outboxRows, [])
    assert.strictEqual((yield* Effect.flip(subscriptions.get(id)))._tag, "SubscriptionNotFound")
  })

  test("never reach a private address of a hosted service", function*() {
    const receiver = yield* makeReceiver
    const { id, subscriptions } = yield* subscribed(receiver.url)
    yield* subscriptions.test(id)
    const byName = yield* subscribed(receiver.url.replace("127.0.0.1", "localhost"))
    yield* subscriptions.test(byName.id)
    yield* delivering({ publicOnly: true })
    yield* settled
    assert.deepStrictEqual(receiver.seen, [])
    for (const { last_error } of yield* outboxRows) assert.match(last_error ?? "", /is no public address/)
    const hosted = yield* services(true)
    for (const url of ["http://10.0.0.1/", "http://[::1]/", "http://metadata.internal/", "http://2130706433/"]) {
      const refused = yield* Effect.flip(as(admin)(Effect.flatMap(decodeRequest({ url }), hosted.create)))
      assert.strictEqual(refused._tag, "SubscriptionInvalid", url)
    }
  })
})
