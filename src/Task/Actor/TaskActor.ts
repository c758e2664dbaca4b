import * as Sharding from "@effect/cluster/Sharding"
import { SqlError } from "@effect/sql/SqlError"
import {
  Cause,
  Clock,
  Context,
  DefaultServices,
  Duration,
  Effect,
  Exit,
  Fiber,
  FiberRef,
  HashMap,
  Layer,
  Option,
  Scope,
  type Tracer
} from "effect"
import { AgentLoop } from "../../Agent/AgentLoop.ts"
import { CallTimeLeft } from "../../Runtime/CallTimeLeft.ts"
import { endWithin, inSpan } from "../../Runtime/HotPath.ts"
import type { PreparedStatements } from "../../Runtime/PreparedStatements.ts"
import { isUnavailable } from "../../Runtime/Sql.ts"
import type { Claim } from "../Claim/Claims.ts"
import { Shards } from "../Claim/Shards.ts"
import { makeInbox } from "../Inbox.ts"
import { Journal } from "../Journal.ts"
import { makeSubtasks } from "../Subtasks.ts"
import { type ActorSettings, ActorState, type WriteFailure } from "./ActorState.ts"
import { Draining } from "./Draining.ts"
import { type RunEnd, TaskEntity } from "./TaskEntity.ts"
import { makeTextHub } from "./TextHub.ts"

interface Running {
  readonly epoch: number
  readonly fiber: Fiber.RuntimeFiber<RunEnd>
}

/**
 * The entities of tasks; one is removed once it neither runs nor is watched. `Wake` runs the loop until the task waits,
 * finishes or is released; a second run is released at once. A crash is journalled, and so is a step over its time limit.
 */
export const layer = (settings: ActorSettings): Layer.Layer<
  never,
  never,
  Sharding.Sharding | AgentLoop | Draining | Journal | PreparedStatements | Shards
> =>
  Layer.scopedDiscard(Effect.gen(function*() {
    const { registerEntity } = yield* Sharding.Sharding
    const agentLoop = yield* AgentLoop
    const draining = yield* Draining
    const shards = yield* Shards
    const subtasks = yield* makeSubtasks
    const clock = yield* Effect.clock
    const services = { journal: yield* Journal, inbox: yield* makeInbox, shards }

    const limitOf = ({ type }: Claim) => settings.stepTimeout[type === "subtask" ? "subagent" : "parent"]

    const build = Effect.sync(() => {
      const hub = makeTextHub()
      let running: Running | null = null
      let stepStartedAt = 0

      const loop = (claim: Claim, state: ActorState): Effect.Effect<RunEnd, WriteFailure> => {
        const mayContinue = Effect.sync(() => {
          stepStartedAt = clock.unsafeCurrentTimeMillis()
          return !draining.isDraining() && shards.owns(claim.taskId)
        })
        // A model call fails with the provider's reason before its step runs out of time.
        const callMillis = Duration.toMillis(limitOf(claim)) * 0.85
        const timeLeft = () => stepStartedAt + callMillis - clock.unsafeCurrentTimeMillis()
        const steps: Effect.Effect<void, WriteFailure> = Effect.suspend(() => {
          state.isReopened = false
          if (state.isSettled) return Effect.void
          const ports = { record: state.record, mayContinue, onText: hub.publisher, subtasks }
          return Effect.flatMap(
            agentLoop.run(state.task, state.run, ports),
            () => state.isReopened ? steps : Effect.void
          )
        })
        return FiberRef.update(FiberRef.currentContext, Context.add(CallTimeLeft, timeLeft)).pipe(
          Effect.zipRight(state.restore),
          Effect.zipRight(steps),
          Effect.catchAllCause((cause) => supervise(state, cause)),
          Effect.map(() => state.isSettled ? "settled" : "released")
        )
      }

      const run = (claim: Claim): Effect.Effect<RunEnd> => {
        const limit = limitOf(claim)
        const state = new ActorState(claim, settings, services)
        const time = databaseClock(clock, claim.now)
        const work = withRunSpan(claim, clock, unlessWritable(loop(claim, state)))
        const crashed = unlessWritable(Effect.as(state.crashed(overdue(limit)), "settled" as const))
        const millisLeft = () => stepStartedAt + Duration.toMillis(limit) - clock.unsafeCurrentTimeMillis()
        stepStartedAt = clock.unsafeCurrentTimeMillis()
        return Effect.flatMap(Effect.fork(Effect.zipRight(setFacts(claim, time), work)), (fiber) => {
          running = { epoch: claim.epoch, fiber }
          return Effect.flatMap(endWithin(fiber, millisLeft), ({ exit, isOverdue }) => {
            if (Exit.isSuccess(exit)) return exit
            return isOverdue
              ? crashed.pipe(Effect.withClock(time), Effect.annotateLogs(idsOf(claim)))
              : Effect.succeed("released" as const)
          })
        })
      }

      return TaskEntity.of({
        Wake: ({ payload }) =>
          Effect.suspend(() =>
            running !== null ? Effect.succeed("released" as const) : Effect.ensuring(
              run(payload),
              Effect.sync(() => {
                running = null
              })
            )
          ),
        // Interrupts the model and tool calls of this claim's run, which writes nothing more.
        Interrupt: ({ payload }) =>
          Effect.suspend(() => running?.epoch === payload.epoch ? Fiber.interruptFork(running.fiber) : Effect.void),
        Watch: () => hub.text
      })
    })
    // Not `TaskEntity.toLayer`: each entity would keep copies of all services of the process.
    const own = Context.make(Scope.Scope, yield* Effect.scope)
    const register: Effect.Effect<void> = Effect.mapInputContext(registerEntity(TaskEntity, build, options), () => own)
    yield* register
  }))

const options = {
  // A loop lasts as long as its task has something to do, and a watch as long as its watcher.
  concurrency: "unbounded",
  mailboxCapacity: "unbounded",
  // Removed by the reaper's next round, five seconds later at most: an idle entity takes memory for nothing.
  maxIdleTime: 0,
  // The actor journals its crashes itself.
  disableFatalDefects: true
} as const

/** Sets the clock and the log's annotations of a fiber for good, which costs less than to set them back at its end. */
const setFacts = (claim: Claim, time: Clock.Clock): Effect.Effect<void> =>
  Effect.zipRight(
    FiberRef.update(DefaultServices.currentServices, Context.add(Clock.Clock, time)),
    FiberRef.set(FiberRef.currentLogAnnotations, HashMap.fromIterable(Object.entries(idsOf(claim))))
  )

const withRunSpan = (claim: Claim, clock: Clock.Clock, work: Effect.Effect<RunEnd>): Effect.Effect<RunEnd> =>
  inSpan(
    "task run",
    { root: true, attributes: { task_type: claim.type, ...idsOf(claim) } },
    (span) =>
      span === null ? work : Effect.zipRight(
        span.sampled ? recordClaim(span, claim, clock) : Effect.void,
        Effect.tap(Effect.annotateSpans(work, idsOf(claim)), (end) => span.attribute("end", end))
      )
  )

const idsOf = ({ epoch, taskId }: Claim) => ({ task_id: taskId, epoch })

/** The claim's own span, made afterwards: it ended before the run began. */
const recordClaim = (run: Tracer.Span, { epoch, taskId, time }: Claim, clock: Clock.Clock): Effect.Effect<void> =>
  Effect.all([Effect.tracer, Effect.clock]).pipe(Effect.map(([tracer, runClock]) => {
    if (time === null) return
    const ahead = runClock.unsafeCurrentTimeNanos() - clock.unsafeCurrentTimeNanos()
    const span = tracer.span("claim", Option.some(run), Context.empty(), [], time.from + ahead, "internal")
    span.attribute("task_id", taskId)
    span.attribute("epoch", epoch)
    span.end(time.to + ahead, Exit.void)
  }))

/**
 * Let it crash: a defect is journalled and the task retried. A failure to write, or an unavailable database, ends the
 * run.
 */
const supervise = (state: ActorState, cause: Cause.Cause<WriteFailure>): Effect.Effect<unknown, WriteFailure> => {
  const failure = Cause.failureOption(cause)
  if (failure._tag === "Some") {
    return failure.value._tag === "JournalFailed" && failure.value.isRefusal
      ? state.crashed("the database refused the step")
      : Effect.failCause(cause)
  }
  if (Cause.isInterruptedOnly(cause)) return Effect.failCause(cause)
  const defect = Cause.squash(cause)
  if (defect instanceof SqlError && isUnavailable(defect)) {
    return Effect.logWarning("Database unavailable; task will be retried", cause)
  }
  // The defect may hold internals: it is for the log alone.
  return Effect.zipRight(
    Effect.logError("Task crashed at a step", cause),
    state.crashed("an unexpected error occurred (see the worker's log)")
  )
}

const overdue = (limit: Duration.Duration): string =>
  `the step exceeded its time limit of ${Duration.format(limit)} (AGENT_STEP_TIMEOUT, SUBAGENT_STEP_TIMEOUT)`

/** How a run ends that could not write: fenced for good, or released so that the task is retried. */
const unlessWritable = (run: Effect.Effect<RunEnd, WriteFailure>): Effect.Effect<RunEnd> =>
  Effect.catchTags(run, {
    Fenced: () => Effect.succeed<RunEnd>("fenced"),
    JournalFailed: ({ cause }) =>
      Effect.as(Effect.logWarning("Journal write failed; task will be retried", cause), "released" as const)
  })

/** Shows the database's time: the journal's times outlive a runner, and runners' clocks differ. */
export const databaseClock = (own: Clock.Clock, now: number): Clock.Clock => {
  const ahead = now - own.unsafeCurrentTimeMillis()
  const millis = () => own.unsafeCurrentTimeMillis() + ahead
  const nanos = () => own.unsafeCurrentTimeNanos() + BigInt(Math.round(ahead)) * 1_000_000n
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: millis,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanos: Effect.sync(nanos),
    sleep: (duration) => own.sleep(duration)
  }
}
