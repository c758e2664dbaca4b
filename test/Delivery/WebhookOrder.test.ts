import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import { Tasks } from "../../src/Task/Tasks.ts"
import { outboxRows, settled } from "../support/Deliveries.ts"
import { eventually } from "../support/Eventually.ts"
import { givenTask } from "../support/GivenTasks.ts"
import { inWorld } from "../support/TaskWorld.ts"
import { answers, makeReceiver, type Treatment } from "../support/WebhookReceiver.ts"
import { delivering, subscribed } from "./webhooks.ts"

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

  test("keep the order of each task, whatever fails", function*() {
    const receiver = yield* makeReceiver
    yield* subscribed(receiver.url, { events: ["task.created", "task.failed"] })
    const tasks = yield* Effect.replicateEffect(givenEvents("Anything"), 5)
    const accepted: Array<string> = []
    let requests = 0
    receiver.misbehave(...always((response, posted) => {
      requests += 1
      if (requests % 3 === 1) return answers(500)(response, posted)
      accepted.push(eventOf(posted.body))
      answers(204)(response, posted)
    }))
    yield* delivering()
    yield* settled
    for (const id of tasks) {
      const ofTask = accepted.filter((event) => event.startsWith(id))
      assert.deepStrictEqual(ofTask, [`${id} task.created`, `${id} task.failed`])
    }
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
