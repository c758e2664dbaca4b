import { HttpClient } from "@effect/platform"
import { SqlClient } from "@effect/sql/SqlClient"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Option, Ref } from "effect"
import { Notifications } from "../../src/Delivery/Notifications.ts"
import { newOutboxId, outboxTable } from "../../src/Delivery/Outbox.ts"
import { type OutboxFilter, OutboxOperations } from "../../src/Delivery/OutboxOperations.ts"
import { layerSnapshotCleanup, Snapshots } from "../../src/File/Snapshots.ts"
import { AttemptFailed } from "../../src/Queue/AttemptFailed.ts"
import { QueueBacklog } from "../../src/Queue/QueueBacklog.ts"
import * as QueueRetention from "../../src/Queue/QueueRetention.ts"
import { ensureRequestRole } from "../../src/Runtime/Database/RequestRole.ts"
import { Fenced, Journal } from "../../src/Task/Journal/Journal.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { makeFakes } from "../Http/Fakes.ts"
import { inProcess } from "../Http/TestServer.ts"
import { givenMail, outboxRows, startStream } from "../support/Deliveries.ts"
import { eventually } from "../support/Eventually.ts"
import { alice, bob, claim, givenCompleted, givenTask, stepAfter } from "../support/GivenTasks.ts"
import { as } from "../support/Seats.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { forgetUsers, wants } from "./mails.ts"

it.effect("The ids of messages are in the order in which they were made, also within a millisecond", () =>
  Effect.gen(function*() {
    const ids = yield* Effect.replicateEffect(newOutboxId, 1_000)
    assert.deepStrictEqual(ids, ids.toSorted())
  }))

inWorld("The outbox", (test) => {
  test("sends nothing of a transaction that is rolled back", function*() {
    const sql = yield* SqlClient
    yield* Effect.flip(sql.withTransaction(Effect.zipRight(givenMail("ada@x.org", "1"), Effect.fail("no"))))
    assert.deepStrictEqual(yield* outboxRows, [])
  })
})

inWorld("Notifications in the outbox", (test) => {
  test("are written by the statement of the step, for each channel that the user wants and has an address on", function*() {
    yield* forgetUsers
    const line = yield* Wire
    yield* wants("alice", ["email", "chat", "ui"])
    yield* givenCompleted()
    assert.deepStrictEqual(
      (yield* outboxRows).map(({ channel, recipient, user_id }) => [channel, recipient, user_id]).toSorted(),
      [["chat", "U-alice", "alice"], ["email", "alice@example.org", "alice"]]
    )
    assert.deepStrictEqual(line.sent.filter(({ name }) => name.startsWith("outbox")), [])
  })

  test("go where the user wants them when the step is journalled, whatever the user wanted when the task was claimed", function*() {
    yield* forgetUsers
    yield* wants("alice", ["email"])
    const held = yield* claim(yield* givenTask("Do it"))
    yield* wants("alice", ["chat"])
    const { append } = yield* Journal
    yield* append(stepAfter(held, { kind: "failed", error: "No" }))
    assert.deepStrictEqual((yield* outboxRows).map(({ recipient }) => recipient), ["U-alice"])
    assert.instanceOf(yield* Effect.flip(append(stepAfter(held, { kind: "failed", error: "Again" }))), Fenced)
  })

  test("are not written for a user who wants only the feed, or says nothing about a task that came over the API", function*() {
    yield* forgetUsers
    yield* givenCompleted()
    yield* wants("alice", ["ui"])
    yield* givenCompleted()
    yield* wants("alice", [])
    yield* givenCompleted()
    assert.deepStrictEqual(yield* outboxRows, [])
  })
})

const all: OutboxFilter = { state: Option.none(), channel: Option.none(), limit: 10, cursor: Option.none() }

const operations = Effect.provide(OutboxOperations, OutboxOperations.layer)

const cleanup = QueueRetention.layer(outboxTable, { job: "cleanup", days: { done: 30, failed: 90 } })

const failing = Effect.succeed({
  channel: "email" as const,
  deliver: () => Effect.fail(new AttemptFailed({ kind: "refused", reason: "No such user", retryAfter: Option.none() }))
})

inWorld("Operators of the outbox", (test) => {
  test("list messages newest first, by state and channel, page by page", function*() {
    const { query } = yield* Wire
    const { list } = yield* operations
    const { counts } = yield* Effect.provide(QueueBacklog, QueueBacklog.layer)
    const ids = [yield* givenMail("a@x.org", "1"), yield* givenMail("b@x.org", "2"), yield* givenMail("c@x.org", "3")]
    yield* query(
      "update outbox set state = 'failed', due_at = null, ended_at = now(), last_error = 'No' where id = $1",
      [ids[1]]
    )
    yield* query("update outbox set state = 'sent', due_at = null, ended_at = now(), channel = 'chat' where id = $1", [
      ids[2]
    ])
    const idsOf = (filter: Partial<OutboxFilter>) =>
      Effect.map(list({ ...all, ...filter }), (found) => found.map(({ id }) => id))
    assert.deepStrictEqual(yield* idsOf({}), ids.toReversed())
    assert.deepStrictEqual(yield* idsOf({ limit: 1 }), [ids[2]])
    assert.deepStrictEqual(yield* idsOf({ cursor: Option.fromNullable(ids[1]) }), [ids[0]])
    assert.deepStrictEqual(yield* idsOf({ state: Option.some("failed") }), [ids[1]])
    assert.deepStrictEqual(yield* idsOf({ channel: Option.some("chat") }), [ids[2]])
    const [, failed, pending] = yield* list(all)
    assert.deepInclude(failed, { recipient: "b@x.org", kind: "mail", state: "failed", last_error: "No" })
    assert.isNull(failed?.next_attempt_at)
    assert.match(pending?.next_attempt_at ?? "", /^\d{4}-.*Z$/)
    const [mails, ...others] = yield* counts(outboxTable)
    assert.deepStrictEqual(others, [])
    assert.deepInclude(mails, { queue: "email", unfinished: 1, failed: 1 })
  })

  test("retry a dead letter, with all its attempts, and nothing else", function*() {
    const { retry } = yield* operations
    const id = yield* givenMail("a@x.org", "1")
    assert.strictEqual(
      (yield* Effect.flip(retry(id))).message,
      `Message ${id} is pending. Only a failed one can be retried.`
    )
    for (const unknown of ["x", "0199f0c2-9b02-7a44-9c3f-1e2d3c4b5a69"]) {
      assert.strictEqual((yield* Effect.flip(retry(unknown)))._tag, "OutboxMessageNotFound")
    }
    const stream = yield* startStream(failing)
    yield* eventually(outboxRows, ([row]) => row?.state === "failed")
    yield* stream.stop
    assert.deepInclude(yield* retry(id), { state: "pending", attempts: 0, last_error: "No such user" })
    yield* startStream(
      Effect.succeed({ channel: "email" as const, deliver: () => Effect.succeed(null) })
    )
    yield* eventually(outboxRows, ([row]) => row?.state === "sent" && row.attempts === 1 && row.last_error === null)
  })

  test("reach it over HTTP", function*() {
    const id = yield* givenMail("a@x.org", "1")
    const { query } = yield* Wire
    const outbox = Layer.succeed(OutboxOperations, yield* operations)
    yield* Effect.gen(function*() {
      const http = yield* HttpClient.HttpClient
      const said = (method: "get" | "post", path: string) =>
        Effect.flatMap(http[method](path), ({ json, status }) => Effect.map(json, (body) => ({ status, body })))
      const list = yield* said("get", "/api/outbox?channel=email")
      assert.strictEqual(list.status, 200)
      assert.include(JSON.stringify(list.body), id)
      assert.deepInclude(yield* said("get", "/api/outbox?state=lost"), { status: 400 })
      assert.deepInclude(yield* said("post", "/api/outbox/none/retry"), { status: 404 })
      assert.deepInclude(yield* said("post", `/api/outbox/${id}/retry`), { status: 409 })
      yield* query("update outbox set state = 'failed', due_at = null, ended_at = now()")
      assert.deepInclude(yield* said("post", `/api/outbox/${id}/retry`), { status: 200 })
    }).pipe(Effect.provide(inProcess(makeFakes(), outbox)))
  })
})

inWorld("The deliveries of a notification", (test) => {
  test("are shown to its user, and to no other", function*() {
    yield* ensureRequestRole()
    const { query } = yield* Wire
    const { list } = yield* Notifications
    yield* query("truncate users")
    yield* query(
      "insert into users (id, email, notify_by) values ('alice', 'alice@example.org', '{email}'), ('bob', null, '{}')"
    )
    yield* givenCompleted()
    const held = yield* Deferred.make<void>()
    const deliveries = Effect.map(
      list(alice, { unread: false, limit: 10, cursor: Option.none() }),
      ([first]) => first?.deliveries
    )
    const asAlice = as({ id: alice, role: "member" })
    const entry = { channel: "email" as const, last_error: null, sent_at: null }
    assert.deepStrictEqual(yield* asAlice(deliveries), [{ ...entry, state: "pending", attempts: 0 }])
    yield* startStream(Effect.succeed({
      channel: "email" as const,
      deliver: () => Effect.as(Deferred.await(held), null)
    }))
    yield* eventually(deliveries, (found) => found?.[0]?.attempts === 1)
    assert.deepStrictEqual(yield* asAlice(deliveries), [{ ...entry, state: "pending", attempts: 1 }])
    yield* Deferred.succeed(held, undefined)
    yield* eventually(deliveries, (found) => found?.[0]?.state === "sent")
    assert.isNotNull((yield* asAlice(deliveries))?.[0]?.sent_at)
    const others = as({ id: bob, role: "member" })
    assert.strictEqual((yield* others(Effect.flatMap(operations, ({ list }) => list(all)))).length, 0)
  })
})

inWorld("What was in the outbox", (test) => {
  test("is deleted with its task, and not delivered after its notification was removed", function*() {
    const tasks = yield* Tasks
    const { query } = yield* Wire
    yield* query("truncate users")
    yield* query("insert into users (id, email, notify_by) values ('alice', 'alice@example.org', '{email}')")
    const removed = yield* givenCompleted()
    yield* givenCompleted()
    assert.lengthOf(yield* outboxRows, 2)
    yield* tasks.remove(removed)
    yield* tasks.remove(removed)
    assert.lengthOf(yield* outboxRows, 1)
    yield* query("delete from notifications")
    yield* startStream(Effect.succeed({ channel: "email" as const, deliver: () => Effect.dieMessage("delivered") }))
    yield* eventually(outboxRows, ({ length }) => length === 0)
  })

  test("is kept for 30 days, a dead letter for 90, and copies of files as long as they are needed", function*() {
    const { query } = yield* Wire
    const needed = yield* Ref.make<ReadonlyArray<string>>([])
    const snapshots = Layer.mock(Snapshots, {
      sweep: (used) => Effect.flatMap(used, (digests) => Ref.set(needed, [...digests]))
    })
    const ids = yield* Effect.forEach(["1", "2", "3", "4"], (subject) => givenMail("a@x.org", subject))
    const digests = ["1", "2"] as const
    yield* query(
      `update outbox set state = 'sent', due_at = null, ended_at = now() - interval '29 days', files = array[$2] where id = $1`,
      [ids[0], digests[0]]
    )
    yield* query(
      "update outbox set state = 'sent', due_at = null, ended_at = now() - interval '31 days' where id = $1",
      [ids[1]]
    )
    yield* query(
      `update outbox set state = 'failed', due_at = null, ended_at = now() - interval '31 days', files = array[$2] where id = $1`,
      [ids[2], digests[1]]
    )
    yield* query(
      "update outbox set state = 'failed', due_at = null, ended_at = now() - interval '91 days' where id = $1",
      [
        ids[3]
      ]
    )
    yield* Layer.build(Layer.merge(cleanup, Layer.provide(layerSnapshotCleanup, snapshots)))
    yield* eventually(outboxRows, ({ length }) => length === 2)
    assert.deepStrictEqual((yield* outboxRows).map(({ id }) => id), [ids[0], ids[2]])
    assert.deepStrictEqual(yield* eventually(Ref.get(needed), ({ length }) => length > 0), [digests[1]])
  })
})
