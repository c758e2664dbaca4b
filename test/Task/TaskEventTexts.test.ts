import { assert } from "@effect/vitest"
import type { TaskEvent } from "@troupe/api/TaskEvent"
import { Deferred, Effect, Fiber, Option, Stream } from "effect"
import { ensureRequestRole } from "../../src/Runtime/Database/RequestRole.ts"
import { Tasks } from "../../src/Task/Tasks.ts"
import { memberBob } from "../People/alice.ts"
import { eventually } from "../support/Eventually.ts"
import { givenTask } from "../support/GivenTasks.ts"
import { asks, call, says, scriptedModel, type Turn } from "../support/ScriptedModel.ts"
import { as } from "../support/Seats.ts"
import { inWorld } from "../support/TaskWorld.ts"
import { startWorker } from "../support/Workers.ts"

inWorld("TaskEvents of a running task", (test) => {
  test("carry the model's text to those who may read it; without a watcher the model is not asked for it", function*() {
    yield* ensureRequestRole()
    const tasks = yield* Tasks
    const events: Array<TaskEvent> = []
    const receivedText = () => events.flatMap((event) => event._tag === "text" ? [event.delta] : []).join("")
    let unwatched = 0
    const speak: Turn = (request) =>
      Effect.gen(function*() {
        if (request.onText === undefined) {
          unwatched += 1
          return yield* Effect.delay(asks(call(`c${unwatched}`, "none"))(request), "10 millis")
        }
        for (const delta of ["Hel", "lo"]) yield* request.onText(delta)
        // Text is a hint, which the end of the task may overtake.
        yield* eventually(Effect.sync(receivedText), (text) => text === "Hello")
        return yield* says("Hello")(request)
      })
    const limits = { soft: 999, hard: 999, recursion: 9_999 }
    const scripted = scriptedModel(...Array.from({ length: 999 }, () => speak))
    yield* startWorker({ scripted, inWorldCluster: true, limits: { parent: limits, subagent: limits } })
    const id = yield* givenTask()
    yield* eventually(Effect.sync(() => unwatched), (count) => count > 2)

    const started = yield* Deferred.make<void>()
    const outline = yield* as(memberBob)(tasks.events(id, Option.none())).pipe(
      Effect.flatMap((stream) => Stream.runCollect(Stream.tap(stream, () => Deferred.succeed(started, undefined)))),
      Effect.fork
    )
    yield* Deferred.await(started)
    const stream = yield* tasks.events(id, Option.none())
    yield* Stream.runForEach(stream, (event) => Effect.sync(() => events.push(event)))
    assert.strictEqual(receivedText(), "Hello")
    assert.deepInclude(events.at(-1), { _tag: "status", status: "completed" })
    const seenByBob = Array.from(yield* Fiber.join(outline))
    assert.deepInclude(seenByBob.at(-1), { _tag: "status", status: "completed" })
    assert.deepStrictEqual(seenByBob.filter(({ _tag }) => _tag === "text"), [])
  })
})
