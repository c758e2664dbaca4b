import { assert } from "@effect/vitest"
import { type Caller, selfHostedCaller } from "@troupe/domain/Caller"
import { type TaskId, UserId } from "@troupe/domain/Ids"
import { SubscriptionEvent } from "@troupe/domain/Subscription"
import { Effect, Option, Queue } from "effect"
import type { ServerResponse } from "node:http"
import { ensureRequestRole } from "../../src/Runtime/Database/RequestRole.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { outboxRows, settled } from "../support/Deliveries.ts"
import { alice, bob, givenTask } from "../support/GivenTasks.ts"
import { as, seatOf } from "../support/Seats.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { makeReceiver } from "../support/WebhookReceiver.ts"
import { admin, aliceHerself, decodeRequest, delivering, services, subscribed } from "./webhooks.ts"

inWorld("Subscriptions", (test) => {
  test("of others are seen, changed and made by admins alone", function*() {
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

  test("are limited for each user, also by requests at the same time", function*() {
    const { subscriptions } = yield* subscribed("https://example.org/")
    const more = Effect.flatMap(decodeRequest({ url: "https://example.org/", user_id: alice }), subscriptions.create)
    const made = yield* Effect.all(Array.from({ length: 21 }, () => Effect.either(as(selfHostedCaller)(more))), {
      concurrency: 3
    })
    assert.strictEqual(made.filter(({ _tag }) => _tag === "Right").length, 19)
    assert.strictEqual((yield* Effect.flip(as(selfHostedCaller)(more)))._tag, "TooManySubscriptions")
  })

  test("take addresses, secrets and events that can work, and repeat no secret in an error", function*() {
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
})

const typesOf = (seen: ReadonlyArray<{ readonly body: string }>) =>
  seen.map(({ body }): unknown => JSON.parse(body).type)

const all = { tasks: "all", events: ["task.created"] }

inWorld("An event of a hosted service", (test) => {
  test("of all tasks is posted only while the subscription's user is an owner or admin", function*() {
    const { query } = yield* Wire
    const receiver = yield* makeReceiver
    yield* query(...seatOf({ id: alice, role: "admin" }))
    const { id, subscriptions } = yield* subscribed(receiver.url, all)
    yield* givenTask("First", bob)
    yield* delivering({ isHosted: true })
    yield* settled
    assert.deepStrictEqual(typesOf(receiver.seen), ["task.created"])
    yield* query(...seatOf(aliceHerself))
    yield* givenTask("Second", bob)
    yield* settled
    assert.lengthOf(receiver.seen, 1)
    assert.match((yield* outboxRows).at(-1)?.last_error ?? "", /no owner or admin/)
    assert.match((yield* subscriptions.get(id)).disabled_reason ?? "", /no owner or admin/)
    yield* givenTask("Third", bob)
    assert.lengthOf(yield* outboxRows, 2, "a disabled subscription gets no more events")
  })

  test("is posted to no one who is not a member, also after the subscription is resumed", function*() {
    const receiver = yield* makeReceiver
    const { id, subscriptions } = yield* subscribed(receiver.url, { events: ["task.created"] })
    yield* delivering({ isHosted: true })
    for (const turn of ["as it was made", "resumed"]) {
      yield* givenTask(turn)
      yield* settled
      assert.match((yield* subscriptions.get(id)).disabled_reason ?? "", /not a member/, turn)
      yield* subscriptions.resume(id)
    }
    assert.deepStrictEqual(receiver.seen, [])
  })

  test("of own tasks is posted only while the user is creator or assignee", function*() {
    let held: ServerResponse | undefined
    const { query } = yield* Wire
    const receiver = yield* makeReceiver
    yield* query(...seatOf(aliceHerself))
    const { id, subscriptions } = yield* subscribed(receiver.url, { events: ["task.created", "task.archived"] })
    yield* delivering({ isHosted: true })
    const assigned = yield* givenTask("For Alice", bob)
    yield* settled
    yield* query("update tasks set assignee = 'alice' where id = $1", [assigned])
    const tasks = yield* Tasks
    const archived = (task: TaskId) => Effect.zipRight(tasks.cancel(task, Option.none()), tasks.remove(task))
    receiver.misbehave((response) => void (held = response))
    yield* archived(assigned)
    yield* Queue.take(receiver.posts)
    yield* query("update tasks set assignee = null where id = $1", [assigned])
    held?.writeHead(500).end()
    yield* archived(yield* givenTask("Of Alice"))
    yield* settled
    assert.deepStrictEqual(typesOf(receiver.seen), ["task.archived", "task.created", "task.archived"])
    assert.match((yield* outboxRows).find(({ state }) => state === "failed")?.last_error ?? "", /neither creator nor/)
    assert.isTrue((yield* subscriptions.get(id)).active)
  })

  test("is not subscribed to for users to whom none would be posted", function*() {
    yield* ensureRequestRole()
    const { query } = yield* Wire
    yield* query("insert into users (id) values ('alice'), ('bob'), ('default') on conflict do nothing")
    const { create } = yield* services(true)
    const url = "https://example.org/"
    const made = (more: object) =>
      Effect.flatMap(decodeRequest({ url, user_id: alice, ...more }), (request) => as(admin)(create(request)))
    assert.match((yield* Effect.flip(made({}))).message, /^user_id: .* not a member/)
    yield* query(...seatOf(aliceHerself))
    assert.match((yield* Effect.flip(made(all))).message, /^user_id: .* no owner or admin/)
    assert.strictEqual((yield* made({})).user_id, alice)
  })
})

inWorld("An event of a self-hosted service", (test) => {
  test("is posted although nobody has a seat", function*() {
    const receiver = yield* makeReceiver
    yield* subscribed(receiver.url, { ...all, user_id: selfHostedCaller.id })
    yield* givenTask()
    yield* delivering()
    yield* settled
    assert.lengthOf(receiver.seen, 1)
  })
})
