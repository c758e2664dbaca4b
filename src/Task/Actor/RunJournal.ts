import type { Interrupted } from "@troupe/domain/FaultStep"
import { limitsOf } from "@troupe/domain/Limits"
import { advance, replay } from "@troupe/domain/Replay"
import { dropSummarised, type Run } from "@troupe/domain/Run"
import { passedOn } from "@troupe/domain/SeenContext"
import type { Step } from "@troupe/domain/Step"
import { Array as Arrays, Clock, Duration, Effect, Random } from "effect"
import type { AgentTask, Recorded, StepOutcome } from "../../Agent/AgentDependencies.ts"
import type { ModelRetry } from "../../Model/ModelRetry.ts"
import type { ToolProgress } from "../../Tool/OnToolProgress.ts"
import { type Claim, isFirst } from "../Claim/Claims.ts"
import { requesterOf } from "../Journal/FirstMessage.ts"
import { answersTo, type Command, type Inbox, messagesIn, reopened } from "../Journal/Inbox.ts"
import type { Fenced, Journal, JournalFailed } from "../Journal/Journal.ts"
import { decide, endedDuringStep, failureReason, pauseAfter } from "../Row/ProcessDeaths.ts"
import type { Shards } from "../Row/Shards.ts"
import { actorsCrashed } from "../Row/TaskMetrics.ts"
import {
  type ActorSettings,
  type ActorState,
  claimedState,
  type NextStep,
  tooManyCrashes,
  wakeAfter,
  writeOf
} from "./ActorState.ts"
import { logEnd } from "./RunLog.ts"
import { type Note, RunNotes } from "./RunNotes.ts"
import { WritePermit } from "./WritePermit.ts"

export interface JournalServices {
  readonly settings: ActorSettings
  readonly journal: Journal["Type"]
  readonly inbox: Inbox
  readonly shards: Shards["Type"]
}

export type WriteFailure = Fenced | JournalFailed

/** Journals the steps of a run: the outcomes of its loop, the commands of its inbox, crashes and pauses. */
export class RunJournal {
  readonly task: AgentTask
  readonly #claim: Claim
  readonly #services: JournalServices
  readonly #progressed: () => void
  readonly #permit = new WritePermit<WriteFailure>()
  readonly #notes = new RunNotes()
  #state: ActorState

  /** `progressed`: the task got beyond the step during which its process had ended. */
  constructor(claim: Claim, services: JournalServices, progressed: () => void) {
    this.#claim = claim
    this.#services = services
    this.#progressed = progressed
    this.#state = claimedState(claim)
    this.task = {
      requester: requesterOf(claim, claim.audience.people.find(({ id }) => id === claim.creator)?.role),
      limits: limitsOf(claim.type, services.settings.limits, claim.maxIterations),
      ...claim
    }
  }

  get run(): Run {
    return this.#state.run
  }

  get isSettled(): boolean {
    return this.#state.isSettled
  }

  restore(): Effect.Effect<void, WriteFailure> {
    const claim = this.#claim
    // Before the journal is read: to read it may be what ends the process.
    const decision = decide(claim, this.#services.settings.maxCrashes)
    if (isFirst(claim) && claim.inboxSent === 0 && decision === "run") return Effect.void
    return Effect.gen(this, function*() {
      if (decision === "fail") return void (yield* this.#fail(failureReason(claim, claim.now)))
      if (decision === "pause") return void (yield* this.#pause())
      if (!isFirst(claim)) {
        const steps = yield* this.#services.journal.read(claim.taskId, 0)
        this.#change({ run: dropSummarised(replay(this.run, steps.map(({ step }) => step))), isRestored: true })
      }
      const commands = claim.inboxSent === 0 ? [] : yield* this.#takeMessages()
      this.#change({ commandsRead: commands.map(({ key }) => key) })
      const step = answersTo(this.run, commands)
      if (step !== null) yield* this.#append({ step })
    })
  }

  /** Journals the messages in the inbox, and answers the other commands. */
  #takeMessages(): Effect.Effect<ReadonlyArray<Command>, WriteFailure> {
    return Effect.flatMap(this.#commands(), ([others, messages]) => Effect.as(this.#addMessages(messages), others))
  }

  #commands(): Effect.Effect<readonly [others: ReadonlyArray<Command>, messages: ReadonlyArray<Command>]> {
    return Effect.suspend(() => {
      this.#change({ inboxSeen: this.#state.inboxSent })
      return Effect.map(
        this.#services.inbox.read(this.#claim.taskId),
        Arrays.partition(({ body }) => body.kind === "steered")
      )
    })
  }

  #addMessages(messages: ReadonlyArray<Command>): Effect.Effect<unknown, WriteFailure> {
    if (messages.length === 0) return Effect.void
    this.#change({ commandsRead: messages.map(({ key }) => key) })
    return this.#append({ step: messagesIn(messages) })
  }

  readonly record = (outcome: StepOutcome): Effect.Effect<Recorded, WriteFailure> =>
    Effect.clockWith((clock) => {
      const { collects, dispatch, event, outgoing, step } = outcome
      const wake = wakeAfter(outcome, clock.unsafeCurrentTimeMillis())
      const { shards } = this.#services
      const write = this.#append({
        step,
        event,
        wake,
        attempts: wake._tag === "Keep" ? 1 : 0,
        collects,
        outgoing,
        subtasks: dispatch?.map((subtask) => ({
          ...subtask,
          shard: shards.of(subtask.id),
          shown: passedOn(this.run.seen)
        }))
      })
      return Effect.flatMap(write, (isWritten) => isWritten ? this.#recorded() : this.#reopen(step, write))
    })

  /** The run after a step. Within a turn no message is read: the model is called after it. */
  #recorded(): Effect.Effect<Recorded, WriteFailure> {
    const { inboxSeen, inboxSent, isSettled, run } = this.#state
    return run.turn === null && !isSettled && inboxSent > inboxSeen
      ? Effect.map(this.#takeMessages(), () => ({ run: this.run, isReopened: false }))
      : Effect.succeed({ run, isReopened: false })
  }

  /** Reads the commands that kept the task from completing; without a message among them the step is written again. */
  #reopen(step: Step, write: Effect.Effect<boolean, WriteFailure>): Effect.Effect<Recorded, WriteFailure> {
    return Effect.gen(this, function*() {
      do {
        const [, messages] = yield* this.#commands()
        if (messages.length === 0) continue
        if (step.kind === "model") yield* this.#append({ step: reopened(step) })
        yield* this.#addMessages(messages)
        return { run: this.run, isReopened: true }
      } while (!(yield* write))
      return yield* this.#recorded()
    })
  }

  /** Journals what an interrupted model call cost, also of a task that was cancelled meanwhile. */
  interrupted(step: Interrupted): Effect.Effect<void> {
    const { epoch, taskId } = this.#claim
    const { run, seq } = this.#state
    return this.#services.journal.interrupted({ taskId, epoch, seq, step, run: advance(run, step) })
  }

  /** Journals that the loop crashed, and what its interrupted call cost: the task is retried after a delay, or fails after too many crashes at one step. */
  crashed(reason: string, cut: Interrupted | null = null): Effect.Effect<unknown, WriteFailure> {
    if (cut !== null) {
      const { attempts } = this.#state
      return Effect.zipRight(this.#append({ step: cut, attempts, keepsDeaths: true }), this.crashed(reason))
    }
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      actorsCrashed(1)
      const { attempts } = this.#state
      const { maxCrashes } = this.#services.settings
      if (attempts > maxCrashes) return this.#fail(tooManyCrashes(attempts, reason))
      const millis = Duration.toMillis(backOff(attempts))
      return this.#append({
        step: { kind: "crashed", reason, retryAt: now + millis, attempt: attempts + 1, attempts: maxCrashes + 1 },
        wake: { _tag: "After", millis },
        attempts,
        keepsDeaths: true
      })
    })
  }

  #fail(error: string) {
    return this.#append({
      step: { kind: "failed", error },
      event: { _tag: "Failed", error },
      wake: { _tag: "Park" },
      attempts: 0
    })
  }

  #pause() {
    return Effect.flatMap(Effect.all([Clock.currentTimeMillis, Random.next]), ([now, random]) => {
      const { deaths } = this.#claim
      const millis = Math.round(Duration.toMillis(pauseAfter(deaths, this.#services.settings.suspectPause, random)))
      return this.#append({
        step: { kind: "crashed", reason: endedDuringStep(deaths), retryAt: now + millis, deaths },
        wake: { _tag: "After", millis },
        attempts: Math.max(0, this.#state.attempts - 1),
        keepsDeaths: true
      })
    })
  }

  #append(next: NextStep): Effect.Effect<boolean, WriteFailure> {
    return this.#permit.step(() => this.#write(next))
  }

  /** A retry of a model call. */
  readonly retried = (retry: ModelRetry): Effect.Effect<void> => this.#note((now) => this.#notes.ofRetry(retry, now))

  /** The progress of a tool call. */
  readonly progressed = (progress: ToolProgress): Effect.Effect<void> =>
    this.#note((now) => this.#notes.ofProgress(progress, now))

  /** The run has ended: nothing is noted any more. */
  end(): void {
    this.#permit.end()
  }

  #note(noteAt: (now: number) => Note | null): Effect.Effect<void> {
    return Effect.clockWith((clock) => {
      if (this.isSettled || !this.#permit.isFreeForNote) return Effect.void
      const step = noteAt(clock.unsafeCurrentTimeMillis())
      return step === null
        ? Effect.void
        : this.#permit.note(() => this.#write({ step, attempts: this.#state.attempts, keepsDeaths: true }))
    })
  }

  /** False only for a step that would complete the task, while there are commands that were not read. */
  #write(next: NextStep): Effect.Effect<boolean, WriteFailure> {
    const claim = this.#claim
    const { write, written } = writeOf(claim, this.#state, next, this.task.limits.hard)
    return Effect.flatMap(this.#services.journal.append(write), ({ inboxSent, isWritten }) => {
      this.#permit.free()
      this.#change(isWritten ? { ...written, inboxSent } : { inboxSent })
      if (!isWritten) return Effect.succeed(false)
      if (claim.deaths > 0 && next.keepsDeaths !== true) this.#progressed()
      return written.isSettled
        ? Effect.as(logEnd(claim, next.step, written.task, written.run), true)
        : Effect.succeed(true)
    })
  }

  #change(to: Partial<ActorState>): void {
    this.#state = { ...this.#state, ...to }
  }
}

const backOff = (attempts: number): Duration.Duration => Duration.seconds(Math.min(60, 2 ** Math.max(0, attempts - 1)))
