import { Cause, Context, Effect, Exit, Fiber, Layer, PubSub, Stream } from "effect"
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

/** Makes the actors of this runner. */
export class TaskActors extends Context.Tag("troupe/Task/TaskActor/TaskActors")<TaskActors, {
  readonly make: Effect.Effect<TaskActor>
}>() {
  static readonly layer = (
    settings: AttemptSettings
  ): Layer.Layer<TaskActors, never, AgentLoop | Journal | Inbox | Shards | Draining> =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const loop = yield* AgentLoop
        const journal = yield* Journal
        const inbox = yield* Inbox
        const shards = yield* Shards
        const draining = yield* Draining

        const make = Effect.gen(function*() {
          const text = yield* PubSub.sliding<string>(256)
          let watchers = 0
          let running: { readonly epoch: number; readonly fiber: Fiber.RuntimeFiber<RunEnd> } | null = null

          const run = Effect.fnUntraced(function*(claim: Claim) {
            const attempt = yield* restore(claim, settings, { journal, inbox })
            if (!attempt.isSettled()) {
              yield* loop.run(attempt.task, attempt.run(), {
                record: attempt.record,
                mayContinue: Effect.sync(() => !draining.isDraining() && shards.owns(claim.taskId)),
                onText: () => watchers === 0 ? undefined : (delta) => Effect.asVoid(PubSub.publish(text, delta))
              }).pipe(Effect.catchAllCause((cause) => supervise(attempt, cause)))
            }
            return attempt.isSettled() ? "settled" as const : "handed_over" as const
          }, Effect.catchTags({ Fenced: () => Effect.succeed("fenced" as const), JournalFailed: letGo }))

          const wake = (claim: Claim): Effect.Effect<RunEnd> =>
            Effect.suspend(() => {
              if (running !== null) return Effect.succeed<RunEnd>("handed_over")
              return Effect.flatMap(Effect.fork(run(claim)), (fiber) => {
                running = { epoch: claim.epoch, fiber }
                return Effect.map(Fiber.await(fiber), Exit.getOrElse((): RunEnd => "handed_over")).pipe(
                  Effect.onInterrupt(() => Fiber.interrupt(fiber)),
                  Effect.ensuring(Effect.sync(() => {
                    running = null
                  })),
                  Effect.annotateLogs({ task_id: claim.taskId, epoch: claim.epoch })
                )
              })
            })

          return {
            wake,
            interrupt: Effect.suspend(() => running === null ? Effect.void : Fiber.interrupt(running.fiber)),
            status: Effect.sync(() => ({ active: running !== null, epoch: running?.epoch ?? null })),
            watch: Stream.fromPubSub(text).pipe(
              Stream.onStart(Effect.sync(() => {
                watchers += 1
              })),
              Stream.ensuring(Effect.sync(() => {
                watchers -= 1
              }))
            )
          } satisfies TaskActor
        })
        return TaskActors.of({ make })
      })
    )
}

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

const letGo = (error: JournalFailed): Effect.Effect<RunEnd> =>
  Effect.as(Effect.logWarning("The journal took no step; the task is tried again later", error.cause), "handed_over")
