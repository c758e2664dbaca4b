import type { ToolCall } from "@troupe/domain/Message"
import { openCalls, type Run, type Turn } from "@troupe/domain/Run"
import type { Deferral, Resulted } from "@troupe/domain/Step"
import { Array as Arrays, Clock, Effect, Queue } from "effect"
import type { StepOutcome } from "./AgentLoop.ts"
import { awaited, isDispatch, sendOut } from "./Dispatching.ts"
import { callTool, type Finished, messageOf, type ToolStepContext } from "./ToolCalls.ts"

/** How an open call of a turn is settled. */
type Plan =
  /** Its answer is known without running it. */
  | { readonly _tag: "Settled"; readonly call: ToolCall; readonly content: string }
  | { readonly _tag: "Sleeping"; readonly call: ToolCall; readonly deferral: Deferral }
  | { readonly _tag: "Runnable"; readonly call: ToolCall; readonly outside: boolean }
  /** Its subtask was sent out already. */
  | { readonly _tag: "Awaiting"; readonly call: ToolCall }

/**
 * Settles what is open of a turn. Calls run at the same time. Those that reach outside are journalled before they
 * begin, and each one's result as soon as it is there; the last outcome is left to the caller to journal. Subtasks are
 * sent out first, and awaited when all other calls are settled: a question to a human and a long wait come before.
 */
export const toolStep = <E>(context: ToolStepContext<E>, run: Run): Effect.Effect<StepOutcome, E> =>
  Effect.gen(function*() {
    const turn = run.turn
    if (turn === null) return outcomeOf(resulted([], []), [])
    const now = yield* Clock.currentTimeMillis
    const plans = planTurn(context, turn, now)
    const [runnable, dispatches] = Arrays.partition(
      plans.filter((plan) => plan._tag === "Runnable"),
      ({ call }) => isDispatch(call)
    )
    const sent = yield* sendOut(context, run, dispatches.map(({ call }) => call))
    const outside = runnable.filter((plan) => plan.outside).map((plan) => plan.call.id)
    if (outside.length > 0) {
      yield* context.record({ step: { kind: "started", calls: outside }, event: null, sleepUntil: null })
    }
    const settled = [
      ...plans.flatMap((plan) =>
        plan._tag === "Settled" ? [{ message: messageOf(plan.call, plan.content), millis: 0 }] : []
      ),
      ...sent.refused.map(({ call, content }) => ({ message: messageOf(call, content), millis: 0 }))
    ]
    const sleeping = plans.flatMap((plan) => (plan._tag === "Sleeping" ? [plan.deferral] : []))
    return yield* awaited(context, sent.out, yield* runAll(context, runnable, settled, sleeping))
  })

const planTurn = <E>(context: ToolStepContext<E>, turn: Turn, now: number): ReadonlyArray<Plan> => {
  const allowed = new Set(turn.calls.slice(0, context.settings.maxParallelToolCalls).map((call) => call.id))
  return openCalls(turn).map((call): Plan => {
    if (!allowed.has(call.id)) {
      return { _tag: "Settled", call, content: skipped(context.settings.maxParallelToolCalls) }
    }
    const deferral = turn.deferred.get(call.id)
    if (deferral !== undefined) {
      return deferral.until <= now
        ? { _tag: "Settled", call, content: deferral.message.content }
        : { _tag: "Sleeping", call, deferral }
    }
    if (turn.dispatched.has(call.id)) return { _tag: "Awaiting", call }
    const outside = context.toolbox.effectOf(call) === "outside"
    return outside && turn.started.has(call.id)
      ? { _tag: "Settled", call, content: uncertain(call.name) }
      : { _tag: "Runnable", call, outside }
  })
}

const skipped = (limit: number): string =>
  `Error: skipped because of too many simultaneous requests: at most ${limit} tool calls run in one turn. `
  + "Call it again in a later turn if it is still needed."

const uncertain = (name: string): string =>
  `Error: uncertain. The service stopped while ${name} was running, so it may or may not have taken effect. `
  + "It was not run again. Check the outcome before you decide whether to repeat it."

/** Runs the calls and journals, as they come, the results of those that reach outside. */
const runAll = <E>(
  context: ToolStepContext<E>,
  runnable: ReadonlyArray<Plan & { readonly _tag: "Runnable" }>,
  settled: Resulted["results"],
  sleeping: ReadonlyArray<Deferral>
) =>
  Effect.suspend(() => {
    const [only, ...others] = runnable
    return only === undefined || others.length > 0
      ? runSeveral(context, runnable, settled, sleeping)
      : Effect.map(
        callTool(context, only.call, only.outside),
        (finished) => outcomeOf(resulted(settled, [finished]), sleeping)
      )
  })

const runSeveral = <E>(
  context: ToolStepContext<E>,
  runnable: ReadonlyArray<Plan & { readonly _tag: "Runnable" }>,
  settled: Resulted["results"],
  sleeping: ReadonlyArray<Deferral>
) =>
  Effect.gen(function*() {
    const finished = yield* Queue.unbounded<Finished>()
    yield* Effect.forEach(
      runnable,
      ({ call, outside }) => Effect.flatMap(callTool(context, call, outside), (result) => finished.offer(result)),
      { concurrency: "unbounded", discard: true }
    ).pipe(Effect.forkScoped)
    let left = runnable.length
    let gathered: Array<Finished> = []
    let asleep = sleeping
    while (left > 0) {
      const batch = yield* Queue.takeBetween(finished, 1, left)
      left -= batch.length
      gathered.push(...batch)
      if (left > 0 && gathered.some((result) => result.outside)) {
        const questions = gathered.filter(isQuestion)
        const step = resulted([], gathered.filter((result) => !isQuestion(result)))
        // However late an answer of these comes: while a call still runs the task stays due.
        yield* context.record({ step, event: null, sleepUntil: null })
        asleep = [...asleep, ...step.deferred ?? []]
        // A question ends the step, so it comes last.
        gathered = questions
      }
    }
    const place = new Map(runnable.map(({ call }, index) => [call.id, index]))
    gathered.sort((one, other) => (place.get(one.call.id) ?? 0) - (place.get(other.call.id) ?? 0))
    return outcomeOf(resulted(settled, gathered), asleep)
  }).pipe(Effect.scoped)

const isQuestion = ({ outcome }: Finished): boolean => outcome._tag === "Asked"

/** Of several questions in one turn the first is put; the others stay open and come up again after its answer. */
const resulted = (settled: Resulted["results"], finished: ReadonlyArray<Finished>): Resulted => {
  const results = [...settled]
  const attach: Array<string> = []
  const deferred: Array<Deferral> = []
  const notices: Array<string> = []
  const images: Array<NonNullable<Resulted["images"]>[number]> = []
  let asked: Resulted["asked"] = undefined
  for (const { call, millis, outcome } of finished) {
    const message = messageOf(call, outcome.content)
    if (outcome._tag === "Dispatched") continue
    if (outcome._tag === "Asked") {
      asked ??= { id: call.id, question: outcome.content }
    } else if (outcome._tag === "Deferred") {
      deferred.push({ id: call.id, until: outcome.until, message })
    } else {
      results.push({ message, millis })
      attach.push(...outcome.attach ?? [])
      if (outcome.notice !== undefined) notices.push(outcome.notice)
      images.push(...(outcome.images ?? []).map((image) => ({ id: call.id, image })))
    }
  }
  return {
    kind: "results",
    results,
    ...(attach.length === 0 ? {} : { attach }),
    ...(images.length === 0 ? {} : { images }),
    ...(deferred.length === 0 ? {} : { deferred }),
    ...(asked === undefined ? {} : { asked }),
    ...(notices.length === 0 ? {} : { notices })
  }
}

/** The end of the tool step: the task waits for a human, or sleeps until the last answer of the turn is due. */
const outcomeOf = (step: Resulted, sleeping: ReadonlyArray<Deferral>): StepOutcome => {
  if (step.asked !== undefined) {
    const { id, question } = step.asked
    return { step, event: { _tag: "AskedHuman", question, toolCallId: id }, sleepUntil: null }
  }
  const asleep = [...sleeping, ...step.deferred ?? []]
  return {
    step,
    event: null,
    sleepUntil: asleep.length === 0 ? null : Math.max(...asleep.map((deferral) => deferral.until))
  }
}
