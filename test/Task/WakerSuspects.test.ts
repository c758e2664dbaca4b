import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/Eventually.ts"
import { givenTask } from "../support/GivenTasks.ts"
import { says, scriptedModel, type Turn } from "../support/ScriptedModel.ts"
import { rowOf } from "../support/TaskRows.ts"
import { inWorld, startWorker, Wire } from "../support/TaskWorld.ts"

inWorld("Waker, with suspects", (test) => {
  test(
    "runs one at a time beside the ordinary tasks, and the next as soon as one has progressed",
    Effect.gen(function*() {
      const { query, sent } = yield* Wire
      const answers = yield* Effect.makeSemaphore(9)
      yield* answers.take(9)
      const held: Turn = (request) => Effect.zipRight(answers.take(1), says("Done.")(request))
      const scripted = scriptedModel(...Array.from({ length: 4 }, () => held))
      const asked = (count: number) =>
        eventually(Effect.sync(() => scripted.requests.length), (requests) => requests === count)
      const suspects = yield* Effect.all([givenTask("Odd one"), givenTask("Odd two"), givenTask("Odd three")])
      yield* query("update actors set process_deaths = 2, queued_by = ''")
      yield* startWorker({ scripted, pollInterval: "1 hour" })
      yield* asked(1)

      yield* givenTask("Ordinary")
      yield* asked(2)
      assert.include(JSON.stringify(scripted.requests[1]), "Ordinary")
      assert.isFalse(sent.findLast(({ name }) => name === "claims_take")?.values[9], "no suspect was asked for")

      yield* answers.release(1)
      yield* asked(3)
      yield* answers.release(2)
      yield* asked(4)
      yield* answers.release(1)
      for (const id of suspects) {
        yield* eventually(rowOf(id), ({ status }) => status === "completed")
        assert.deepInclude(yield* rowOf(id), { process_deaths: 0, queued_by: null })
      }
    })
  )
})
