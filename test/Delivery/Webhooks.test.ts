import { assert } from "@effect/vitest"
import { Option, Queue } from "effect"
import { allSubscriptions } from "../../src/Delivery/Outbox.ts"
import { ensureRequestRole } from "../../src/Runtime/Database/RequestRole.ts"
import { Journal } from "../../src/Task/Journal/Journal.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { outboxRows, settled } from "../support/Deliveries.ts"
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
import { as } from "../support/Seats.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { makeReceiver } from "../support/WebhookReceiver.ts"
import { aliceHerself, delivering, subscribed, verified } from "./webhooks.ts"

/** The messages, once those of all events are queued for their subscriptions. */
const queued = eventually(outboxRows, (rows) => rows.every(({ recipient }) => recipient !== allSubscriptions))

inWorld("Outgoing webhooks", (test) => {
  test("post each change of a task's status once, signed, in order, and with what came of it", function*() {
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
    }, { inboxSeen: 1 }))
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
    assert.deepStrictEqual(events.map(({ data }) => data["ended_by"]), [null, null, null, null, "limit", "limit"])
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

  test("of several tasks are queued for their subscriptions together", function*() {
    const receiver = yield* makeReceiver
    yield* subscribed(receiver.url, { events: ["task.created"] })
    for (const text of ["One", "Two", "Three"]) yield* givenTask(text)
    const { sent } = yield* Wire
    sent.length = 0
    yield* delivering()
    yield* settled
    assert.lengthOf(receiver.seen, 3)
    assert.lengthOf(sent.filter(({ name }) => name === "outbox_expand"), 1)
  })

  test("write nothing without a subscription, and only the events that were asked for", function*() {
    yield* givenCompleted()
    assert.deepStrictEqual(yield* outboxRows, [])
    const { query } = yield* Wire
    yield* subscribed("http://127.0.0.1:9/", { events: ["task.failed", "task.completed"] })
    yield* subscribed("http://127.0.0.1:9/", { events: ["task.failed"], tasks: "all", user_id: "bob" })
    const tasks = yield* Tasks
    yield* givenCompleted()
    yield* tasks.cancel(yield* givenTask("Bob's", bob), Option.none())
    assert.deepStrictEqual((yield* outboxRows).map(({ kind }) => kind), ["task.completed", "task.failed"])
    yield* delivering()
    yield* queued
    yield* query("update tasks set assignee = 'alice' where creator = 'bob'")
    const assigned = yield* tasks.submit(request("For Alice", { user_id: bob, assignee: alice }))
    yield* tasks.cancel(assigned.id, Option.none())
    const sent = (yield* queued).map(({ kind, user_id }) => `${user_id} ${kind}`)
    assert.deepStrictEqual(sent.toSorted(), [
      "alice task.completed",
      "alice task.failed",
      "bob task.failed",
      "bob task.failed"
    ])
  })

  test("have no event from before the subscription, though it was not sent then", function*() {
    const { query } = yield* Wire
    const { id } = yield* subscribed("http://127.0.0.1:9/", { events: ["task.created", "task.completed"] })
    yield* givenCompleted()
    const later = yield* subscribed("http://127.0.0.1:9/", { events: ["task.completed"] })
    yield* query("update subscriptions set created_at = now() + interval '1 second' where id = $1", [later.id])
    yield* delivering()
    assert.deepStrictEqual((yield* queued).map(({ kind, recipient }) => [kind, recipient]), [
      ["task.created", id],
      ["task.completed", id]
    ])
  })

  test("follow a hosted member's request", function*() {
    yield* ensureRequestRole()
    yield* subscribed("http://127.0.0.1:9/", {
      tasks: "all",
      user_id: "bob",
      events: ["task.created", "task.failed"]
    })
    const tasks = yield* Tasks
    const { id } = yield* as(aliceHerself)(tasks.submit(request("Mine")))
    yield* as(aliceHerself)(tasks.cancel(id, Option.none()))
    yield* delivering()
    assert.deepStrictEqual((yield* queued).map(({ kind, user_id }) => [kind, user_id]), [
      ["task.created", "bob"],
      ["task.failed", "bob"]
    ])
  })

  test("are tested on demand", function*() {
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
})
