import { assert } from "@effect/vitest"
import { type Caller, selfHostedCaller } from "@troupe/domain/Caller"
import { UserId } from "@troupe/domain/Ids"
import { SubscriptionEvent } from "@troupe/domain/Subscription"
import { Effect, Option } from "effect"
import { ensureRequestRole } from "../../src/Runtime/Database/RequestRole.ts"
import { outboxRows } from "../support/Deliveries.ts"
import { alice } from "../support/GivenTasks.ts"
import { as } from "../support/Seats.ts"
import { inWorld } from "../support/TaskWorld.ts"
import { admin, aliceHerself, decodeRequest, subscribed } from "./webhooks.ts"

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
