import type { ToolCall } from "@troupe/domain/Message"
import { rounded } from "@troupe/domain/ModelPrice"
import { awaitedSubtasks, moneyLeft, type Run, tokensLeft } from "@troupe/domain/Run"
import { mergedShown, type Shown } from "@troupe/domain/Shown"
import { affordableShares, type DispatchedSubtask, outcomeText, type SubtaskRequest } from "@troupe/domain/Subtask"
import { minTokenBudget } from "@troupe/domain/Task"
import { truncatedResult } from "@troupe/domain/Text"
import { Array as Arrays, Effect, Either } from "effect"
import { dispatchSubagent } from "../Tool/ParkingTools.ts"
import { type StepOutcome, withEvent, withoutEvent } from "./AgentDependencies.ts"
import { smaller } from "./Definition/SubagentAgent.ts"
import { type CallToMake, callTool, type Result, toolResultOf, type ToolStepContext } from "./ToolCalls.ts"

export const isDispatch = (call: ToolCall): boolean => call.name === dispatchSubagent.name

interface Dispatches {
  readonly dispatched: ReadonlyArray<DispatchedSubtask>
  readonly refused: ReadonlyArray<Result>
}

/** Dispatches subtasks in one commit. Together they may spend what the parent has left beyond its own next call. */
export const dispatchSubtasks = <E>(
  context: ToolStepContext<E>,
  run: Run,
  calls: ReadonlyArray<CallToMake>
): Effect.Effect<Dispatches, E> =>
  Effect.gen(function*() {
    const before = awaitedSubtasks(run)
    const refused: Array<Result> = []
    const wanted: Array<{ readonly call: ToolCall; readonly request: SubtaskRequest }> = []
    for (const { call, decided } of calls) {
      const { outcome } = yield* callTool(context, call, run.seen, false, { decided: decided ?? null })
      if (outcome._tag !== "Dispatched") {
        refused.push(toolResultOf(call, outcome.content))
        continue
      }
      const request = yield* Effect.either(context.asAgent(outcome))
      if (Either.isRight(request)) wanted.push({ call, request: request.right })
      else refused.push(toolResultOf(call, `Error: ${request.left.message}`))
    }
    const left = leftForSubtasks(context.task.tokenBudget, run)
    const shares = affordableShares(left, wanted.map(({ request }) => request.tokenBudget))
    const money = moneyLeft(context.task.maxCost, run)
    if (money !== null && money <= 0) {
      for (const { call } of wanted) refused.push(toolResultOf(call, nothingLeft))
      return { dispatched: before, refused }
    }
    const maxCost = money === null || shares.length === 0
      ? null
      : rounded(money * shareForSubtasks / shares.length)
    const granted = Arrays.zipWith(wanted, shares, ({ call, request }, tokenBudget) => ({
      call,
      request: { ...request, tokenBudget, maxCost: smaller(request.maxCost ?? null, maxCost) }
    }))
    for (const { call } of wanted.slice(shares.length)) refused.push(toolResultOf(call, tooLittleLeft(left ?? 0)))
    if (granted.length === 0) return { dispatched: before, refused }
    const ids = yield* context.subtasks.newIds(granted.length)
    const made = Arrays.zipWith(granted, ids, (subtask, id) => ({ ...subtask, id }))
    const subtasks = made.map(({ call, id, request }) => ({
      call: call.id,
      task: id,
      agent: request.agentType,
      ...(request.agent == null ? {} : { name: request.agent.name }),
      budget: left === null ? null : request.tokenBudget,
      ...(maxCost === null ? {} : { maxCost })
    }))
    const { run: after } = yield* context.record({
      ...withoutEvent({ kind: "dispatched", subtasks }),
      dispatch: made.map(({ id, request }) => ({ id, request }))
    })
    return { dispatched: awaitedSubtasks(after), refused }
  })

/** Tokens for the results and the answer of the parent's next call, besides the size of its last one. */
const parentReserve = 2_500

/** Of what is left of a cost limit; the rest is for the parent's next call. */
const shareForSubtasks = 0.8

const nothingLeft = "Error: the cost limit of this task leaves nothing for subagents. Do this part yourself."

const leftForSubtasks = (budget: number | null, run: Run): number | null => {
  const left = tokensLeft(budget, run)
  const { input, output } = run.lastCall ?? { input: 0, output: 0 }
  return left === null ? null : Math.max(0, left - input - output - parentReserve)
}

const tooLittleLeft = (left: number): string =>
  `Error: the token budget of this task leaves ${left} tokens for subagents, and each needs at least `
  + `${minTokenBudget}. Dispatch fewer, or do this part yourself.`

/** Adds the results of the subtasks if all have ended; otherwise the task waits for them, unless it already waits. */
export const collectOrPark = <E>(
  { subtasks }: ToolStepContext<E>,
  dispatched: ReadonlyArray<DispatchedSubtask>,
  outcome: StepOutcome
): Effect.Effect<StepOutcome> => {
  const { event, sleepUntil, step } = outcome
  if (event !== null || sleepUntil !== null || step.kind !== "results") return Effect.succeed(outcome)
  return Effect.gen(function*() {
    const ended = new Map((yield* subtasks.ended(dispatched.map(({ task }) => task))).map((one) => [one.task, one]))
    if (ended.size < dispatched.length) {
      const calls = dispatched.map(({ call }) => call)
      return {
        ...outcome,
        ...withEvent({ ...step, awaiting: calls }, { _tag: "DispatchedSubagents", toolCallIds: calls })
      }
    }
    let spent = 0
    let paid = 0
    const results: Array<Result> = [...step.results]
    const shown: Array<Shown | undefined> = [step.shown]
    for (const { agent, budget, call, maxCost, name = agent, task } of dispatched) {
      const one = ended.get(task)
      if (one === undefined) continue
      // A deleted subtask is charged with its whole budget, so that deleting one never makes the parent's larger.
      shown.push(one.shown)
      spent += one.tokens ?? budget ?? 0
      paid += one.cost ?? (one.tokens === null ? maxCost ?? 0 : 0)
      results.push(toolResultOf({ id: call, name: dispatchSubagent.name }, truncatedResult(outcomeText(name, one))))
    }
    return {
      ...outcome,
      step: { ...step, results, spent, shown: mergedShown(shown), ...(paid === 0 ? {} : { paid: rounded(paid) }) },
      collects: true
    }
  })
}
