import { type TaskId } from "@troupe/domain/Ids"
import { Effect } from "effect"
import { says, type Turn } from "../support/ScriptedModel.ts"
import { stepsOf } from "../support/TaskRows.ts"

export const wokenOf = (id: TaskId) =>
  Effect.map(stepsOf(id), (steps) => steps.flatMap((step) => step.kind === "woken" ? [step.reason] : []))

/** Model calls that wait at a gate, and how many are under way. */
export const gated = Effect.map(Effect.makeLatch(false), (gate) => {
  const calls = { underWay: 0, max: 0, begun: 0 }
  const turn: Turn = (request) =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        calls.begun += 1
        calls.underWay += 1
        calls.max = Math.max(calls.max, calls.underWay)
      }),
      () => Effect.zipRight(gate.await, says("Done.")(request)),
      () =>
        Effect.sync(() => {
          calls.underWay -= 1
        })
    )
  return { gate, calls, turn, turns: (count: number) => Array.from({ length: count }, () => turn) }
})
