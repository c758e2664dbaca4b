import { type Run, tokensSpent } from "@troupe/domain/Run"
import type { Step } from "@troupe/domain/Step"
import { cutShortBy } from "@troupe/domain/TaskOutcome"
import type { TaskState } from "@troupe/domain/TaskState"
import { Effect, FiberRef, LogLevel } from "effect"
import { type Claim, isFirst } from "../Claim/Claims.ts"

const who = ({ creator, type }: Claim) => ({ user_id: creator, task_type: type })

/** What ran, for the operator: a line of the service when a run begins. The task's id and epoch are in each line of a run. */
export const logBegin = (claim: Claim): Effect.Effect<void> =>
  whereShown(() => Effect.annotateLogs(Effect.logInfo(isFirst(claim) ? "Task started" : "Task resumed"), who(claim)))

/** The line when it waits or has ended: how long this run took, and the tokens of the task and its subtasks. */
export const logEnd = (claim: Claim, step: Step, state: TaskState, run: Run): Effect.Effect<void> =>
  whereShown(() =>
    Effect.clockWith((clock) =>
      Effect.annotateLogs(Effect.logInfo(textOf(step, state)), {
        ...who(claim),
        run_ms: Math.round(clock.unsafeCurrentTimeMillis() - claim.now),
        tokens: tokensSpent(run),
        model_calls: run.modelCalls
      })
    )
  )

/** Where lines at info are not shown, they cost nothing. */
const whereShown = (log: () => Effect.Effect<void>): Effect.Effect<void> =>
  Effect.withFiberRuntime((fiber) =>
    LogLevel.greaterThan(fiber.getFiberRef(FiberRef.currentMinimumLogLevel), LogLevel.Info) ? Effect.void : log()
  )

const textOf = (step: Step, { error, status }: TaskState): string => {
  switch (status) {
    case "completed": {
      const cut = cutShortBy(step)
      return cut === null ? "Task completed" : `Task completed at its ${cut.by}: ${cut.reason}`
    }
    case "failed":
      return `Task failed: ${error ?? ""}`
    case "waiting_input":
      return "Task waits for an answer"
    case "waiting_subagents":
      return "Task waits for its subtasks"
    default:
      return step.kind === "crashed" ? "Task crashed; it starts again later" : "Task waits until its time"
  }
}
