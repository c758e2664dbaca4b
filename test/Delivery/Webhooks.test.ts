import { assert } from "@effect/vitest"
import { CurrentUser } from "@troupe/api/Authentication"
import { SubscriptionRequest } from "@troupe/api/SubscriptionsApi"
import { type Caller, selfHostedCaller } from "@troupe/domain/Caller"
import { UserId } from "@troupe/domain/Ids"
import { SubscriptionEvent } from "@troupe/domain/Subscription"
import { initialState } from "@troupe/domain/TaskState"
import { Context, Effect, Layer, Option, Queue, Redacted, Schema } from "effect"
import { Webhook } from "standardwebhooks"
import { Outbox } from "../../src/Delivery/Outbox.ts"
import { SubscriptionRepo } from "../../src/Delivery/SubscriptionRepo.ts"
import { Subscriptions } from "../../src/Delivery/Subscriptions.ts"
import * as WebhookChannel from "../../src/Delivery/WebhookChannel.ts"
import { WebhookEvents } from "../../src/Delivery/WebhookEvents.ts"
import { ensureRequestRole } from "../../src/Runtime/RequestRole.ts"
import { Sealing } from "../../src/Runtime/Sealing.ts"
import { Journal } from "../../src/Task/Journal.ts"
import { Tasks } from "../../src/Task/Tasks.ts"
import { WebhookClient } from "../../src/Wire/WebhookClient.ts"
import { outboxRows, startStream } from "../support/Deliveries.ts"
import { eventually } from "../support/Eventually.ts"
import {
  alice,
  bob,
  claim,
  givenCompleted,
  givenSubtask,
  givenTask,
  givenWaiting,
  request,
  stepAfter
} from "../support/GivenTasks.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { answers, drops, makeReceiver, type Posted } from "../support/WebhookReceiver.ts"

const sealing = Sealing.layer(Option.some(Redacted.make("a key of the tests")))

const services = (publicOnly = false) =>
  Effect.map(
    Layer.build(
      Subscriptions.layer({ publicOnly }).pipe(Layer.provide([SubscriptionRepo.layer, Outbox.layer, sealing]))
    ),
    Context.get(Subscriptions)
  )

const delivering = ({ maxAttempts = 28, publicOnly = false } = {}) =>
  Effect.flatMap(
    Layer.build(
      Layer.mergeAll(
        SubscriptionRepo.layer,
        WebhookEvents.layer,
        sealing,
        WebhookClient.layer({ publicOnly, timeout: "500 millis" })
      )
    ),
    (context) => startStream(Effect.provide(WebhookChannel.make({ maxAttempts }), context), { firstDelay: "2 millis" })
  )

const as = (caller: Caller) => Effect.provideService(CurrentUser, caller)
const aliceHerself: Caller = { id: alice, role: "member" }
const admin: Caller = { id: bob, role: "admin" }

const decodeRequest = Schema.decodeUnknown(SubscriptionRequest)

/** A subscription of Alice. */
const subscribed = (url: string, more: object = {}) =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    yield* query("insert into users (id) values ('alice'), ('bob'), ('default') on conflict do nothing")
    const subscriptions = yield* services()
    const created = yield* as(selfHostedCaller)(
      Effect.flatMap(decodeRequest({ url, user_id: alice, ...more }), subscriptions.create)
    )
    return { ...created, subscriptions }
  })

const Event = Schema.Struct({
  type: Schema.String,
  timestamp: Schema.String,
  data: Schema.Record({ key: Schema.String, value: Schema.Unknown })
})

/** Fails unless the signature is right. */
const verified = (secret: string, { body, headers }: Posted) =>
  Schema.decodeUnknownSync(Event)(
    new Webhook(secret).verify(body, {
      "webhook-id": String(headers["webhook-id"]),
      "webhook-timestamp": String(headers["webhook-timestamp"]),
      "webhook-signature": String(headers["webhook-signature"])
    })
  )

const states = Effect.map(outboxRows, (rows) => rows.map(({ state }) => state))
const settled = eventually(states, (all) => all.every((state) => state === "sent" || state === "failed"))

inWorld("Outgoing webhooks", (test) => {
  test(
    "post each change of a task's status once, signed, in order, and with what came of it",
    Effect.gen(function*() {
      const { query } = yield* Wire
      const receiver = yield* makeReceiver
      const { id, secret } = yield* subscribed(receiver.url)
      const tasks = yield* Tasks
      const journal = yield* Journal
      const asking = yield* givenWaiting("Which one?")
      yield* tasks.answer(asking, "This", Option.some(alice))
      const held = yield* claim(asking)
      yield* givenSubtask(asking)
      yield* journal.append(stepAfter(held, {
        kind: "forced",
        reason: "Limit",
        output: "This it is",
        files: [{ filename: "a.md", size: 1 }]
      }, { state: { ...initialState("task"), status: "completed" }, wake: { _tag: "Park" }, inboxSeen: 1 }))
      yield* tasks.remove(asking)
      yield* givenTask("Another one's", bob)
      yield* delivering()
      yield* settled
      const events = receiver.seen.map((posted) => verified(secret, posted))
      assert.deepStrictEqual(
        events.map(({ data, type }) => [type, data["status"], data["question"], data["result"]]),
        [
          ["task.created", "pending", null, null],
          ["task.started", "running", null, null],
          ["task.waiting", "waiting_input", "Which one?", null],
          ["task.resumed", "running", null, null],
          ["task.completed", "completed", null, "Cut short: Limit\n\nThis it is"],
          ["task.archived", "completed", null, "Cut short: Limit\n\nThis it is"]
        ]
      )
      assert.deepInclude(events[4]?.data, { id: asking, title: "Do it", creator: alice, files: ["a.md"], error: null })
      const [first] = receiver.seen
      assert.deepInclude(first?.headers, { "content-type": "application/json", "user-agent": "Troupe" })
      assert.strictEqual(first?.path, "/hook?key=1")
      const rows = yield* outboxRows
      assert.deepStrictEqual(receiver.seen.map(({ headers }) => headers["webhook-id"]), rows.map((row) => row.id))
      assert.deepStrictEqual([...new Set(rows.map(({ recipient, user_id }) => `${recipient} ${user_id}`))], [
        `${id} alice`
      ])
      const [stored] = yield* query<{ secret: string }>("select secret from subscriptions")
      assert.match(stored?.secret ?? "", /^\{"sealed":"[^"]+"\}$/)
      assert.notInclude(stored?.secret ?? "", secret)
    })
  )

  test(
    "write nothing without a subscription, and only the events that were asked for",
    Effect.gen(function*() {
      yield* givenCompleted()
      assert.deepStrictEqual(yield* outboxRows, [])
      const { query } = yield* Wire
      yield* subscribed("http://127.0.0.1:9/", { events: ["task.failed", "task.completed"] })
      yield* subscribed("http://127.0.0.1:9/", { events: ["task.failed"], tasks: "all", user_id: "bob" })
      const tasks = yield* Tasks
      yield* givenCompleted()
      yield* tasks.cancel(yield* givenTask("Bob's", bob), Option.none())
      yield* query("update tasks set assignee = 'alice' where creator = 'bob'")
      const assigned = yield* tasks.submit(request("For Alice", { userId: bob, assignee: Option.some(alice) }))
      yield* tasks.cancel(assigned.id, Option.none())
      const sent = (yield* outboxRows).map(({ kind, user_id }) => `${user_id} ${kind}`)
      assert.deepStrictEqual(sent.toSorted(), [
        "alice task.completed",
        "alice task.failed",
        "bob task.failed",
        "bob task.failed"
      ])
    })
  )

  test(
    "write nothing of a change that is rolled back, and follow a hosted member's request",
    Effect.gen(function*() {
      const { query } = yield* Wire
      yield* ensureRequestRole()
      yield* subscribed("http://127.0.0.1:9/", {
        tasks: "all",
        user_id: "bob",
        events: ["task.created", "task.failed"]
      })
      yield* query("begin")
      yield* query(
        `insert into tasks (id, created_at, creator, description, task_type)
         values (gen_random_uuid(), now(), 'alice', 'Do it', 'task')`
      )
      yield* query("rollback")
      assert.deepStrictEqual(yield* outboxRows, [])
      const tasks = yield* Tasks
      const { id } = yield* as(aliceHerself)(tasks.submit(request("Mine")))
      yield* as(aliceHerself)(tasks.cancel(id, Option.none()))
      assert.deepStrictEqual((yield* outboxRows).map(({ kind }) => kind), ["task.created", "task.failed"])
    })
  )

  test(
    "are repeated under the same id with the same body until the receiver accepts them",
    Effect.gen(function*() {
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
  )

  test(
    "say why they fail, and disable the subscription in the end, until it is resumed",
    Effect.gen(function*() {
      const receiver = yield* makeReceiver
      const { id, subscriptions } = yield* subscribed(receiver.url, { events: ["task.created"] })
      receiver.misbehave(answers(500, {}, "<h1>Out\nof order</h1>"), answers(503))
      yield* givenTask("First")
      yield* givenTask("Second")
      yield* delivering({ maxAttempts: 2 })
      yield* settled
      assert.strictEqual(receiver.seen.length, 2)
      const [second, first] = yield* subscriptions.deliveries(id, { limit: 10, cursor: Option.none() })
      assert.deepInclude(first, { state: "failed", attempts: 2, last_error: "The receiver answered 503" })
      const reason = "2 attempts to post an event failed. The last one: The receiver answered 503"
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
      yield* givenTask("Third")
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
  )

  test(
    "end when the receiver is gone for good, and with their subscription",
    Effect.gen(function*() {
      const receiver = yield* makeReceiver
      const { id, subscriptions } = yield* subscribed(receiver.url)
      receiver.misbehave(answers(410))
      yield* subscriptions.test(id)
      yield* delivering()
      yield* settled
      assert.deepInclude(yield* subscriptions.get(id), {
        active: false,
        disabled_reason: "The receiver answered 410 Gone."
      })
      yield* subscriptions.remove(id)
      assert.deepStrictEqual(yield* outboxRows, [])
      assert.strictEqual((yield* Effect.flip(subscriptions.get(id)))._tag, "SubscriptionNotFound")
    })
  )

  test(
    "are tested on demand",
    Effect.gen(function*() {
      const receiver = yield* makeReceiver
      const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`
      const { id, subscriptions, ...created } = yield* subscribed(receiver.url, { secret })
      assert.strictEqual(created.secret, secret)
      assert.deepInclude(yield* subscriptions.test(id), { event: "subscription.test", state: "pending", task_id: null })
      yield* delivering()
      const posted = yield* Queue.take(receiver.posts)
      assert.strictEqual(verified(secret, posted).type, "subscription.test")
      yield* settled
      assert.strictEqual((yield* subscriptions.get(id)).last_delivery?.state, "sent")
    })
  )

  test(
    "never reach a private address of a hosted service",
    Effect.gen(function*() {
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
  )
})

inWorld("Subscriptions", (test) => {
  test(
    "of others are seen, changed and made by admins alone",
    Effect.gen(function*() {
      yield* ensureRequestRole()
      const { id, subscriptions } = yield* subscribed("https://example.org/")
      yield* subscriptions.test(id)
      const [delivery] = yield* outboxRows
      const carol: Caller = { id: UserId.make("carol"), role: "member" }
      const page = { limit: 10, cursor: Option.none() }
      assert.deepStrictEqual(yield* as(carol)(subscriptions.list(Option.none(), page)), [])
      assert.strictEqual(
        (yield* Effect.flip(as(carol)(subscriptions.list(Option.some(alice), page))))._tag,
        "NotAllowed"
      )
      for (
        const attempt of [
          subscriptions.get(id),
          subscriptions.remove(id),
          subscriptions.resume(id),
          subscriptions.test(id),
          subscriptions.deliveries(id, page),
          subscriptions.replay(id, delivery?.id ?? "")
        ]
      ) assert.strictEqual((yield* Effect.flip(as(carol)(attempt)))._tag, "SubscriptionNotFound")
      for (const more of [{ user_id: alice }, { tasks: "all" }]) {
        const made = Effect.flatMap(decodeRequest({ url: "https://example.org/", ...more }), subscriptions.create)
        assert.strictEqual((yield* Effect.flip(as(carol)(made)))._tag, "NotAllowed")
      }
      for (const caller of [aliceHerself, admin]) {
        assert.deepStrictEqual((yield* as(caller)(subscriptions.list(Option.none(), page))).map((one) => one.id), [id])
        assert.strictEqual((yield* as(caller)(subscriptions.get(id))).last_delivery?.state, "pending")
      }
      yield* as(aliceHerself)(subscriptions.remove(id))
    })
  )

  test(
    "are limited for each user, also by requests at the same time",
    Effect.gen(function*() {
      const { subscriptions } = yield* subscribed("https://example.org/")
      const more = Effect.flatMap(decodeRequest({ url: "https://example.org/", user_id: alice }), subscriptions.create)
      const made = yield* Effect.all(Array.from({ length: 21 }, () => Effect.either(as(selfHostedCaller)(more))), {
        concurrency: 3
      })
      assert.strictEqual(made.filter(({ _tag }) => _tag === "Right").length, 19)
      assert.strictEqual((yield* Effect.flip(as(selfHostedCaller)(more)))._tag, "TooManySubscriptions")
    })
  )

  test(
    "take addresses, secrets and events that can work, and repeat no secret in an error",
    Effect.gen(function*() {
      for (
        const wrong of [
          { url: "ftp://example.org" },
          { url: "https://user:pw@example.org/" },
          { url: "https://example.org/#there" },
          { url: "example.org" },
          { url: "https://example.org", events: [] },
          { url: "https://example.org", events: ["task.exploded"] },
          { url: "https://example.org", secret: "whsec_c2hvcnQ=" },
          { url: "https://example.org", secret: "not-one-at-all" }
        ]
      ) {
        const refused = yield* Effect.flip(decodeRequest(wrong))
        assert.notInclude(refused.message, "not-one-at-all")
        assert.notInclude(refused.message, "c2hvcnQ")
      }
      const { events } = yield* subscribed("https://example.org/")
      assert.deepStrictEqual(events, SubscriptionEvent.literals)
    })
  )
})
