import { SqlError } from "@effect/sql/SqlError"
import type { TaskId } from "@troupe/domain/Ids"
import { Cause, Context, Duration, Effect, Exit, Fiber, Layer, Schedule, type Stream } from "effect"
import { AgentLoop } from "../Agent/AgentLoop.ts"
import { isUnavailable } from "../Runtime/SqlFailure.ts"
import { type SpanOf, Tracing } from "../Runtime/Tracing.ts"
import { type Attempt, type AttemptSettings, makeAttempt } from "./Attempt.ts"
import type { Claim } from "./Claims.ts"
import { databaseClock } from "./DatabaseClock.ts"
import { Draining } from "./Draining.ts"
import { Inbox } from "./Inbox.ts"
import { type Fenced, Journal, type JournalFailed } from "./Journal.ts"
import { Shards } from "./Shards.ts"
import { Subtasks } from "./Subtasks.ts"
import { makeTextHubs } from "./TextHubs.ts"

/** How a run of the loop ended: the task waits or is over, it was let go for another run, or taken from the actor. */
export type RunEnd = "settled" | "handed_over" | "fenced"

export interface ActorSettings extends AttemptSettings {
  /** How long one step may take (service.md, "Parent agent versus subagent"). */
  readonly stepTimeout: { readonly parent: Duration.Duration; readonly subagent: Duration.Duration }
}

/** A task's actor at work: the loop, and the step in hand. */
interface Actor {
  readonly claim: Claim
  readonly attempt: Attempt
  fiber: Fiber.RuntimeFiber<RunEnd> | null
  stepStartedAt: number
  overdue: boolean
}

/**
 * The actors of this runner: one for each task that it has claimed, from the journal's last step until the task waits,
 * ends or is let go. An actor whose step runs over its time is called off and counts as crashed; one whose shard has
 * moved away is ended.
 */
export class TaskActors extends Context.Tag("troupe/Task/TaskActors")<TaskActors, {
  /**
   * The loop. While a task has an actor a second one is not begun. `onProgress` runs at each step with which the task
   * gets further.
   */
  readonly wake: (claim: Claim, onProgress?: () => void) => Effect.Effect<RunEnd>
  /** Ends the loop in the middle of its step: model and tool calls are called off, and nothing more is written. */
  readonly interrupt: (taskId: TaskId) => Effect.Effect<void>
  /** The epoch under which the task's actor writes, or null when it has none here. */
  readonly epochOf: (taskId: TaskId) => number | null
  /** The model's text as it comes. While nobody listens the model is not even asked to stream. */
  readonly watch: (taskId: TaskId) => Stream.Stream<string>
}>() {
  static readonly layer = (
    settings: ActorSettings
  ): Layer.Layer<TaskActors, never, AgentLoop | Journal | Inbox | Subtasks | Shards | Draining> =>
    Layer.scoped(
      this,
      Effect.gen(function*() {
        const loop = yield* AgentLoop
        const journal = yield* Journal
        const inbox = yield* Inbox
        const subtasks = yield* Subtasks
        const shards = yield* Shards
        const draining = yield* Draining
        const tracing = yield* Tracing
        const clock = yield* Effect.clock
        const actors = new Map<TaskId, Actor>()
        const texts = makeTextHubs()
        const limitOf = ({ type }: Claim) => settings.stepTimeout[type === "subtask" ? "subagent" : "parent"]

        // One look a second at all steps, instead of two fibers and a timer for each.
        yield* Effect.sync(() => clock.unsafeCurrentTimeMillis()).pipe(
          Effect.flatMap((now) =>
            Effect.forEach(actors.values(), (actor) => {
              actor.overdue ||= now - actor.stepStartedAt > Duration.toMillis(limitOf(actor.claim))
              return actor.overdue || !shards.owns(actor.claim.taskId) ? callOff(actor) : Effect.void
            }, { discard: true })
          ),
          Effect.repeat(Schedule.spaced("1 second")),
          Effect.forkScoped
        )

        const run = Effect.fnUntraced(function*(actor: Actor) {
          const { attempt, claim } = actor
          const mayContinue = Effect.sync(() => {
            actor.stepStartedAt = clock.unsafeCurrentTimeMillis()
            return !draining.isDraining() && shards.owns(claim.taskId)
          })
          const onText = () => texts.publisher(claim.taskId)
          const goOn = Effect.suspend(() =>
            attempt.isSettled()
              ? Effect.void
              : loop.run(attempt.task, attempt.run(), { record: attempt.record, mayContinue, onText, subtasks })
          )
          yield* Effect.zipRight(attempt.restore, goOn).pipe(
            Effect.catchAllCause((cause) => supervise(attempt, cause))
          )
          return attempt.isSettled() ? "settled" as const : "handed_over" as const
        }, letGo)

        const begin = Effect.fnUntraced(function*(claim: Claim, onProgress?: () => void) {
          const stepStartedAt = clock.unsafeCurrentTimeMillis()
          const byTheDatabase = Effect.withClock(databaseClock(clock, claim.now))
          const attempt = makeAttempt(claim, settings, { journal, inbox, shards }, onProgress)
          const actor: Actor = { claim, attempt, fiber: null, stepStartedAt, overdue: false }
          actors.set(claim.taskId, actor)
          const running = tracing.isOn ? tracing.traced(spanOf(claim), run(actor)) : run(actor)
          const fiber = yield* Effect.fork(byTheDatabase(running))
          actor.fiber = fiber
          const exit = yield* Fiber.await(fiber).pipe(Effect.onInterrupt(() => Fiber.interrupt(fiber)))
          if (Exit.isSuccess(exit)) return exit.value
          if (!actor.overdue) return "handed_over"
          return yield* byTheDatabase(
            letGo(Effect.as(attempt.crashed(overdueBy(limitOf(claim))), "settled" as const))
          )
        })

        return TaskActors.of({
          wake: (claim, onProgress) =>
            Effect.suspend(() =>
              actors.has(claim.taskId)
                ? Effect.succeed<RunEnd>("handed_over")
                : Effect.ensuring(begin(claim, onProgress), Effect.sync(() => actors.delete(claim.taskId)))
            ).pipe(Effect.annotateLogs({ task_id: claim.taskId, epoch: claim.epoch })),
          interrupt: (taskId) =>
            Effect.suspend(() => {
              const fiber = actors.get(taskId)?.fiber ?? null
              return fiber === null ? Effect.void : Fiber.interrupt(fiber)
            }),
          epochOf: (taskId) => actors.get(taskId)?.claim.epoch ?? null,
          watch: texts.watch
        })
      })
    )
}

const spanOf = ({ epoch, taskId, took, type }: Claim): SpanOf<RunEnd> => ({
  name: "task run",
  facts: { task_id: taskId, epoch, task_type: type },
  begins: took === null ? null : { name: "claim", ...took },
  ended: (end) => ({ facts: { end } })
})

const callOff = ({ fiber }: Actor): Effect.Effect<void> => fiber === null ? Effect.void : Fiber.interruptFork(fiber)

/**
 * Let it crash: a defect is journalled and the task tried again later, whether the loop or the journal that it begins
 * with brought it up. An expected failure to write ends the run, as does a database that is away, and an interruption
 * is not ours to answer.
 */
const supervise = (
  attempt: Attempt,
  cause: Cause.Cause<Fenced | JournalFailed>
): Effect.Effect<void, Fenced | JournalFailed> => {
  const refused = Cause.failureOption(cause)
  if (refused._tag === "Some") {
    return refused.value._tag === "JournalFailed" && refused.value.isRefusal
      ? attempt.crashed("the journal refused the step")
      : Effect.failCause(cause)
  }
  if (Cause.isInterruptedOnly(cause)) return Effect.failCause(cause)
  const defect = Cause.squash(cause)
  if (defect instanceof SqlError && isUnavailable(defect)) {
    return Effect.logWarning("The database is away; the task is tried again later", cause)
  }
  return Effect.zipRight(
    Effect.logError("The actor crashed", cause),
    // What came up may hold internals: it is for the log alone.
    attempt.crashed("an unexpected fault came up, which the log of its worker tells")
  )
}

const overdueBy = (limit: Duration.Duration): string =>
  `the step ran over its time limit of ${Duration.format(limit)} (AGENT_STEP_TIMEOUT, SUBAGENT_STEP_TIMEOUT)`

/** How a run ends that could not write: fenced out for good, or let go so that the task is tried again. */
const letGo = (run: Effect.Effect<RunEnd, Fenced | JournalFailed>): Effect.Effect<RunEnd> =>
  Effect.catchTags(run, {
    Fenced: () => Effect.succeed<RunEnd>("fenced"),
    JournalFailed: ({ cause }) =>
      Effect.as(
        Effect.logWarning("The journal took no step; the task is tried again later", cause),
        "handed_over" as const
      )
  })
