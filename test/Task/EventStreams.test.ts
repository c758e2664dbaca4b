import { assert, describe } from "@effect/vitest"
import { TroupeError } from "@troupe/client"
import { TaskId } from "@troupe/domain/Ids"
import { Effect, FastCheck as fc, Fiber, Stream } from "effect"
import { ensureRequestRole } from "../../src/Runtime/Database/RequestRole.ts"
import { TaskCommands } from "../../src/Task/Command/TaskCommands.ts"
import { Journal } from "../../src/Task/Journal/Journal.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { memberAlice, memberBob } from "../People/alice.ts"
import { claim, givenCompleted, givenTask, stepAfter } from "../support/GivenTasks.ts"
import { as } from "../support/Seats.ts"
import { inWorld } from "../support/TaskWorld.ts"
import {
  append,
  beginning,
  collected,
  errors,
  type Event,
  givenLife,
  idOf,
  life,
  lifeStatuses,
  makeSources,
  model,
  reading,
  statuses,
  woken
} from "./eventSources.ts"

inWorld("The events", (test) => {
  const sources = makeSources()

  describe.each(sources)("%s", (_, watch) => {
    test("of a task begin with its creation, have each step in order, and end with its end", function*() {
      const events = yield* collected(watch(yield* givenLife))
      assert.deepStrictEqual(events[0], {
        _tag: "status",
        id: "0.0",
        status: "pending",
        error: null,
        ended_by: null,
        end_label: null
      })
      assert.deepStrictEqual(events.flatMap((event) => event._tag === "status" ? [event.status] : []), lifeStatuses)
      assert.strictEqual(new Set(events.map(idOf)).size, events.length, "each has an id of its own")
      assert.strictEqual(
        events.slice(1, 8).map((event) => `${event._tag} ${idOf(event)}`).join(),
        "log 1.0,status 1.1,log 2.0,log 2.1,log 2.2,log 2.3,usage 2.4"
      )
      assert.deepStrictEqual(events.flatMap((event) => event._tag === "usage" ? [event.usage] : []), [
        { input_tokens: 10, output_tokens: 5, model_calls: 1, tool_calls: 0, cost: null },
        { input_tokens: 20, output_tokens: 10, model_calls: 2, tool_calls: 3, cost: null },
        { input_tokens: 30, output_tokens: 15, model_calls: 3, tool_calls: 4, cost: null }
      ])
      assert.deepStrictEqual(errors(events), ["Out of luck"])
      assert.deepInclude(events.at(-1), { _tag: "status", status: "completed" })
    })

    test("of all tasks are the log and the statuses of each, with its id", function*() {
      const all = yield* reading(watch(null))
      yield* all.until(([first]) => first?._tag === "position")
      const ids = [yield* givenCompleted(), yield* givenCompleted()]
      const events = yield* all.until((seen) => ids.every((id) => statuses(seen, id).length === 3))
      for (const id of ids) {
        assert.deepStrictEqual(statuses(events, id), ["pending", "running", "completed"])
        const own = events.flatMap((event) =>
          event._tag === "log" && "task_id" in event && event.task_id === id ? [event.entry.message] : []
        )
        assert.match(own[0] ?? "", /^The task started on /)
        assert.strictEqual(own.slice(1).join(), "The model answered,The task completed,Notified the user of the result")
      }
      assert.strictEqual(new Set(events.map(idOf)).size, events.length)
    })

    test("resume after any of them with exactly what came after it", function*() {
      const id = yield* givenLife
      const one = yield* collected(watch(id))
      const all = yield* collected(watch(null, beginning), one.filter(({ _tag }) => _tag !== "usage").length)
      assert.deepStrictEqual(statuses(all, id), lifeStatuses)
      for (const [stream, whole] of [[id, one], [null, all]] as const) {
        for (const [index, event] of whole.slice(0, -1).entries()) {
          const rest = whole.slice(index + 1)
          const after = idOf(event)
          assert.deepStrictEqual(yield* collected(watch(stream, after), rest.length), rest, `after ${after}`)
        }
      }
      assert.deepStrictEqual(yield* collected(watch(id, idOf(one.at(-1) ?? assert.fail()))), [])
    })

    test("have no gap and no repetition over any reconnections, while steps are still written", function*() {
      const expected = (yield* collected(watch(yield* givenLife))).map(idOf)
      const cuts = fc.record({
        takes: fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 8 }),
        bursts: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 })
      })
      for (const { bursts, takes } of fc.sample(cuts, 4)) {
        const id = yield* givenTask()
        const writer = yield* Effect.fork(Effect.gen(function*() {
          let at = 0
          for (let burst = 0; at < life.length; burst++) {
            const until = at + (bursts[burst % bursts.length] ?? 1)
            yield* append(id, at, life.slice(at, until))
            at = until
          }
        }))
        const seen: Array<string> = []
        for (let connection = 0; seen.length < expected.length; connection++) {
          const part = yield* collected(watch(id, seen.at(-1)), takes[connection % takes.length] ?? 1)
          seen.push(...part.map(idOf))
        }
        yield* Fiber.join(writer)
        assert.deepStrictEqual(seen, expected)
      }
    })

    test("begin at the start for an id that is none, and fail for an unknown task", function*() {
      const id = yield* givenLife
      const whole = yield* collected(watch(id))
      for (const after of ["nonsense", "1", "1.2.3", "-1.0", "99999999999.0"]) {
        assert.deepStrictEqual(yield* collected(watch(id, after)), whole)
      }
      const unknown = yield* Effect.flip(Stream.runDrain(watch(TaskId.make("00000000-0000-7000-8000-000000000009"))))
      if (unknown instanceof TroupeError) assert.strictEqual(unknown.type, "/problems/task-not-found")
      else assert.deepInclude(unknown, { _tag: "TaskNotFound" })
    })

    test("come as the steps are journalled, and end with the cancel of the task", function*() {
      const id = yield* givenTask()
      const [one, all] = [yield* reading(watch(id)), yield* reading(watch(null))]
      yield* Effect.all([one, all].map(({ until }) => until(({ length }) => length > 0)))
      yield* (yield* Journal).append(stepAfter(yield* claim(id), model("I look.", "a")))
      yield* one.until(({ length }) => length === 6)
      yield* (yield* TaskCommands).cancel(id, "Cancelled: enough")
      yield* Fiber.join(one.fiber)
      assert.deepInclude(one.seen.at(-1), { _tag: "status", status: "failed", error: "Cancelled: enough" })
      yield* all.until((seen) => errors(seen).includes("Cancelled: enough"))
    })

    test("say that a task was archived, restored and deleted, also to a stream that resumes later", function*() {
      const tasks = yield* Tasks
      const all = yield* reading(watch(null))
      yield* all.until(({ length }) => length === 1)
      const id = yield* givenCompleted()
      const before = yield* all.until((seen) => statuses(seen, id).length === 3)
      const kinds = (events: ReadonlyArray<Event>) =>
        events.map(({ _tag }) => _tag).filter((kind) => ["archived", "restored", "deleted"].includes(kind))
      const changes = [tasks.remove(id), Effect.asVoid(tasks.restore(id)), tasks.remove(id), tasks.remove(id)]
      for (const [index, change] of changes.entries()) {
        yield* change
        yield* all.until((seen) => kinds(seen).length === index + 1)
      }
      assert.deepStrictEqual(kinds(all.seen), ["archived", "restored", "archived", "deleted"])
      const [later] = yield* collected(watch(null, idOf(before.at(-1) ?? assert.fail())), 1)
      assert.deepInclude(later, { _tag: "deleted", task_id: id })
    })

    test("reach a reader that is slower than they come, each once", function*() {
      const id = yield* givenTask()
      const gate = yield* Effect.makeLatch(true)
      const [slow, slowOfAll] = [yield* reading(watch(id), gate.await), yield* reading(watch(null), gate.await)]
      const quick = yield* reading(watch(null))
      for (const { until } of [slow, slowOfAll, quick]) yield* until(({ length }) => length > 0)
      const runs = (events: ReadonlyArray<Event>) =>
        events.flatMap((event) => event._tag === "status" && event.status === "running" ? [event.id] : [])
      yield* gate.close
      for (let epoch = 1; epoch <= 20; epoch++) {
        // Each in a page of its own, of which fewer are kept for a slow stream.
        yield* append(id, epoch - 1, [{ ...woken, epoch }])
        yield* quick.until((seen) => runs(seen).length === epoch)
      }
      assert.isBelow(slowOfAll.seen.length, 10)
      yield* gate.open
      for (const { until } of [slow, slowOfAll]) {
        const seen = runs(yield* until((seen) => runs(seen).length >= 20))
        assert.strictEqual(new Set(seen).size, 20)
        if (until === slowOfAll.until) assert.deepStrictEqual(seen, runs(quick.seen))
      }
    })

    test("have content only for those who may see it, past and live, and the same ids for all of the team", function*() {
      yield* ensureRequestRole()
      yield* Effect.forEach([memberAlice, memberBob], (member) => as(member)(Effect.void))
      const live = yield* reading(watch(null, beginning, memberAlice))
      const liveOutline = yield* reading(watch(null, beginning, memberBob))
      const id = yield* givenLife
      const kinds = (events: ReadonlyArray<Event>) => events.map((event) => [event._tag, idOf(event)])
      const ofOne = [
        yield* collected(watch(id, undefined, memberAlice)),
        yield* collected(watch(id, undefined, memberBob))
      ]
      const isWhole = (seen: ReadonlyArray<Event>) => statuses(seen, id).includes("completed")
      const ofAll = [yield* live.until(isWhole), yield* liveOutline.until(isWhole)]
      for (const [whole = [], outline = []] of [ofOne, ofAll]) {
        assert.deepStrictEqual(errors(whole), ["Out of luck"])
        assert.deepStrictEqual(kinds(outline), kinds(whole))
        assert.match(JSON.stringify(whole), /I look|result a/)
        assert.notMatch(JSON.stringify(outline), /I look|result a|Out of luck/)
      }
      const [past = []] = ofAll.slice(1)
      assert.deepStrictEqual(yield* collected(watch(null, beginning, memberBob), past.length), past)
    })
  })
})
