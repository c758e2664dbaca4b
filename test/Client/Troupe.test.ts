import { assert, describe, it } from "@effect/vitest"
import { createTroupe, type Troupe, TroupeError } from "@troupe/client"
import { defaultUser, UserId } from "@troupe/domain/Ids"
import { causedAt, type Notification, NotificationId } from "@troupe/domain/Notification"
import { Effect, Exit, Layer, Stream } from "effect"
import { vi } from "vitest"
import { Notifications } from "../../src/Delivery/Notifications.ts"
import { Users } from "../../src/People/User/Users.ts"
import { idOf, makeFakes } from "../Http/Fakes.ts"
import { started } from "../Http/TestServer.ts"
import { freePort } from "../support/Processes.ts"
import { sampleUser } from "../support/Samples.ts"

const clientOf = (port: number, more: object = {}): Troupe => createTroupe({ url: `http://127.0.0.1:${port}`, ...more })

const failure = (promise: () => Promise<unknown>) =>
  Effect.flip(Effect.tryPromise({ try: promise, catch: (error) => error instanceof TroupeError ? error : null }))

describe("The promise client", () => {
  it.scopedLive("submits, reads and changes tasks", () =>
    Effect.gen(function*() {
      const fakes = makeFakes()
      const troupe = clientOf(yield* started(fakes))
      const task = yield* Effect.promise(() => troupe.submit("Say hello"))
      assert.deepStrictEqual([task.id, task.description], [idOf(1), "Say hello"])
      assert.isDefined(fakes.submitted[0]?.idempotency)
      yield* Effect.promise(() => troupe.submit({ message: "m", title: "t" }, { idempotencyKey: "k" }))
      assert.strictEqual(fakes.submitted[1]?.idempotency?.key, "k")
      const first = yield* Effect.promise(() => troupe.list({ limit: 1 }))
      assert.deepStrictEqual([first.items.map(({ id }) => id), first.next], [[idOf(2)], idOf(2)])
      const second = yield* Effect.promise(() => troupe.list({ limit: 1, cursor: first.next ?? "" }))
      assert.deepStrictEqual([second.items.map(({ id }) => id), second.next], [[idOf(1)], null])
      assert.strictEqual((yield* Effect.promise(() => troupe.get(idOf(2)))).title, "t")
      assert.strictEqual((yield* Effect.promise(() => troupe.cancel(idOf(2)))).id, idOf(2))
    }))

  it.scopedLive("fails with what the service says is wrong", () =>
    Effect.gen(function*() {
      const troupe = clientOf(yield* started(makeFakes()))
      const invalid = yield* failure(() => troupe.submit(""))
      assert.deepInclude(invalid, { status: 400, type: "/problems/invalid-request" })
      assert.strictEqual(invalid?.errors[0]?.path, "message")
      assert.notStrictEqual(invalid?.instance, "")
      const missing = yield* failure(() => troupe.get(idOf(7)))
      assert.deepInclude(missing, { status: 404, message: `There is no task ${idOf(7)}.` })
      assert.deepInclude(missing?.facts, { id: idOf(7) })
      yield* Effect.promise(() => troupe.submit("m"))
      assert.strictEqual((yield* failure(() => troupe.retry(idOf(1))))?.status, 409)
      assert.strictEqual((yield* failure(() => troupe.answer(idOf(1), "yes")))?.status, 409)
    }))

  it.scopedLive("reads the feed of its user", () =>
    Effect.gen(function*() {
      const id = NotificationId.make("01890000-0000-7000-8000-000000000001")
      const notification: Notification = {
        id,
        user_id: UserId.make("ann"),
        task_id: null,
        kind: "completion",
        title: "t",
        body: "b",
        ended_by: null,
        read: false,
        created_at: causedAt(id),
        read_at: null,
        deliveries: []
      }
      const people = Layer.merge(
        Layer.mock(Users, { existing: (id) => Effect.succeed(sampleUser(id)) }),
        Layer.mock(Notifications, {
          list: (user, { unread }) => Effect.succeed(user === defaultUser || !unread ? [] : [notification])
        })
      )
      const port = yield* started(makeFakes(), {}, people)
      const page = yield* Effect.promise(() => clientOf(port, { user: "ann" }).notifications.list({ unread: true }))
      assert.deepStrictEqual(page, { items: [notification], next: null })
      assert.deepStrictEqual((yield* Effect.promise(() => clientOf(port).notifications.list())).items, [])
    }))

  it.scopedLive("repeats a submission, under the same key, while the service restarts", () =>
    Effect.gen(function*() {
      const port = yield* freePort
      const submitted = yield* Effect.fork(Effect.promise(() => clientOf(port).submit("m")))
      const fakes = makeFakes()
      yield* started(fakes, { PORT: String(port) })
      assert.strictEqual((yield* Effect.timeout(Effect.fromFiber(submitted), "10 seconds")).id, idOf(1))
      assert.lengthOf(fakes.submitted, 1)
    }))
})

describe("A watch", () => {
  it.live("ends where it never gets a connection, as a page does that may not call the service", () =>
    Effect.gen(function*() {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
      let calls = 0
      const troupe = createTroupe({
        url: "http://127.0.0.1:1",
        fetch: () => {
          calls += 1
          return Promise.reject(new TypeError("Failed to fetch"))
        }
      })
      const watched = yield* Effect.exit(Effect.tryPromise(async () => {
        const watching = (async () => {
          for await (const event of troupe.watchAll()) assert.fail(event._tag)
        })()
        await Promise.all([watching, vi.advanceTimersByTimeAsync(60_000)])
      }))
      assert.isTrue(Exit.isFailure(watched))
      assert.strictEqual(calls, 5)
    }).pipe(Effect.ensuring(Effect.sync(() => vi.useRealTimers()))))

  it.scopedLive("ends with its signal", () =>
    Effect.gen(function*() {
      const fakes = makeFakes()
      fakes.allEvents = () => Stream.concat(Stream.make({ _tag: "position" as const, id: "7" }), Stream.never)
      const troupe = clientOf(yield* started(fakes))
      const stop = new AbortController()
      const reason = new Error("enough")
      const watched = async () => {
        for await (const _ of troupe.watchAll({ signal: stop.signal })) stop.abort(reason)
      }
      const ended = yield* Effect.promise(() => watched().catch((error: unknown) => error))
      assert.strictEqual(ended, reason)
    }))
})
