import { assert } from "@effect/vitest"
import { Deferred, Effect, Option, Stream } from "effect"
import { ModelRejected } from "../../src/Model/Model.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { askHuman } from "../../src/Tool/ParkingTools.ts"
import { eventually } from "../support/Eventually.ts"
import { givenTask, request } from "../support/GivenTasks.ts"
import { asks, call, fails, says, scriptedModel } from "../support/ScriptedModel.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"
import { startWorker } from "../support/Workers.ts"

inWorld("The text of a task that is about to be watched", (test) => {
  test("comes from the first call on: of a new live task, after a question that somebody watched, and after a retry", function*() {
    const tasks = yield* Tasks
    const { query } = yield* Wire
    const watching = yield* Deferred.make<void>()
    const received: Array<string> = []
    const scripted = scriptedModel((request) =>
      Effect.gen(function*() {
        yield* request.onText?.("Hel") ?? Effect.void
        yield* Deferred.await(watching)
        yield* request.onText?.("lo") ?? Effect.void
        yield* eventually(Effect.sync(() => received.join("")), (text) => text === "Hello")
        return yield* says("Hello")(request)
      })
    )
    yield* startWorker({ scripted, inWorldCluster: true, tools: [askHuman] })
    const { id: live } = yield* tasks.submit(request("Do it", { live: true }))
    yield* eventually(Effect.sync(() => scripted.requests.length), (count) => count === 1)
    yield* Stream.runForEach(yield* tasks.events(live, Option.none()), (event) => {
      if (event._tag !== "text") return Effect.void
      received.push(event.delta)
      return Deferred.succeed(watching, undefined)
    })
    assert.deepStrictEqual(received, ["Hel", "lo"])

    scripted.script(asks(call("ask1", "ask_human", { question: "Red?" })))
    const id = yield* givenTask()
    yield* Effect.fork(Stream.runDrain(yield* tasks.events(id, Option.none())))
    yield* eventually(
      query("select 1 from actors where status = 'waiting_input' and watched_until > now()"),
      (rows) => rows.length === 1
    )
    yield* tasks.answer(id, "Yes", Option.none())
    yield* eventually(tasks.find(id), ({ status }) => status === "completed")
    assert.isDefined(scripted.requests[2]?.onText)

    scripted.script(fails(new ModelRejected({ provider: "test", status: 400, reason: "No" })), says("Hello"))
    const failed = yield* givenTask()
    yield* eventually(tasks.find(failed), ({ status }) => status === "failed")
    yield* tasks.retry(failed)
    yield* eventually(tasks.find(failed), ({ status }) => status === "completed")
    assert.deepStrictEqual(scripted.requests.slice(3).map(({ onText }) => onText !== undefined), [false, true])
  })
})
