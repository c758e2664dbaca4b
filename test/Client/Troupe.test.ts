import { assert, describe, it } from "@effect/vitest"
import type { AnyTaskEvent, TaskEvent } from "@troupe/api/TaskEvent"
import { createTroupe, type Troupe, TroupeError } from "@troupe/client"
import { defaultUser, UserId } from "@troupe/domain/Ids"
import { causedAt, type Notification, NotificationId } from "@troupe/domain/Notification"
import { Deferred, Effect, Exit, Fiber, Layer, Option, Scope, Stream } from "effect"
import { Notifications } from "../../src/Delivery/Notifications.ts"
import { Users } from "../../src/People/Users.ts"
import { type Fakes, idOf, makeFakes } from "../Http/Fakes.ts"
import { started } from "../Http/TestServer.ts"
import { eventually } from "../support/Eventually.ts"
import { freePort } from "../support/Processes.ts"
import { sampleRequest, sampleUser } from "../support/Samples.ts"

const clientOf = (port: number, more: object = {}): Troupe => createTroupe({ url: `http://127.0.0.1:${port}`, ...more })

const running = (n: number): TaskEvent => ({ _tag: "status", id: `${n}.0`, status: "running", error: null })
const completed: TaskEvent = { _tag: "status", id: "9.0", status: "completed", error: null }

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

/** A service on the port until the scope closes, whose task has these events after the given one. */
const service = (port: number, scope: Scope.Scope, events: Fakes["events"]) =>
  Effect.suspend(() => {
    const fakes = makeFakes()
    fakes.events = events
    fakes.submitted.push(sampleRequest("m"))
    return Scope.extend(started(fakes, { PORT: String(port) }), scope)
  })

describe("A watch", () => {
  it.scopedLive("resumes after the last event when the service restarts, and ends with the task", () =>
    Effect.gen(function*() {
      const port = yield* freePort
      const first = yield* Scope.make()
      yield* service(port, first, () => Stream.concat(Stream.make(running(1), running(2)), Stream.never))
      const seen = yield* Deferred.make<void>()
      const asked: Array<string | null> = []
      const received = yield* Effect.fork(Effect.promise(async () => {
        const events: Array<string> = []
        for await (const event of clientOf(port).watch(idOf(1))) {
          events.push("id" in event ? event.id : "text")
          if (events.length === 2) Deferred.unsafeDone(seen, Exit.void)
        }
        return events
      }))
      yield* Deferred.await(seen)
      yield* Scope.close(first, Exit.void)
      yield* service(port, yield* Effect.scope, (after) => {
        asked.push(Option.getOrNull(after))
        return Stream.make({ _tag: "text", delta: "x" } satisfies TaskEvent, completed)
      })
      const events = yield* Effect.timeout(Effect.fromFiber(received), "15 seconds")
      assert.deepStrictEqual(events, ["1.0", "2.0", "text", "9.0"])
      assert.deepStrictEqual(asked, ["2.0"])
    }))

  it.scopedLive("of all tasks resumes where it began, or after the last event, when the service restarts", () =>
    Effect.gen(function*() {
      const port = yield* freePort
      const ofTask = (id: string): AnyTaskEvent => ({
        _tag: "status",
        id,
        task_id: idOf(1),
        status: "running",
        error: null
      })
      const asked: Array<string | null> = []
      const serve = (scope: Scope.Scope, events: ReadonlyArray<AnyTaskEvent>) => {
        const fakes = makeFakes()
        fakes.allEvents = (after) => {
          asked.push(Option.getOrNull(after))
          return Stream.concat(Stream.fromIterable(events), Stream.never)
        }
        return Scope.extend(started(fakes, { PORT: String(port) }), scope)
      }
      const received: Array<unknown> = []
      const until = (count: number) => eventually(Effect.sync(() => received.length), (length) => length === count)
      const abort = new AbortController()
      const first = yield* Scope.make()
      yield* serve(first, [{ _tag: "position", id: "7" }])
      const watching = yield* Effect.fork(Effect.tryPromise(async () => {
        for await (const event of clientOf(port).watchAll({ signal: abort.signal })) received.push(event)
      }))
      yield* until(1)
      yield* Scope.close(first, Exit.void)
      const second = yield* Scope.make()
      yield* serve(second, [ofTask(`8.${idOf(1)}.1.0`)])
      yield* until(2)
      yield* Scope.close(second, Exit.void)
      yield* serve(yield* Effect.scope, [ofTask(`9.${idOf(1)}.2.0`)])
      yield* until(3)
      abort.abort()
      assert.isTrue(Exit.isFailure(yield* Fiber.await(watching)))
      assert.deepStrictEqual(received.slice(1), [ofTask(`8.${idOf(1)}.1.0`), ofTask(`9.${idOf(1)}.2.0`)])
      assert.deepStrictEqual(asked, [null, "7", `8.${idOf(1)}.1.0`])
    }))

  it.live("ends where it never gets a connection, as a page does that may not call the service", () =>
    Effect.gen(function*() {
      let calls = 0
      const troupe = createTroupe({
        url: "http://127.0.0.1:1",
        fetch: () => {
          calls += 1
          return Promise.reject(new TypeError("Failed to fetch"))
        }
      })
      const watched = yield* Effect.exit(Effect.tryPromise(async () => {
        for await (const event of troupe.watchAll()) assert.fail(event._tag)
      }))
      assert.isTrue(Exit.isFailure(watched))
      assert.strictEqual(calls, 5)
    }))

  it.scopedLive("fails for an unknown task, and ends with its signal", () =>
    Effect.gen(function*() {
      const port = yield* freePort
      yield* service(port, yield* Effect.scope, () => Stream.concat(Stream.make(running(1)), Stream.never))
      const watched = async (id: string, signal?: AbortSignal, onEvent = () => {}) => {
        for await (const _ of clientOf(port).watch(id, signal === undefined ? {} : { signal })) onEvent()
      }
      assert.strictEqual((yield* failure(() => watched(idOf(5))))?.status, 404)
      const stop = new AbortController()
      const ended = yield* failure(() => watched(idOf(1), stop.signal, () => stop.abort(new Error("enough"))))
      assert.isNull(ended)
    }))
})
