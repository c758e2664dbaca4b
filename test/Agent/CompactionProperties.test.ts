import { assert, describe, it } from "@effect/vitest"
import { replay } from "@troupe/domain/Replay"
import { emptyRun, reportedResults, visibleMessages } from "@troupe/domain/Run"
import { Effect, FastCheck as fc } from "effect"
import { isPaired } from "../support/Conversations.ts"
import { runsOf } from "../support/PropertyRuns.ts"
import { asks, call, says, type Turn } from "../support/ScriptedModel.ts"
import { compactions, isSummary, limits, outage } from "./compacting.ts"
import { makeLoop, runLoop } from "./loop.ts"

describe("Compaction", () => {
  it.effect.prop(
    "shows the model whole turns in order after a note, whatever the batches, the limits and the failures",
    [
      fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 12 }),
      fc.record({ threshold: fc.integer({ min: 2, max: 16 }), recent: fc.integer({ min: 1, max: 12 }) }),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 8 })
    ],
    ([batches, { recent, threshold }, outcomes]) =>
      Effect.gen(function*() {
        let round = 0
        let summaries = 0
        const turn: Turn = (request) => {
          if (isSummary(request)) {
            summaries += 1
            return (outcomes[summaries % outcomes.length] === true ? says(`Summary ${summaries}`) : outage)(request)
          }
          const size = batches[round++]
          return size === undefined
            ? says("Done")(request)
            : asks(...Array.from({ length: size }, (_, place) => call(`r${round}c${place}`, "echo", { text: "x" })))(
              request
            )
        }
        const loop = yield* runLoop({
          turns: Array.from({ length: 60 }, () => turn),
          task: { limits: { soft: 90, hard: 100, recursion: 300 } },
          settings: { compaction: { ...limits, threshold, maxRecent: Math.min(recent, threshold) } }
        })
        for (const request of loop.scripted.requests) {
          if (isSummary(request)) continue
          const [first, ...rest] = request.messages
          assert.include(["user", "system"], first?.role)
          assert.isTrue(isPaired(rest))
        }
        const marks = compactions(loop.journal).map(({ upto }) => upto)
        assert.deepStrictEqual(marks, [...new Set(marks)].sort((a, b) => a - b))
        assert.deepStrictEqual(makeLoop({ turns: [], journal: loop.journal }).state(), loop.state())
        const whole = replay(emptyRun("Find the answer"), loop.journal)
        assert.deepStrictEqual(visibleMessages(loop.state()), visibleMessages(whole))
        assert.deepStrictEqual(reportedResults(loop.state()), reportedResults(whole))
        assert.strictEqual(loop.journal.at(-1)?.kind, "model")
      }),
    { fastCheck: { numRuns: runsOf(40) } }
  )
})
