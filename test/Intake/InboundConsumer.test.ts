import { assert } from "@effect/vitest"
import { Deferred, Duration, Effect, Option, Ref } from "effect"
import { chatSource } from "../../src/Intake/Chat/Event.ts"
import { InboundFailed, type InboundHandler, type InboundMessage } from "../../src/Intake/InboundMessage.ts"
import { webhookSource } from "../../src/Intake/Webhook/Webhooks.ts"
import { Tasks } from "../../src/Task/Tasks.ts"
import { eventually } from "../support/Eventually.ts"
import { request } from "../support/GivenTasks.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { accept, rows, startConsumer, states } from "./intake.ts"

const countTasks = Effect.flatMap(Wire, ({ query }) => query("select from tasks")).pipe(
  Effect.map((found) => found.length)
)

const all = (state: string) => (found: ReadonlyArray<string>) => found.length > 0 && found.every((one) => one === state)

/** Makes a task of each message, after `before` has run outside of the transaction. */
const makesTasks = (
  before: (message: InboundMessage) => Effect.Effect<void, InboundFailed> = () => Effect.void
): InboundHandler<InboundFailed, Tasks> => ({
  source: webhookSource,
  prepare: (message) =>
    Effect.zipRight(
      before(message),
      Effect.succeed(
        Effect.flatMap(Tasks, (tasks) => tasks.submit(request(Buffer.from(message.body).toString()))).pipe(
          Effect.map(({ id }) => ({ taskId: id })),
          Effect.mapError(({ message }) => InboundFailed.refused(message))
        )
      )
    )
})

inWorld("InboundConsumer", (test) => {
  test(
    "makes one task of each message, and remembers which",
    Effect.gen(function*() {
      const { query } = yield* Wire
      yield* accept({ body: Buffer.from("Waits already") })
      yield* startConsumer(makesTasks())
      yield* eventually(states, all("done"))
      yield* accept({ body: Buffer.from("Comes later") })
      yield* eventually(states, all("done"))
      const found = yield* query(
        "select description from tasks join inbound_messages m on m.task_id = tasks.id order by 1"
      )
      assert.deepStrictEqual(found, [{ description: "Comes later" }, { description: "Waits already" }])
    })
  )

  test(
    "a delivery that is repeated changes nothing and has the first one's id",
    Effect.gen(function*() {
      const first = yield* accept({ deliveryId: "d1" })
      const again = yield* Effect.replicateEffect(accept({ deliveryId: "d1", body: Buffer.from("other") }), 4)
      assert.deepStrictEqual(again, Array.from({ length: 4 }, () => ({ id: first.id, isRepeated: true })))
      const other = yield* accept({ deliveryId: "d1", type: "payments" })
      assert.isFalse(other.isRepeated)
      yield* startConsumer(makesTasks())
      yield* eventually(states, all("done"))
      assert.strictEqual(yield* countTasks, 2)
    })
  )

  test(
    "a delivery that failed is processed again when its sender repeats it, with the same id and once",
    Effect.gen(function*() {
      const { query } = yield* Wire
      const first = yield* accept({ deliveryId: "d1", body: Buffer.from("first") })
      const fails = yield* startConsumer(makesTasks(() => InboundFailed.refused("Not now.")))
      yield* eventually(states, all("failed"))
      yield* fails.stop
      const again = yield* Effect.all(
        Array.from({ length: 4 }, () => accept({ deliveryId: "d1", body: Buffer.from("again") })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(again, Array.from({ length: 4 }, () => ({ id: first.id, isRepeated: true })))
      assert.deepInclude((yield* rows)[0], { state: "pending", attempts: 0, last_error: null })
      yield* startConsumer(makesTasks())
      yield* eventually(states, all("done"))
      yield* accept({ deliveryId: "d1" })
      assert.deepStrictEqual(yield* states, ["done"])
      assert.deepStrictEqual(yield* query("select description from tasks"), [{ description: "again" }])
    })
  )

  test(
    "deliveries that arrive at the same moment make one row",
    Effect.gen(function*() {
      const accepted = yield* Effect.all(
        Array.from({ length: 20 }, () => accept({ deliveryId: "d1" })),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(accepted.filter(({ isRepeated }) => !isRepeated).length, 1)
      assert.strictEqual(new Set(accepted.map(({ id }) => id)).size, 1)
    })
  )

  test(
    "several consumers at once make each task once",
    Effect.gen(function*() {
      yield* Effect.forEach(
        Array.from({ length: 60 }, (_, index) => index),
        (index) => accept({ type: `type ${index % 3}` }),
        { concurrency: 10 }
      )
      yield* Effect.replicateEffect(startConsumer(makesTasks()), 3)
      yield* eventually(states, all("done"))
      assert.strictEqual(yield* countTasks, 60)
      assert.deepStrictEqual([...new Set((yield* rows).map(({ attempts }) => attempts))], [1])
    })
  )

  test(
    "a consumer that is stopped between its steps gives the message back, as if it had not been taken",
    Effect.gen(function*() {
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
  )

  test(
    "what a consumer did whose process was killed before the commit is done by another once its lease is over",
    Effect.gen(function*() {
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
  )

  test(
    "a consumer that was frozen until its lease was over changes nothing",
    Effect.gen(function*() {
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
  )

  test(
    "a consumer that takes longer than its lease keeps the message while it is alive",
    Effect.gen(function*() {
      const slow = makesTasks(() => Effect.sleep("1200 millis"))
      const short = { lease: Duration.millis(400) }
      yield* Effect.replicateEffect(startConsumer(slow, short), 2)
      yield* accept()
      yield* eventually(states, all("done"))
      assert.strictEqual((yield* rows)[0]?.attempts, 1)
    })
  )

  test(
    "of messages that are written together, one that fails takes none with it",
    Effect.gen(function*() {
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
  )

  test(
    "an attempt that takes too long fails",
    Effect.gen(function*() {
      const { query } = yield* Wire
      yield* startConsumer(makesTasks(({ attempt }) => attempt === 1 ? Effect.never : Effect.void), {
        timeout: Duration.millis(500)
      })
      yield* accept()
      yield* eventually(states, all("done"))
      const [row] = yield* query<{ attempts: number }>("select attempts from inbound_messages")
      assert.isAtLeast(row?.attempts ?? 0, 2)
    })
  )

  test(
    "a type that has reached its limit in a minute waits, and the others go on",
    Effect.gen(function*() {
      yield* Effect.replicateEffect(accept({ type: "flood" }), 5)
      yield* accept({ type: "quiet" })
      yield* startConsumer({ ...makesTasks(), perMinute: 2 })
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
  )

  test(
    "nothing of a transaction stays that can't be finished",
    Effect.gen(function*() {
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
  )

  test(
    "an outage outside is no attempt, and ends the message only a day after its arrival",
    Effect.gen(function*() {
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
  )

  test(
    "a message that always fails is kept as failed after five attempts, and blocks no other",
    Effect.gen(function*() {
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
  )

  test(
    "a defect is a failed attempt, and a refusal fails at once",
    Effect.gen(function*() {
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
  )

  test(
    "the content of a source that has it in its tasks is deleted when it is done, and other bodies are kept",
    Effect.gen(function*() {
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
  )

  test(
    "a message that ends its process each time is failed after five of them",
    Effect.gen(function*() {
      const { query } = yield* Wire
      yield* accept()
      yield* query("update inbound_messages set state = 'processing', attempts = 5, due_at = now()")
      yield* startConsumer(makesTasks())
      yield* eventually(states, all("failed"))
      assert.include((yield* rows)[0]?.last_error, "5 times")
    })
  )

  test(
    "messages with a key are processed in their order, although an older one has to wait for its next attempt",
    Effect.gen(function*() {
      const order = yield* Ref.make<ReadonlyArray<string>>([])
      const bodies = Array.from({ length: 6 }, (_, index) => `${index}`)
      yield* Effect.forEach(
        bodies,
        (body) => accept({ orderingKey: "C1", body: Buffer.from(body), type: `type ${body}` })
      )
      yield* accept({ body: Buffer.from("of no key") })
      yield* Effect.replicateEffect(
        startConsumer(makesTasks((message) => {
          const text = Buffer.from(message.body).toString()
          return text === "1" && message.attempt < 3
            ? Effect.fail(InboundFailed.later("Not yet", Duration.millis(30)))
            : Ref.update(order, (before) => [...before, text])
        })),
        2
      )
      yield* eventually(states, all("done"))
      assert.deepStrictEqual((yield* Ref.get(order)).filter((body) => body !== "of no key"), bodies)
    })
  )

  test(
    "a flood of one type does not delay the others",
    Effect.gen(function*() {
      const order = yield* Ref.make<ReadonlyArray<string>>([])
      yield* Effect.forEach(Array.from({ length: 50 }), () => accept({ type: "flood" }))
      yield* accept({ type: "quiet" })
      yield* startConsumer(makesTasks(({ type }) => Ref.update(order, (before) => [...before, type])), {
        maxActive: 4
      })
      yield* eventually(states, all("done"), "20 seconds")
      assert.isBelow((yield* Ref.get(order)).indexOf("quiet"), 5)
    })
  )

  test(
    "more types than one claim considers are all processed",
    Effect.gen(function*() {
      yield* Effect.forEach(
        Array.from({ length: 150 }, (_, index) => index),
        (index) => accept({ type: `type ${index}` }),
        { concurrency: 20 }
      )
      yield* startConsumer({
        source: webhookSource,
        prepare: () => Effect.succeed(Effect.succeed({ taskId: null }))
      })
      yield* eventually(states, all("done"), "20 seconds")
    })
  )

  test(
    "a removed task takes the content of its message with it",
    Effect.gen(function*() {
      const tasks = yield* Tasks
      const { query } = yield* Wire
      yield* startConsumer(makesTasks())
      const { id } = yield* accept({ deliveryId: "d1" })
      const [row] = yield* eventually(rows, ([first]) => first?.state === "done")
      const { id: taskId } = yield* Effect.flatMap(
        tasks.list({
          status: Option.none(),
          creator: Option.none(),
          assignee: Option.none(),
          webhookType: Option.none(),
          taskType: Option.none(),
          parentTaskId: Option.none(),
          q: Option.none(),
          includeArchived: true,
          limit: 1,
          cursor: Option.none()
        }),
        ({ items: [task] }) => task === undefined ? Effect.dieMessage("no task") : Effect.succeed(task)
      )
      assert.strictEqual(row?.task_id, taskId)
      yield* tasks.remove(taskId)
      yield* tasks.remove(taskId)
      assert.deepStrictEqual(
        yield* query("select body, headers, url, source_ip from inbound_messages"),
        [{ body: null, headers: "{}", url: "", source_ip: null }]
      )
      assert.deepStrictEqual(yield* accept({ deliveryId: "d1" }), { id, isRepeated: true })
    })
  )
})
