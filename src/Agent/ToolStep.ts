import { awaitedSubtasks, type Run, type Turn } from "@troupe/domain/Run"
import { openQuestion } from "@troupe/domain/ServerQuestion"
import { Array as Arrays, Effect, Queue, Struct } from "effect"
import { type StepOutcome, withEvent, withoutEvent } from "./AgentDependencies.ts"
import { judge, judgeAtOnce, type Judged } from "./CallDecisions.ts"
import { afterSignIn, asSubtask, isSignedIn } from "./SignInPause.ts"
import { type Beside, nothingElse, outgoingOf, resulted } from "./StepResults.ts"
import { collectOrPark, dispatchSubtasks, isDispatch } from "./SubagentDispatch.ts"
import { callTool, type Finished, type ToolStepContext } from "./ToolCalls.ts"
import { isAddressed, type Plan, planTurn } from "./TurnPlan.ts"

type Runnable = Judged & { readonly _tag: "Runs" } & { readonly outside: boolean }

/**
 * Decides about the open calls of a turn, and runs those that are allowed at the same time; those that ask are one question.
 * Calls with external effects are journalled before they begin and as soon as they end. Subtasks are dispatched first, and
 * awaited when all other calls are settled.
 */
export const toolStep = <E>(context: ToolStepContext<E>, run: Run, turn: Turn): Effect.Effect<StepOutcome, E> =>
  Effect.clockWith((clock) => {
    const plans = planTurn(context, turn, clock.unsafeCurrentTimeMillis())
    const [only] = plans
    if (plans.length === 1 && only?._tag === "Open" && !isDispatch(only.call) && awaitedSubtasks(run).length === 0) {
      const judged = judgeAtOnce(context, run, turn, only.call)
      if (
        judged?._tag === "Runs" && isSignedIn(context, judged.call)
        && context.toolbox.effectOf(judged.call) !== "outside"
      ) {
        return Effect.map(
          calling(context, run, { ...judged, outside: false }),
          (finished) =>
            asSubtask(
              context.task,
              turn,
              awake(turn, outcomeOf(context, run, nothingElse, [finished])),
              clock.unsafeCurrentTimeMillis()
            )
        )
      }
    }
    return Effect.map(
      wholeTurn(context, run, turn, plans),
      (outcome) => asSubtask(context.task, turn, outcome, clock.unsafeCurrentTimeMillis())
    )
  })

const wholeTurn = <E>(
  context: ToolStepContext<E>,
  run: Run,
  turn: Turn,
  plans: ReadonlyArray<Plan>
): Effect.Effect<StepOutcome, E> =>
  Effect.gen(function*() {
    const judged = yield* Effect.forEach(
      plans.flatMap((plan) => plan._tag === "Open" ? [plan.call] : []),
      (call) => {
        const atOnce = judgeAtOnce(context, run, turn, call)
        return Effect.flatMap(
          atOnce === undefined ? judge(context, run, turn, call) : Effect.succeed(atOnce),
          (one) => afterSignIn(context, one)
        )
      }
    )
    const runs = judged.flatMap((one): ReadonlyArray<Runnable> =>
      one._tag === "Runs"
        ? [{ ...one, outside: begins(run, one) && context.toolbox.effectOf(one.call) === "outside" }]
        : []
    )
    const [runnable, dispatches] = Arrays.partition(runs, ({ call }) => isDispatch(call))
    const { dispatched, refused } = dispatches.length === 0
      ? { dispatched: awaitedSubtasks(run), refused: [] }
      : yield* dispatchSubtasks(context, run, dispatches)
    const answered = judged.flatMap((one) => one._tag === "Answered" ? [one] : [])
    const beside: Beside = {
      settled: [
        ...plans.flatMap((plan) => (plan._tag === "Settled" ? [plan.result] : [])),
        ...answered.map(({ result }) => result),
        ...refused
      ],
      sleeping: plans.flatMap((plan) => (plan._tag === "Sleeping" ? [plan.deferral] : [])),
      asks: numbered(judged.flatMap((one) => one._tag === "Asks" ? [one] : [])),
      waits: judged.flatMap((one) => one._tag === "Waits" ? [one.signIn] : []),
      decided: [...answered, ...dispatches].flatMap(({ decided }) => decided ?? [])
    }
    const left = yield* inOrder(context, run, runnable)
    const outside = left.filter((plan) => plan.outside).map((plan) => plan.call.id)
    if (outside.length > 0) {
      yield* context.record(withoutEvent({ kind: "started", calls: outside }))
    }
    const outcome = awake(turn, yield* runAll(context, run, left, beside))
    return dispatched.length === 0 ? outcome : yield* collectOrPark(context, dispatched, outcome)
  })

/** The ids of approvals are in the order of the turn, although they are of the same millisecond. */
const numbered = (asks: Beside["asks"]): Beside["asks"] => {
  const ids = asks.map(({ asked }) => asked.approval).toSorted()
  return asks.map((one, at) => ({ ...one, asked: { ...one.asked, approval: ids[at] ?? one.asked.approval } }))
}

/** Runs all but the last of the approved calls one after the other, each journalled alone; yields the calls that are left. */
const inOrder = <E>(
  context: ToolStepContext<E>,
  run: Run,
  runnable: ReadonlyArray<Runnable>
): Effect.Effect<ReadonlyArray<Runnable>, E> =>
  Effect.gen(function*() {
    const approved = runnable.filter(({ isApproved }) => isApproved === true)
    const first = approved.slice(0, -1)
    for (const plan of first) {
      if (plan.outside) yield* context.record(withoutEvent({ kind: "started", calls: [plan.call.id] }))
      const finished = yield* calling(context, run, plan)
      // The question of its server, or the sign-in, follows when the others have run.
      const step = Struct.omit(resulted(context, run, nothingElse, [finished]), "asked")
      yield* context.record({ ...withoutEvent(step), ...outgoingOf([finished]) })
    }
    return runnable.filter((plan) => !first.includes(plan))
  })

const awake = (turn: Turn, outcome: StepOutcome): StepOutcome =>
  isAddressed(turn) ? { ...outcome, sleepUntil: null } : outcome

const runAll = <E>(
  context: ToolStepContext<E>,
  run: Run,
  runnable: ReadonlyArray<Runnable>,
  beside: Beside
): Effect.Effect<StepOutcome, E> => {
  const [only, another] = runnable
  if (only === undefined) return Effect.succeed(outcomeOf(context, run, beside, []))
  return another === undefined
    ? Effect.map(calling(context, run, only), (result) => outcomeOf(context, run, beside, [result]))
    : together(context, run, runnable, beside)
}

const calling = <E>(context: ToolStepContext<E>, { seen, turn }: Run, plan: Runnable): Effect.Effect<Finished> => {
  const input = turn?.inputs?.get(plan.call.id)
  if (input === undefined || openQuestion(input) === null) {
    return callTool(context, plan.call, seen, plan.outside, { ...plan, input })
  }
  const outcome = { _tag: "Requires", content: "", input } as const
  return Effect.succeed({ ...plan, outcome, millis: 0, outside: false, shown: undefined })
}

/** Not where a question of its server is still open: that is asked before the call is made again. */
const begins = ({ turn }: Run, { call }: Judged & { readonly _tag: "Runs" }): boolean => {
  const input = turn?.inputs?.get(call.id)
  return input === undefined || openQuestion(input) === null
}

const together = <E>(
  context: ToolStepContext<E>,
  run: Run,
  runnable: ReadonlyArray<Runnable>,
  beside: Beside
): Effect.Effect<StepOutcome, E> =>
  Effect.gen(function*() {
    const finished = yield* Queue.unbounded<Finished>()
    yield* Effect.forEach(
      runnable,
      (plan) => Effect.flatMap(calling(context, run, plan), (result) => finished.offer(result)),
      { concurrency: "unbounded", discard: true }
    ).pipe(Effect.forkScoped)
    let left = runnable.length
    let gathered: Array<Finished> = []
    let asleep = beside.sleeping
    while (left > 0) {
      const batch = yield* Queue.takeBetween(finished, 1, left)
      left -= batch.length
      gathered.push(...batch)
      if (left > 0 && gathered.some((result) => result.outside)) {
        const questions = gathered.filter(isQuestion)
        const answered = gathered.filter((result) => !isQuestion(result))
        const step = resulted(context, run, nothingElse, answered)
        // The task must not sleep for a deferred result while another call runs.
        yield* context.record({ ...withoutEvent(step), ...outgoingOf(answered) })
        asleep = [...asleep, ...step.deferred ?? []]
        // A question ends the step, so it comes last.
        gathered = questions
      }
    }
    const place = new Map(runnable.map(({ call }, index) => [call.id, index]))
    gathered.sort((one, other) => (place.get(one.call.id) ?? 0) - (place.get(other.call.id) ?? 0))
    return outcomeOf(context, run, { ...beside, sleeping: asleep }, gathered)
  }).pipe(Effect.scoped)

const isQuestion = ({ outcome }: Finished): boolean =>
  outcome._tag === "Asked" || outcome._tag === "Requires" || outcome._tag === "Unauthorized"

const outcomeOf = <E>(
  context: ToolStepContext<E>,
  run: Run,
  beside: Beside,
  finished: ReadonlyArray<Finished>
): StepOutcome => {
  const step = resulted(context, run, beside, finished)
  const outgoing = outgoingOf(finished)
  if (step.asked !== undefined) {
    const { id, question } = step.asked
    return { ...withEvent(step, { _tag: "AskedHuman", question, toolCallId: id }), ...outgoing }
  }
  const asleep = [...beside.sleeping, ...step.deferred ?? []]
  return {
    step,
    event: null,
    sleepUntil: asleep.length === 0 ? null : Math.max(...asleep.map((deferral) => deferral.until)),
    ...outgoing
  }
}
