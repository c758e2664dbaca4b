import type { ToolCall } from "@troupe/domain/Message"
import { awaitedSubtasks, openCalls, type Run, type Turn } from "@troupe/domain/Run"
import { isOutside } from "@troupe/domain/SeenContext"
import { type FileVersion, mergedShown } from "@troupe/domain/Shown"
import type { Deferral, Resulted } from "@troupe/domain/Step"
import { Array as Arrays, Effect, Queue } from "effect"
import { emptyDigest } from "../Tool/FileOrigin.ts"
import { type StepOutcome, withEvent, withoutEvent } from "./AgentDependencies.ts"
import { collectOrPark, dispatchSubtasks, isDispatch } from "./SubagentDispatch.ts"
import { callTool, type Finished, type Result, toolResultOf, type ToolStepContext } from "./ToolCalls.ts"

type Plan =
  | { readonly _tag: "Settled"; readonly result: Result }
  | { readonly _tag: "Sleeping"; readonly deferral: Deferral }
  | {
    readonly _tag: "Runnable"
    readonly call: ToolCall
    readonly outside: boolean
    readonly approval: string | undefined
  }

type Runnable = Plan & { readonly _tag: "Runnable" }

/**
 * Runs the open calls of a turn at the same time. Calls with external effects are journalled before they begin and as
 * soon as they end. Subtasks are dispatched first, and awaited when all other calls are settled.
 */
export const toolStep = <E>(context: ToolStepContext<E>, run: Run, turn: Turn): Effect.Effect<StepOutcome, E> =>
  Effect.clockWith((clock) => {
    const plans = planTurn(context, turn, clock.unsafeCurrentTimeMillis())
    const [only] = plans
    return plans.length === 1 && only?._tag === "Runnable" && !only.outside && !isDispatch(only.call)
        && awaitedSubtasks(run).length === 0
      ? Effect.map(calling(context, run, only), (finished) => awake(turn, outcomeOf(run, [], [finished], [])))
      : wholeTurn(context, run, turn, plans)
  })

const wholeTurn = <E>(
  context: ToolStepContext<E>,
  run: Run,
  turn: Turn,
  plans: ReadonlyArray<Plan>
): Effect.Effect<StepOutcome, E> =>
  Effect.gen(function*() {
    const [runnable, dispatches] = Arrays.partition(
      plans.filter((plan) => plan._tag === "Runnable"),
      ({ call }) => isDispatch(call)
    )
    const { dispatched, refused } = dispatches.length === 0
      ? { dispatched: awaitedSubtasks(run), refused: [] }
      : yield* dispatchSubtasks(context, run, dispatches.map(({ call }) => call))
    const outside = runnable.filter((plan) => plan.outside).map((plan) => plan.call.id)
    if (outside.length > 0) {
      yield* context.record(withoutEvent({ kind: "started", calls: outside }))
    }
    const settled = [...plans.flatMap((plan) => (plan._tag === "Settled" ? [plan.result] : [])), ...refused]
    const sleeping = plans.flatMap((plan) => (plan._tag === "Sleeping" ? [plan.deferral] : []))
    const outcome = awake(turn, yield* runAll(context, run, runnable, settled, sleeping))
    return dispatched.length === 0 ? outcome : yield* collectOrPark(context, dispatched, outcome)
  })

const awake = (turn: Turn, outcome: StepOutcome): StepOutcome =>
  isAddressed(turn) ? { ...outcome, sleepUntil: null } : outcome

/** The open calls, except those whose subtasks were dispatched already. */
const planTurn = <E>(context: ToolStepContext<E>, turn: Turn, now: number): ReadonlyArray<Plan> => {
  const allowed = new Set(turn.calls.slice(0, context.settings.maxParallelToolCalls).map((call) => call.id))
  return openCalls(turn).filter(({ id }) => !turn.dispatched.has(id)).map((call): Plan => {
    const settled = (content: string): Plan => ({ _tag: "Settled", result: toolResultOf(call, content) })
    if (!allowed.has(call.id)) return settled(skipped(context.settings.maxParallelToolCalls))
    const deferral = turn.deferred.get(call.id)
    if (deferral !== undefined) {
      if (deferral.until <= now) return settled(deferral.message.content)
      return isAddressed(turn) ? settled(cutShort) : { _tag: "Sleeping", deferral }
    }
    const outside = context.toolbox.effectOf(call) === "outside"
    return outside && turn.started.has(call.id)
      ? settled(uncertain(call.name))
      : { _tag: "Runnable", call, outside, approval: approvalOf(turn, call) }
  })
}

/** What a person has approved of the call: the digest in the question that was asked for it. */
const approvalOf = ({ approved, questions }: Turn, { id }: ToolCall): string | undefined =>
  approved?.has(id) === true ? questions?.get(id)?.digest : undefined

/** A message of the user ends the waits of the turn. */
const isAddressed = ({ said = [] }: Turn): boolean => said.length > 0

const cutShort = "The wait was cut short by a message of the user, which follows. Wait again if it is still needed."

const skipped = (limit: number): string =>
  `Error: skipped because of too many simultaneous requests: at most ${limit} tool calls run in one turn. `
  + "Call it again in a later turn if it is still needed."

const uncertain = (name: string): string =>
  `Error: uncertain. The service stopped while ${name} was running, so it may or may not have taken effect. `
  + "It was not run again. Check the outcome before you decide whether to repeat it."

const runAll = <E>(
  context: ToolStepContext<E>,
  run: Run,
  runnable: ReadonlyArray<Runnable>,
  settled: Resulted["results"],
  sleeping: ReadonlyArray<Deferral>
): Effect.Effect<StepOutcome, E> => {
  const [only, another] = runnable
  if (only === undefined) return Effect.succeed(outcomeOf(run, settled, [], sleeping))
  return another === undefined
    ? Effect.map(calling(context, run, only), (result) => outcomeOf(run, settled, [result], sleeping))
    : together(context, run, runnable, settled, sleeping)
}

const calling = <E>(
  context: ToolStepContext<E>,
  { seen }: Run,
  { approval, call, outside }: Runnable
): Effect.Effect<Finished> => callTool(context, call, seen, outside, approval)

const together = <E>(
  context: ToolStepContext<E>,
  run: Run,
  runnable: ReadonlyArray<Runnable>,
  settled: Resulted["results"],
  sleeping: ReadonlyArray<Deferral>
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
    let asleep = sleeping
    while (left > 0) {
      const batch = yield* Queue.takeBetween(finished, 1, left)
      left -= batch.length
      gathered.push(...batch)
      if (left > 0 && gathered.some((result) => result.outside)) {
        const questions = gathered.filter(isQuestion)
        const answered = gathered.filter((result) => !isQuestion(result))
        const step = resulted(run, [], answered)
        // The task must not sleep for a deferred result while another call runs.
        yield* context.record({ ...withoutEvent(step), ...outgoingOf(answered) })
        asleep = [...asleep, ...step.deferred ?? []]
        // A question ends the step, so it comes last.
        gathered = questions
      }
    }
    const place = new Map(runnable.map(({ call }, index) => [call.id, index]))
    gathered.sort((one, other) => (place.get(one.call.id) ?? 0) - (place.get(other.call.id) ?? 0))
    return outcomeOf(run, settled, gathered, asleep)
  }).pipe(Effect.scoped)

const isQuestion = ({ outcome }: Finished): boolean => outcome._tag === "Asked"

/** Of several questions in one turn the first is asked; the others stay open and follow after its answer. */
const resulted = (run: Run, settled: Resulted["results"], finished: ReadonlyArray<Finished>): Resulted => {
  const results = [...settled]
  const attach: Array<string> = []
  const deferred: Array<Deferral> = []
  const notices: Array<string> = []
  const images: Array<NonNullable<Resulted["images"]>[number]> = []
  const written: Array<FileVersion> = []
  let asked: Resulted["asked"] = undefined
  for (const { call, millis, outcome } of finished) {
    const result = toolResultOf(call, outcome.content, millis)
    if (outcome._tag === "Dispatched") continue
    if (outcome._tag === "Asked") {
      asked ??= {
        id: call.id,
        question: outcome.content,
        ...(outcome.choices === undefined ? {} : { choices: outcome.choices }),
        ...(outcome.digest === undefined ? {} : { digest: outcome.digest })
      }
    } else if (outcome._tag === "Deferred") {
      deferred.push({ id: call.id, until: outcome.until, message: result.message })
    } else {
      results.push(result)
      attach.push(...outcome.attach ?? [])
      if (outcome.writes !== undefined) written.push(...ownVersion(run, outcome.writes))
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
    ...(notices.length === 0 ? {} : { notices }),
    ...(isOutside(run.seen) && run.seen.privateSince !== null ? {} : shownOf(finished)),
    ...(written.length === 0 || isOutside(run.seen) ? {} : { written })
  }
}

const shownOf = (finished: ReadonlyArray<Finished>): Pick<Resulted, "shown"> => {
  const shown = mergedShown(finished.map((one) => one.shown))
  return Object.keys(shown).length === 0 ? {} : { shown }
}

/** A file to which the task added something is its own only if it was before. */
const ownVersion = (
  { seen }: Run,
  { after, digest, path }: FileVersion & { readonly after?: string }
): ReadonlyArray<FileVersion> =>
  after === undefined || after === emptyDigest || seen.written.get(path) === after ? [{ path, digest }] : []

const outgoingOf = (finished: ReadonlyArray<Finished>): Pick<StepOutcome, "outgoing"> => {
  const outgoing = finished.flatMap(({ outcome }) => outcome._tag === "Answered" ? outcome.outgoing ?? [] : [])
  return outgoing.length === 0 ? {} : { outgoing }
}

const outcomeOf = (
  run: Run,
  settled: Resulted["results"],
  finished: ReadonlyArray<Finished>,
  sleeping: ReadonlyArray<Deferral>
): StepOutcome => {
  const step = resulted(run, settled, finished)
  const outgoing = outgoingOf(finished)
  if (step.asked !== undefined) {
    const { id, question } = step.asked
    return { ...withEvent(step, { _tag: "AskedHuman", question, toolCallId: id }), ...outgoing }
  }
  const asleep = [...sleeping, ...step.deferred ?? []]
  return {
    step,
    event: null,
    sleepUntil: asleep.length === 0 ? null : Math.max(...asleep.map((deferral) => deferral.until)),
    ...outgoing
  }
}
