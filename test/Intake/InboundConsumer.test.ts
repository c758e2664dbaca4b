import { assert } from "@effect/vitest"
import { Effect, Ref } from "effect"
import { chatSource } from "../../src/Intake/Chat/StoredEvents.ts"
import { webhookSource } from "../../src/Intake/Webhook/Webhooks.ts"
import { AttemptFailed } from "../../src/Queue/AttemptFailed.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { eventually } from "../support/Eventually.ts"
import { countTasks } from "../support/TaskRows.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { accept, all, makesTasks, rows, startConsumer, states } from "./intake.ts"

inWorld("InboundConsumer", (test) => {
  test("a delivery that is repeated changes nothing and has the first one's id, also at the same moment", function*() {
    const ids = yield* Effect.replicateEffect(accept({ deliveryId: "d1" }), 20, { concurrency: "unbounded" })
    const again = yield* accept({ deliveryId: "d1", body: Buffer.from("other") })
    const other = yield* accept({ deliveryId: "d1", type: "payments" })
    assert.strictEqual(new Set([...ids, again]).size, 1)
    assert.notStrictEqual(other, again)
    yield* startConsumer(makesTasks())
    yield* eventually(states, all("done"))
    assert.strictEqual(yield* countTasks, 2)
  })

  test("a delivery that failed is processed again when its sender repeats it, with the same id and once", function*() {
    const { query } = yield* Wire
    const first = yield* accept({ deliveryId: "d1", body: Buffer.from("first") })
    const fails = yield* startConsumer(makesTasks(() => AttemptFailed.refused("Not now.")))
    yield* eventually(states, all("failed"))
    yield* fails.stop
    const again = yield* Effect.all(
      Array.from({ length: 4 }, () => accept({ deliveryId: "d1", body: Buffer.from("again") })),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(again, Array.from({ length: 4 }, () => first))
    assert.deepInclude((yield* rows)[0], { state: "pending", attempts: 0, last_error: null })
    yield* startConsumer(makesTasks())
    yield* eventually(states, all("done"))
    yield* accept({ deliveryId: "d1" })
    assert.deepStrictEqual(yield* states, ["done"])
    assert.deepStrictEqual(yield* query("select description from tasks"), [{ description: "again" }])
  })

  test("a type that has reached its limit in a minute waits, and the others go on", function*() {
    yield* Effect.replicateEffect(accept({ type: "flood" }), 5)
    yield* accept({ type: "quiet" })
    yield* startConsumer({ ...makesTasks(), perMinute: () => 2 })
    yield* eventually(states, (found) => found.filter((state) => state === "done").length === 3)
    const found = yield* rows
    assert.strictEqual(found.filter(({ state, type }) => type === "flood" && state === "done").length, 2)
    assert.deepInclude(found[5], { type: "quiet", state: "done" })
    const { query } = yield* Wire
    yield* eventually(
      query("select from inbound_messages where state = 'pending' and attempts = 0 and due_at > now()"),
      ({ length }) => length > 0
    )
  })

  test("the content of a source that has it in its tasks is deleted when it is done, and other bodies are kept", function*() {
    const { query } = yield* Wire
    yield* accept()
    yield* accept({ source: chatSource, type: "message" })
    yield* startConsumer(makesTasks())
    yield* startConsumer({ ...makesTasks(), source: chatSource, deletesContent: true })
    yield* eventually(states, (found) => found.length === 2 && all("done")(found))
    assert.deepStrictEqual(
      yield* query("select source, body is null as emptied from inbound_messages order by position"),
      [{ source: "webhook", emptied: false }, { source: "chat", emptied: true }]
    )
  })

  test("the content of a message is deleted with its task", function*() {
    const tasks = yield* Tasks
    const { query } = yield* Wire
    yield* startConsumer(makesTasks())
    const id = yield* accept({ deliveryId: "d1" })
    const [row] = yield* eventually(rows, ([first]) => first?.state === "done")
    const { id: taskId } = yield* Effect.flatMap(
      tasks.list({ include_archived: true, limit: 1 }),
      ({ items: [task] }) => task === undefined ? Effect.dieMessage("no task") : Effect.succeed(task)
    )
    assert.strictEqual(row?.task_id, taskId)
    yield* tasks.remove(taskId)
    yield* tasks.remove(taskId)
    assert.deepStrictEqual(
      yield* query("select body, headers, url, source_ip from inbound_messages"),
      [{ body: null, headers: "{}", url: "", source_ip: null }]
    )
    assert.strictEqual(yield* accept({ deliveryId: "d1" }), id)
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
            ? Effect.zipRight(act, Effect.fail(AttemptFailed.refused("It is bad.")))
            : act)
    })
    yield* eventually(states, (found) => found.every((state) => state === "done" || state === "failed"))
    assert.deepStrictEqual((yield* states).filter((state) => state === "failed").length, 1)
    assert.deepInclude((yield* rows)[5], { state: "failed", attempts: 1, last_error: "It is bad." })
    assert.strictEqual(yield* countTasks, 11)
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
            : Effect.tap(act, () => query("update inbound_messages set epoch = 2, due_at = now()")))
    })
    yield* eventually(states, all("done"))
    assert.strictEqual((yield* rows)[0]?.attempts, 2)
    assert.strictEqual(yield* countTasks, 1)
  })

  test("an outage outside is no attempt, and ends the message only a day after its arrival", function*() {
    const { query } = yield* Wire
    const prepared = yield* Ref.make(0)
    yield* startConsumer(
      makesTasks(({ body }) =>
        Effect.flatMap(
          Ref.updateAndGet(prepared, (n) => n + 1),
          (n) => n > 8 && Buffer.from(body).toString() === "new" ? Effect.void : AttemptFailed.outage("It is down.")
        )
      )
    )
    yield* accept({ body: Buffer.from("new") })
    yield* eventually(states, all("done"))
    assert.strictEqual((yield* rows)[0]?.attempts, 1)
    assert.deepStrictEqual(yield* query("select epoch from inbound_messages"), [{ epoch: 9 }])
    yield* accept({ body: Buffer.from("old") })
    yield* query("update inbound_messages set received_at = now() - interval '25 hours' where state <> 'done'")
    yield* eventually(states, ([, old]) => old === "failed")
    assert.deepInclude((yield* rows)[1], { attempts: 5, last_error: "It is down." })
  })
})
