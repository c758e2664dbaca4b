import { advance, replay } from "@troupe/domain/Replay"
import { dropSummarised, type Limits, limitsOf, progressAfter, type Run } from "@troupe/domain/Run"
import type { Step } from "@troupe/domain/Step"
import { inStatus, type TaskState, type TaskStateEvent, transition } from "@troupe/domain/TaskState"
import { plural } from "@troupe/domain/Text"
import { Array as Arrays, Clock, Duration, Effect, Either, identity, Random } from "effect"
import type { AgentTask, StepOutcome } from "../../Agent/AgentDependencies.ts"
import type { Claim } from "../Claim/Claims.ts"
import type { Shards } from "../Claim/Shards.ts"
import { openingRun } from "../Journal/FirstMessage.ts"
import { answersTo, type Command, type Inbox, messagesIn, reopened, subtasksEnded } from "../Journal/Inbox.ts"
import type { Fenced, Journal, JournalFailed } from "../Journal/Journal.ts"
import type { StepWrite, Wake } from "../Journal/StepWrite.ts"
import { actorsCrashed } from "../TaskMetrics.ts"
import { decide, endedDuringStep, failureReason, pauseAfter } from "./ProcessDeaths.ts"
import { logEnd } from "./RunLog.ts"
import { RunNotes } from "./RunNotes.ts"

export interface ActorSettings {
  readonly limits: { readonly parent: Limits; readonly subagent: Limits }
  readonly maxCrashes: number
  /** How long a task waits after the second process death in a row at the same step. */
  readonly suspectPause: Duration.Duration
  readonly stepTimeout: { readonly parent: Duration.Duration; readonly subagent: Duration.Duration }
}

export interface StateServices {
  readonly journal: Journal["Type"]
  readonly inbox: Inbox
  readonly shards: Shards["Type"]
}

/** Settled: the task waits or is finished. Released: another run continues it. Fenced: another claim has it. */
export type RunEnd = "settled" | "released" | "fenced"

export type WriteFailure = Fenced | JournalFailed

/** Without more, the task keeps its status and runs on. */
type NextStep =
  & Pick<StepWrite, "step" | "collects" | "keepsDeaths" | "outgoing" | "subtasks">
  & Partial<Pick<StepWrite, "wake" | "attempts">>
  & { readonly event?: TaskStateEvent | null }

/** The task's row and run under one claim; each step changes them once it is journalled. */
export class ActorState {
  readonly task: AgentTask
  readonly notes = new RunNotes((step) =>
    this.isSettled ? Effect.void : this.#write({ step, attempts: this.#attempts, keepsDeaths: true })
  )
  run: Run
  isSettled = false
  isReopened = false
  readonly #claim: Claim
  readonly #settings: ActorSettings
  readonly #services: StateServices
  readonly #limits: Limits
  #attempts: number
  #progress: number
  #seq: number
  #state: TaskState
  #isRestored: boolean
  #inboxSent: number
  #inboxSeen: number
  #commandsRead: ReadonlyArray<string> = []

  constructor(claim: Claim, settings: ActorSettings, services: StateServices) {
    this.#claim = claim
    this.#settings = settings
    this.#services = services
    this.#limits = limitsOf(claim.type, settings.limits, claim.maxIterations)
    this.#attempts = claim.attempts
    this.#progress = claim.progress
    this.#seq = claim.seq
    this.#state = inStatus(claim.type, claim.status)
    this.#isRestored = claim.isFresh
    this.#inboxSent = claim.inboxSent
    this.#inboxSeen = claim.inboxSent
    this.run = openingRun(claim.input, claim)
    this.task = { ...claim, limits: this.#limits }
  }

  get restore(): Effect.Effect<void, WriteFailure> {
    const claim = this.#claim
    // Before the journal is read: to read it may be what ends the process.
    const decision = decide(claim, this.#settings.maxCrashes)
    if (claim.isFresh && claim.inboxSent === 0 && decision === "run") return Effect.void
    return Effect.gen(this, function*() {
      if (decision === "fail") return void (yield* this.#fail(failureReason(claim, claim.now)))
      if (decision === "pause") return void (yield* this.#pause)
      if (!claim.isFresh) {
        const steps = yield* this.#services.journal.read(claim.taskId, 0)
        this.run = dropSummarised(replay(this.run, steps.map(({ step }) => step)))
      }
      this.#isRestored = true
      const commands = claim.inboxSent === 0 ? [] : yield* this.#takeMessages
      this.#commandsRead = commands.map(({ key }) => key)
      const step = answersTo(this.run, commands)
      if (step !== null) yield* this.#append({ step })
    })
  }

  /** Journals the messages in the inbox, and answers the other commands. */
  get #takeMessages(): Effect.Effect<ReadonlyArray<Command>, WriteFailure> {
    return Effect.flatMap(this.#commands, ([others, messages]) => Effect.as(this.#addMessages(messages), others))
  }

  get #commands(): Effect.Effect<readonly [others: ReadonlyArray<Command>, messages: ReadonlyArray<Command>]> {
    return Effect.suspend(() => {
      this.#inboxSeen = this.#inboxSent
      return Effect.map(
        this.#services.inbox.read(this.#claim.taskId),
        Arrays.partition(({ body }) => body.kind === "steered")
      )
    })
  }

  #addMessages(messages: ReadonlyArray<Command>): Effect.Effect<unknown, WriteFailure> {
    if (messages.length === 0) return Effect.void
    this.#commandsRead = messages.map(({ key }) => key)
    return this.#append({ step: messagesIn(messages) })
  }

  readonly record = (outcome: StepOutcome): Effect.Effect<Run, WriteFailure> =>
    Effect.clockWith((clock) => {
      const { collects, dispatch, event, outgoing, step } = outcome
      const wake = wakeAfter(outcome, clock)
      const { shards } = this.#services
      const write = this.#append({
        step,
        event,
        wake,
        attempts: wake._tag === "Keep" ? 1 : 0,
        collects,
        outgoing,
        subtasks: dispatch?.map((subtask) => ({ ...subtask, shard: shards.of(subtask.id) }))
      })
      return Effect.flatMap(write, (isWritten) => isWritten ? this.#recorded : this.#reopen(step, write))
    })

  /** The run after a step. Within a turn no message is read: the model is called after it. */
  get #recorded(): Effect.Effect<Run, WriteFailure> {
    return this.run.turn === null && !this.isSettled && this.#inboxSent > this.#inboxSeen
      ? Effect.map(this.#takeMessages, () => this.run)
      : Effect.succeed(this.run)
  }

  /** Reads the commands that kept the task from completing; without a message among them the step is written again. */
  #reopen(step: Step, write: Effect.Effect<boolean, WriteFailure>): Effect.Effect<Run, WriteFailure> {
    return Effect.gen(this, function*() {
      do {
        const [, messages] = yield* this.#commands
        if (messages.length === 0) continue
        this.isReopened = true
        if (step.kind === "model") yield* this.#append({ step: reopened(step) })
        yield* this.#addMessages(messages)
        return this.run
      } while (!(yield* write))
      return yield* this.#recorded
    })
  }

  /** Journals that the loop crashed: the task is retried after a delay, or fails after too many crashes at one step. */
  crashed(reason: string): Effect.Effect<unknown, WriteFailure> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      actorsCrashed(1)
      const attempts = this.#attempts
      if (attempts > this.#settings.maxCrashes) return this.#fail(tooManyCrashes(attempts, reason))
      const millis = Duration.toMillis(backOff(attempts))
      const step: Step = {
        kind: "crashed",
        reason,
        retryAt: now + millis,
        attempt: attempts + 1,
        attempts: this.#settings.maxCrashes + 1
      }
      return this.#append({ step, wake: { _tag: "After", millis }, attempts, keepsDeaths: true })
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

  get #pause() {
    return Effect.flatMap(Effect.all([Clock.currentTimeMillis, Random.next]), ([now, random]) => {
      const { deaths } = this.#claim
      const millis = Math.round(Duration.toMillis(pauseAfter(deaths, this.#settings.suspectPause, random)))
      return this.#append({
        step: { kind: "crashed", reason: endedDuringStep(deaths), retryAt: now + millis, deaths },
        wake: { _tag: "After", millis },
        attempts: Math.max(0, this.#attempts - 1),
        keepsDeaths: true
      })
    })
  }

  #append(next: NextStep): Effect.Effect<boolean, WriteFailure> {
    return Effect.suspend(() => {
      const pending = this.notes.beginStep()
      return pending === null ? this.#write(next) : Effect.zipRight(pending, this.#append(next))
    })
  }

  #write(
    { attempts = 1, event = null, step, wake = { _tag: "Keep" }, ...more }: NextStep
  ): Effect.Effect<boolean, WriteFailure> {
    const { deaths, epoch, taskId } = this.#claim
    const state = event === null ? this.#state : Either.getOrThrowWith(transition(this.#state, event), identity)
    const run = dropSummarised(advance(this.run, step))
    const progress = state.status === "completed"
      ? 100
      : progressAfter(this.#progress, run.iterations, this.#limits.hard)
    return Effect.flatMap(
      this.#services.journal.append({
        taskId,
        epoch,
        seq: this.#seq + 1,
        step,
        state,
        run: this.#isRestored ? run : null,
        progress,
        wake,
        attempts,
        inboxSeen: this.#inboxSeen,
        consumed: more.collects === true ? [...this.#commandsRead, subtasksEnded] : this.#commandsRead,
        ...more
      }),
      ({ inboxSent, isWritten }) => {
        this.notes.endStep()
        this.#inboxSent = inboxSent
        if (!isWritten) return Effect.succeed(false)
        this.#commandsRead = []
        this.#seq += 1
        this.run = run
        this.#state = state
        this.#progress = progress
        this.#attempts = attempts
        this.isSettled = wake._tag !== "Keep"
        if (deaths > 0 && more.keepsDeaths !== true) this.#claim.onProgress()
        return this.isSettled ? Effect.as(logEnd(this.#claim, step, state, run), true) : Effect.succeed(true)
      }
    )
  }
}

const wakeAfter = ({ event, sleepUntil }: StepOutcome, clock: Clock.Clock): Wake => {
  if (event !== null) return { _tag: "Park" }
  return sleepUntil === null
    ? { _tag: "Keep" }
    : { _tag: "After", millis: sleepUntil - clock.unsafeCurrentTimeMillis() }
}

const tooManyCrashes = (times: number, reason: string): string =>
  `The task crashed ${
    plural(times, "time")
  } at the same step; the last time ${reason}. Fix the cause, then retry the task.`

const backOff = (attempts: number): Duration.Duration => Duration.seconds(Math.min(60, 2 ** Math.max(0, attempts - 1)))
