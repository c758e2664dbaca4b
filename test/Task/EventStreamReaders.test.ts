import { assert } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { ensureRequestRole } from "../../src/Runtime/Database/RequestRole.ts"
import { memberBob } from "../People/alice.ts"
import { eventually } from "../support/Eventually.ts"
import { givenTask } from "../support/GivenTasks.ts"
import { freePort } from "../support/Processes.ts"
import { asks, call, says, scriptedModel, type Turn } from "../support/ScriptedModel.ts"
import { inWorld } from "../support/TaskWorld.ts"
import { startWorker } from "../support/Workers.ts"
import {
  append,
  byService,
  clientAt,
  collected,
  type Event,
  life,
  lifeStatuses,
  makeSources,
  reading,
  served,
  statuses
} from "./eventSources.ts"

inWorld("The events", (test) => {
  const sources = makeSources()

  test("of the client go on where they were after the service restarted", function*() {
    const port = yield* freePort
    const watch = clientAt(Effect.succeed(port))
    const restarted = Effect.tap(Scope.make(), (scope) => Scope.extend(served({ PORT: String(port) }), scope))
    const first = yield* restarted
    const id = yield* givenTask()
    const [one, all] = [yield* reading(watch(id)), yield* reading(watch(null))]
    for (const { until } of [one, all]) yield* until(({ length }) => length > 0)
    yield* Scope.close(first, Exit.void)
    yield* append(id, 0, life)
    const second = yield* restarted
    yield* Effect.addFinalizer(() => Scope.close(second, Exit.void))
    yield* Fiber.join(one.fiber)
    assert.deepStrictEqual(one.seen, yield* collected(byService(id)))
    const known = statuses(yield* all.until((seen) => statuses(seen, id).includes("completed")), id)
    assert.deepStrictEqual(
      known.filter((status) => status !== "pending"),
      lifeStatuses.filter((status) => status !== "pending")
    )
  })

  test("carry the model's text to those who may read it; without a watcher the model is not asked for it", function*() {
    yield* ensureRequestRole()
    const readers: Array<Effect.Effect.Success<ReturnType<typeof reading>>> = []
    const textOf = (events: ReadonlyArray<Event>) =>
      events.flatMap((event) => event._tag === "text" ? [event.delta] : []).join("")
    const watched = yield* Deferred.make<void>()
    let unwatched = 0
    const speak: Turn = (request) =>
      Effect.gen(function*() {
        if (request.onText === undefined) {
          unwatched += 1
          return yield* Effect.delay(asks(call(`c${unwatched}`, "none"))(request), "10 millis")
        }
        yield* Deferred.await(watched)
        for (const delta of ["Hel", "lo"]) yield* request.onText(delta)
        // Text is a hint, which the end of the task may overtake.
        yield* Effect.forEach(readers, ({ until }) => until((seen) => textOf(seen) === "Hello"))
        return yield* says("Hello")(request)
      })
    const limits = { soft: 999, hard: 999, recursion: 9_999 }
    const scripted = scriptedModel(...Array.from({ length: 999 }, () => speak))
    yield* startWorker({ scripted, inWorldCluster: true, limits: { parent: limits, subagent: limits } })
    const id = yield* givenTask()
    yield* eventually(Effect.sync(() => unwatched), (count) => count > 2)
    const outline = yield* reading(byService(id, undefined, memberBob))
    for (const [, watch] of sources) readers.push(yield* reading(watch(id)))
    for (const { until } of [outline, ...readers]) yield* until(({ length }) => length > 0)
    yield* Deferred.succeed(watched, undefined)
    for (const { fiber, seen } of [outline, ...readers]) {
      yield* Fiber.join(fiber)
      assert.deepInclude(seen.at(-1), { _tag: "status", status: "completed" })
    }
    assert.strictEqual(textOf(outline.seen), "")
  })
})
