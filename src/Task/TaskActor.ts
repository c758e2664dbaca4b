import { Cause, Clock, Context, Duration, Effect, Exit, Fiber, Layer, PubSub, Schedule, Stream } from "effect"
import { AgentLoop } from "../Agent/AgentLoop.ts"
import { type Attempt, type AttemptSettings, restore } from "./Attempt.ts"
import type { Claim } from "./Claims.ts"
import { Draining } from "./Draining.ts"
import { Inbox } from "./Inbox.ts"
import { type Fenced, Journal, type JournalFailed } from "./Journal.ts"
import { Shards } from "./Shards.ts"
import type { ActorStatus, RunEnd } from "./TaskEntity.ts"

/** What one task's actor does. */
export interface TaskActor {
  /** The loop, from the journal's last step until the task waits, ends or is let go. A second one is not begun. */
  readonly wake: (claim: Claim) => Effect.Effect<RunEnd>
  /** Ends the loop in the middle of its step: model and tool calls are called off, and nothing more is written. */
  readonly interrupt: Effect.Effect<void>
  readonly status: Effect.Effect<ActorStatus>
  /** The model's text as it comes. While nobody listens the model is not even asked to stream. */
  readonly watch: Stream.Stream<string>
}

export interface ActorSettings extends AttemptSettings {
  /** How long one step may take (service.md, "Parent agent versus subagent"). */
  readonly stepTimeout: { readonly parent: Duration.Duration; readonly subagent: Duration.Duration }
}

/** A loop at work. */
interface Running {
  readonly claim: Claim
  readonly fiber: Fiber.RuntimeFiber<RunEnd>
}

/** The step in hand: when it began, and whether it was called off for taking too long. */
interface StepClock {
  attempt: Attempt | null
  startedAt: number
  overdue: boolean
}

/** Makes the actors of this runner, and calls off steps that run over their time. */
export class TaskActors extends Context.Tag("troupe/Task/TaskActor/TaskActors")<TaskActors, {
  readonly make: Effect.Effect<TaskActor>
}>() {
  static readonly layer = (
    settings: ActorSettings
  ): Layer.Layer<TaskActors, never, AgentLoop | Journal | Inbox | Shards | Draining> =>
    Layer.scoped(
      this,
      Effect.gen(function*() {
        const loop = yield* AgentLoop
        const journal = yield* Journal
        const inbox = yield* Inbox
        const shards = yield* Shards
        const draining = yield* Draining
        const clocks = new Map<StepClock, Running>()
        const limitOf = ({ type }: Claim) => settings.stepTimeout[type === "subtask" ? "subagent" : "parent"]

        // One look a second at all steps, instead of two fibers and a timer for each.
        yield* Clock.currentTimeMillis.pipe(
          Effect.flatMap((now) =>
            Effect.forEach(clocks, ([step, { claim, fiber }]) => {
              if (step.overdue || now - step.startedAt <= Duration.toMillis(limitOf(claim))) return Effect.void
              step.overdue = true
              return Fiber.interruptFork(fiber)
            }, { discard: true })
          ),
          Effect.repeat(Schedule.spaced("1 second")),
          Effect.forkScoped
        )

        const run = Effect.fnUntraced(function*(claim: Claim, step: StepClock, onText: Text) {
          const attempt = yield* restore(claim, settings, { journal, inbox })
          step.attempt = attempt
          if (!attempt.isSettled()) {
            const mayContinue = Effect.map(Clock.currentTimeMillis, (now) => {
              step.startedAt = now
              return !draining.isDraining() && shards.owns(claim.taskId)
            })
            yield* loop.run(attempt.task, attempt.run(), { record: attempt.record, mayContinue, onText }).pipe(
              Effect.catchAllCause((cause) => supervise(attempt, cause))
            )
          }
          return endOf(attempt)
        }, letGo)

        const make = Effect.sync((): TaskActor => {
          const text = makeText()
          let running: Running | null = null

          const begin = Effect.fnUntraced(function*(claim: Claim) {
            const step: StepClock = { attempt: null, startedAt: yield* Clock.currentTimeMillis, overdue: false }
            const fiber = yield* Effect.fork(run(claim, step, text.onText))
            running = { claim, fiber }
            clocks.set(step, running)
            const exit = yield* Fiber.await(fiber).pipe(
              Effect.onInterrupt(() => Fiber.interrupt(fiber)),
              Effect.ensuring(Effect.sync(() => {
                clocks.delete(step)
                running = null
              }))
            )
            if (Exit.isSuccess(exit)) return exit.value
            const { attempt } = step
            if (!step.overdue || attempt === null) return "handed_over"
            return yield* letGo(Effect.as(attempt.crashed(overdue(limitOf(claim))), "settled" as const))
          })

          return {
            wake: (claim) =>
              Effect.suspend(() => running === null ? begin(claim) : Effect.succeed<RunEnd>("handed_over")).pipe(
                Effect.annotateLogs({ task_id: claim.taskId, epoch: claim.epoch })
              ),
            interrupt: Effect.suspend(() => running === null ? Effect.void : Fiber.interrupt(running.fiber)),
            status: Effect.sync(() => ({ active: running !== null, epoch: running?.claim.epoch ?? null })),
            watch: text.watch
          }
        })
        return TaskActors.of({ make })
      })
    )
}

type Text = () => ((delta: string) => Effect.Effect<void>) | undefined

/** The model's text for whoever watches; nothing is kept, and nothing costs, while nobody does. */
const makeText = (): { readonly onText: Text; readonly watch: Stream.Stream<string> } => {
  let hub: PubSub.PubSub<string> | null = null
  let watchers = 0
  return {
    onText: () => {
      const open = hub
      return watchers === 0 || open === null ? undefined : (delta) => Effect.asVoid(PubSub.publish(open, delta))
    },
    watch: Stream.unwrapScoped(Effect.gen(function*() {
      const open = hub ?? (yield* PubSub.sliding<string>(256))
      hub = open
      watchers += 1
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          watchers -= 1
        })
      )
      return Stream.fromPubSub(open)
    }))
  }
}

const endOf = (attempt: Attempt): RunEnd => attempt.isSettled() ? "settled" : "handed_over"

/**
 * Let it crash: a defect in the loop is journalled and the task tried again later. An expected failure to write ends
 * the run, and an interruption is not ours to answer.
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
  return Effect.zipRight(
    Effect.logError("The actor crashed", cause),
    attempt.crashed(`an unexpected fault came up (${summary(Cause.squash(cause))})`)
  )
}

const summary = (defect: unknown): string =>
  (defect instanceof Error ? `${defect.name}: ${defect.message}` : String(defect)).slice(0, 200)

const overdue = (limit: Duration.Duration): string =>
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
