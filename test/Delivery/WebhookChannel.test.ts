import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { outboxRows, settled, states } from "../support/Deliveries.ts"
import { eventually } from "../support/Eventually.ts"
import { givenTask, request } from "../support/GivenTasks.ts"
import { as } from "../support/Seats.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { answers, drops, makeReceiver, type Treatment } from "../support/WebhookReceiver.ts"
import { admin, decodeRequest, delivering, services, subscribed, verified } from "./webhooks.ts"

inWorld("Outgoing webhooks", (test) => {
  test("are repeated under the same id with the same body until the receiver accepts them", function*() {
    const receiving = (treat: (url: string) => ReadonlyArray<Treatment>) =>
      Effect.gen(function*() {
        const { misbehave, seen, url } = yield* makeReceiver
        misbehave(...treat(url))
        const { secret } = yield* subscribed(url, { events: ["task.failed"] })
        return { secret, seen, times: treat(url).length + 1 }
      })
    // The last two time out, at the same time.
    const receivers = yield* Effect.forEach([
      (location: string) => [
        answers(500, {}, "<h1>Out\nof order</h1>"),
        drops,
        answers(302, { location }),
        answers(429, { "retry-after": "0" })
      ],
      (): ReadonlyArray<Treatment> => [() => {}],
      (): ReadonlyArray<Treatment> => [(response) => void response.writeHead(400).write("x".repeat(1_000_000))]
    ], receiving)
    const tasks = yield* Tasks
    yield* tasks.cancel(yield* givenTask(), Option.none())
    yield* delivering()
    yield* settled
    assert.deepStrictEqual(yield* states, ["sent", "sent", "sent"])
    for (const { secret, seen, times } of receivers) {
      assert.strictEqual(seen.length, times)
      assert.strictEqual(new Set(seen.map(({ body, headers }) => `${headers["webhook-id"]} ${body}`)).size, 1)
      for (const posted of seen) assert.strictEqual(verified(secret, posted).type, "task.failed")
    }
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

/** A task with two events: it was created, then it failed. */
const givenEvents = (message: string) =>
  Effect.gen(function*() {
    const id = yield* givenTask(message)
    yield* Effect.flatMap(Tasks, (tasks) => tasks.cancel(id, Option.none()))
    return id
  })

const always = (treatment: Treatment) => Array.from({ length: 100 }, () => treatment)

const eventOf = (body: string) => {
  const { data, type } = JSON.parse(body) as { readonly type: string; readonly data: { readonly id: string } }
  return `${data.id} ${type}`
}

inWorld("Outgoing webhooks of several tasks", (test) => {
  test("go on when the event of one task fails, which only its later events wait for", function*() {
    const receiver = yield* makeReceiver
    const { id, subscriptions } = yield* subscribed(receiver.url, { events: ["task.created", "task.failed"] })
    assert.isNull((yield* subscriptions.get(id)).oldest_pending_at)
    const first = yield* givenEvents("Poison")
    const second = yield* givenEvents("Fine")
    receiver.misbehave(
      ...always((response, { body }) => void response.writeHead(body.includes(first) ? 500 : 204).end())
    )
    yield* delivering({ firstDelay: "1 hour" })
    const sent = Effect.map(outboxRows, (rows) => rows.filter(({ state }) => state === "sent"))
    yield* eventually(sent, ({ length }) => length === 2)
    assert.deepStrictEqual(receiver.seen.map(({ body }) => eventOf(body)).filter((event) => event.startsWith(second)), [
      `${second} task.created`,
      `${second} task.failed`
    ])
    const [oldest, ...others] = (yield* subscriptions.deliveries(id, { limit: 10, cursor: Option.none() })).filter(
      ({ state }) => state === "pending"
    ).toReversed()
    assert.deepInclude(oldest, { task_id: first, event: "task.created", attempts: 1 })
    assert.deepInclude(others[0], { task_id: first, event: "task.failed", attempts: 0 })
    assert.strictEqual((yield* subscriptions.get(id)).oldest_pending_at, oldest?.created_at)
  })

  test("leave room for other receivers where one is slow", function*() {
    const slow = yield* makeReceiver
    const quick = yield* makeReceiver
    for (const { url } of [slow, quick]) yield* subscribed(url, { events: ["task.created"] })
    yield* Effect.replicateEffect(givenTask(), 6)
    const held: Array<() => void> = []
    slow.misbehave(...always((response, posted) => void held.push(() => answers(204)(response, posted))))
    yield* delivering({ maxActive: 5, timeout: "1 minute" })
    yield* eventually(Effect.sync(() => quick.seen.length), (seen) => seen === 6)
    yield* eventually(Effect.sync(() => slow.seen.length), (seen) => seen === 4)
    const finish = Effect.sync(() => held.splice(0).forEach((answer) => answer()))
    yield* eventually(Effect.zipRight(finish, outboxRows), (rows) => rows.every(({ state }) => state === "sent"))
    assert.strictEqual(slow.seen.length, 6)
  })
})

/** A task of a webhook with these headers. */
const givenWebhook = (headers: Readonly<Record<string, string>>) =>
  Effect.flatMap(Tasks, (tasks) =>
    tasks.submit(request("Process it", {
      source: {
        kind: "webhook",
        threads: [],
        toolAccess: "all",
        webhook: { type: "loop", payload: "{}", headers: JSON.stringify(headers), sourceIp: null }
      }
    })))

inWorld("Receivers of webhooks", (test) => {
  test("delay the next attempt by an hour at most, whatever they ask for", function*() {
    const { query } = yield* Wire
    const asked = ["400000000", "99999999999999999999", "9".repeat(400), "Fri, 31 Dec 9999 23:59:59 GMT"]
    for (const after of asked) {
      const receiver = yield* makeReceiver
      receiver.misbehave(answers(503, { "retry-after": after }))
      yield* subscribed(receiver.url, { events: ["task.created"] })
    }
    yield* givenTask()
    yield* delivering()
    yield* eventually(outboxRows, (rows) => rows.every(({ last_error }) => last_error !== null))
    for (const { attempts, last_error, state } of yield* outboxRows) {
      assert.deepStrictEqual([state, attempts, last_error], ["pending", 1, "The receiver responded with 503"])
    }
    const due = "due_at between now() + interval '50 minutes' and now() + interval '1 hour'"
    assert.strictEqual((yield* query(`select from outbox where ${due}`)).length, asked.length)
  })

  test("receive with each how many webhooks led to it, of which there are three at most", function*() {
    const receiver = yield* makeReceiver
    yield* subscribed(receiver.url, { events: ["task.created"] })
    for (const hops of ["", "many", "-7", "1", "2", "3", "400"]) yield* givenWebhook({ "troupe-hops": hops })
    yield* givenWebhook({})
    yield* delivering()
    yield* eventually(outboxRows, (rows) => rows.every(({ state }) => state === "sent" || state === "failed"))
    assert.deepStrictEqual(receiver.seen.map(({ headers }) => headers["troupe-hops"]).sort(), [
      "1",
      "1",
      "1",
      "1",
      "2",
      "3"
    ])
    for (const { last_error } of (yield* outboxRows).filter(({ state }) => state === "failed")) {
      assert.match(last_error ?? "", /^Not posted: 3 webhooks of Troupe in a row led to the task\./)
    }
  })
})
