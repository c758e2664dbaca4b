import { minTokenBudget } from "@troupe/domain/Limits"
import type { ToolCall } from "@troupe/domain/Message"
import { type Run, tokensLeft } from "@troupe/domain/Run"
import type { Resulted } from "@troupe/domain/Step"
import { affordableShares, type DispatchedSubtask, type SubtaskRequest, tellOutcome } from "@troupe/domain/Subtask"
import { truncate } from "@troupe/domain/ToolResult"
import { Effect } from "effect"
import { dispatchSubagent } from "../Tool/DispatchSubagent.ts"
import type { StepOutcome } from "./AgentLoop.ts"
import { callTool, type ToolStepContext } from "./ToolCalls.ts"

export const isDispatch = (call: ToolCall): boolean => call.name === dispatchSubagent.name

interface Sent {
  /** All subtasks of the turn whose calls are open, those sent out before a crash included. */
  readonly out: ReadonlyArray<DispatchedSubtask>
  readonly refused: ReadonlyArray<{ readonly call: ToolCall; readonly content: string }>
}

/**
 * Sends out the subtasks that these calls ask for, all in one commit. Together they may spend what the parent has left
 * beyond its own next call.
 */
export const sendOut = <E>(
  context: ToolStepContext<E>,
  run: Run,
  calls: ReadonlyArray<ToolCall>
): Effect.Effect<Sent, E> =>
  Effect.gen(function*() {
    const before = stillOut(run)
    if (calls.length === 0) return { out: before, refused: [] }
    const refused: Array<Sent["refused"][number]> = []
    const wanted: Array<{ readonly call: ToolCall; readonly request: SubtaskRequest }> = []
    for (const call of calls) {
      const { outcome } = yield* callTool(context, call, false)
      if (outcome._tag === "Dispatched") wanted.push({ call, request: outcome.request })
      else refused.push({ call, content: outcome.content })
    }
    const left = leftForSubtasks(context.task.tokenBudget, run)
    const shares = affordableShares(left, wanted.map(({ request }) => request.tokenBudget))
    const granted = wanted.slice(0, shares.length).map(({ call, request }, index) => ({
      call,
      request: { ...request, tokenBudget: shares[index] ?? null }
    }))
    for (const { call } of wanted.slice(shares.length)) refused.push({ call, content: tooLittleLeft(left ?? 0) })
    if (granted.length === 0) return { out: before, refused }
    const ids = yield* context.subtasks.newIds(granted.length)
    const made = granted.flatMap(({ call, request }, index) => {
      const id = ids[index]
      return id === undefined ? [] : [{ call, id, request }]
    })
    const after = yield* context.record({
      step: {
        kind: "dispatched",
        subtasks: made.map(({ call, id, request }) => ({
          call: call.id,
          task: id,
          agent: request.agentType,
          budget: left === null ? null : request.tokenBudget
        }))
      },
      event: null,
      sleepUntil: null,
      dispatch: made.map(({ id, request }) => ({ id, request }))
    })
    return { out: stillOut(after), refused }
  })

/** What a parent keeps for its own next call, besides the size of its last one: results, and an answer. */
const parentReserve = 2_500

const leftForSubtasks = (budget: number | null, run: Run): number | null => {
  const left = tokensLeft(budget, run)
  const { input, output } = run.lastCall ?? { input: 0, output: 0 }
  return left === null ? null : Math.max(0, left - input - output - parentReserve)
}

const tooLittleLeft = (left: number): string =>
  `Error: the token budget of this task leaves ${left} tokens for subagents, and each needs at least `
  + `${minTokenBudget}. Send out fewer, or do this part yourself.`

const stillOut = ({ turn }: Run): ReadonlyArray<DispatchedSubtask> =>
  turn === null ? [] : [...turn.dispatched.values()].filter(({ call }) => !turn.results.has(call))

/**
 * The end of a tool step with subtasks out: their results, if by now all have ended; or the task waits for them. While
 * it waits for a human or a time it is not yet asked whether they have.
 */
export const awaited = <E>(
  { subtasks }: ToolStepContext<E>,
  out: ReadonlyArray<DispatchedSubtask>,
  outcome: StepOutcome
): Effect.Effect<StepOutcome> =>
  Effect.gen(function*() {
    const { step } = outcome
    if (out.length === 0 || outcome.event !== null || outcome.sleepUntil !== null || step.kind !== "results") {
      return outcome
    }
    const ended = new Map((yield* subtasks.ended(out.map(({ task }) => task))).map((one) => [one.task, one]))
    if (ended.size < out.length) {
      const calls = out.map(({ call }) => call)
      return {
        step: { ...step, awaiting: calls },
        event: { _tag: "DispatchedSubagents", toolCallIds: calls },
        sleepUntil: null
      }
    }
    let spent = 0
    const results: Array<Resulted["results"][number]> = [...step.results]
    for (const { agent, budget, call, task } of out) {
      const one = ended.get(task)
      if (one === undefined) continue
      // A deleted subtask is charged with all it was granted, so that deleting one never makes a budget larger.
      spent += one.tokens ?? budget ?? 0
      const content = truncate(tellOutcome(agent, one))
      results.push({
        message: { role: "tool", tool_call_id: call, name: dispatchSubagent.name, content },
        millis: 0
      })
    }
    return { ...outcome, step: { ...step, results, spent }, collects: true }
  })
