import { type Limits, limitsOf, progressAfter } from "@troupe/domain/Limits"
import type { ToolMessage } from "@troupe/domain/Message"
import { advance, openCalls, replay, type Run } from "@troupe/domain/Run"
import type { Step } from "@troupe/domain/Step"
import { type TaskEvent, type TaskState, transition } from "@troupe/domain/TaskState"
import { Clock, Duration, Effect, Either, identity, Random } from "effect"
import type { AgentTask, StepOutcome } from "../Agent/AgentLoop.ts"
import type { Claim } from "./Claims.ts"
import { openingRun } from "./FirstMessage.ts"
import { type Command, type Inbox, subtasksEnded } from "./Inbox.ts"
import type { Fenced, Journal, JournalFailed } from "./Journal.ts"
import { decide, endedDuringStep, failureReason, pauseAfter } from "./ProcessDeaths.ts"
import type { Shards } from "./Shards.ts"
import type { StepWrite, Wake } from "./StepWrite.ts"
import { actorsCrashed } from "./TaskMetrics.ts"

/** Limits of both kinds of task, and how many crashes at one step a task survives. */
export interface AttemptSettings {
  readonly limits: { readonly parent: Limits; readonly subagent: Limits }
  readonly maxCrashes: number
  /** How long a task waits after the second process death in a row at the same step. */
  readonly suspectPause: Duration.Duration
}

type Refused = Fenced | JournalFailed

/** One claim's work on a task: the row and the run as they are now, moved on by each step that is journalled. */
export interface Attempt {
  readonly task: AgentTask
  /** Reads the task from its journal and acts on the commands that waited for it. */
  readonly restore: Effect.Effect<void, Refused>
  readonly run: () => Run
  /** True once nothing is left to do before the task's next wake-up, if it has one. */
  readonly isSettled: () => boolean
  readonly record: (outcome: StepOutcome) => Effect.Effect<Run, Refused>
  /** Journals that the loop crashed: it is tried again after a while, or fails for good after too many times. */
  readonly crashed: (reason: string) => Effect.Effect<void, Refused>
}

/** An attempt that knows no more than its claim, until it is restored. */
export const makeAttempt = (
  claim: Claim,
  settings: AttemptSettings,
  { inbox, journal, shards }: {
    readonly journal: Journal["Type"]
    readonly inbox: Inbox["Type"]
    readonly shards: Shards["Type"]
  },
  /** Runs once a step is journalled with which the task gets further. */
  onProgress: () => void = () => {}
): Attempt => {
  const limits = limitsOf(claim.type, settings.limits, claim.maxIterations)
  const start = openingRun(claim.input, claim)
  let run = start
  let { attempts, progress, seq } = claim
  let settled = false
  /** Commands that were read, and are acted on by the next step. */
  let heard: ReadonlyArray<string> = []
  let restored = claim.isFresh
  let state: TaskState = { type: claim.type, status: claim.status, question: null, lastToolCallId: null, error: null }

  // No function here is made by `Effect.fn`: they are made anew for every claim, and that costs as much as a step.
  const append = (
    step: Step,
    options: { readonly event: TaskEvent | null; readonly wake: Wake; readonly attempts: number },
    more: Pick<StepWrite, "collects" | "keepsDeaths" | "subtasks"> = {}
  ): Effect.Effect<void, Refused> =>
    Effect.suspend(() => {
      const nextState = options.event === null
        ? state
        : Either.getOrThrowWith(transition(state, options.event), identity)
      const nextRun = advance(run, step)
      const nextProgress = nextState.status === "completed"
        ? 100
        : progressAfter(progress, nextRun.iterations, limits.hard)
      return Effect.map(
        journal.append({
          taskId: claim.taskId,
          epoch: claim.epoch,
          seq: seq + 1,
          step,
          state: nextState,
          run: restored ? nextRun : null,
          progress: nextProgress,
          wake: options.wake,
          attempts: options.attempts,
          inboxSeen: claim.inboxSent,
          consumed: more.collects === true ? [...heard, subtasksEnded] : heard,
          ...more
        }),
        () => {
          heard = []
          seq += 1
          run = nextRun
          state = nextState
          progress = nextProgress
          attempts = options.attempts
          settled = options.wake._tag !== "Keep"
          if (more.keepsDeaths !== true) onProgress()
        }
      )
    })

  const wakeAfter = ({ event, sleepUntil }: StepOutcome, clock: Clock.Clock): Wake => {
    if (event !== null) return { _tag: "Park" }
    return sleepUntil === null
      ? { _tag: "Keep" }
      : { _tag: "After", millis: sleepUntil - clock.unsafeCurrentTimeMillis() }
  }

  const record = (outcome: StepOutcome): Effect.Effect<Run, Refused> =>
    Effect.clockWith((clock) => {
      const wake = wakeAfter(outcome, clock)
      return Effect.map(
        append(outcome.step, { event: outcome.event, wake, attempts: wake._tag === "Keep" ? 1 : 0 }, {
          ...(outcome.collects === true ? { collects: true } : {}),
          ...(outcome.dispatch === undefined ? {} : {
            subtasks: outcome.dispatch.map(({ id, request }) => ({ id, request, shard: shards.of(id) }))
          })
        }),
        () => run
      )
    })

  const failed = (error: string) =>
    append({ kind: "failed", error }, { event: { _tag: "Failed", error }, wake: { _tag: "Park" }, attempts: 0 })

  const crashed = (reason: string) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      actorsCrashed(1)
      if (attempts > settings.maxCrashes) return failed(tooManyCrashes(attempts, reason))
      const millis = Duration.toMillis(backOff(attempts))
      const step: Step = { kind: "crashed", reason, retryAt: now + millis }
      return append(step, { event: null, wake: { _tag: "After", millis }, attempts }, { keepsDeaths: true })
    })

  /** Puts a suspect back, to be claimed alone after a pause. That its process ended is no crash of the task. */
  const paused = Effect.flatMap(Effect.all([Clock.currentTimeMillis, Random.next]), ([now, random]) => {
    const millis = Math.round(Duration.toMillis(pauseAfter(claim.deaths, settings.suspectPause, random)))
    const step: Step = {
      kind: "crashed",
      reason: endedDuringStep(claim.deaths),
      retryAt: now + millis,
      deaths: claim.deaths
    }
    const options = { event: null, wake: { _tag: "After", millis }, attempts: Math.max(0, attempts - 1) } as const
    return append(step, options, { keepsDeaths: true })
  })

  const restore = Effect.gen(function*() {
    // Before the journal is read: to read it may be what ends the process.
    const decision = decide(claim, settings.maxCrashes)
    if (decision === "fail") return yield* failed(failureReason(claim, claim.now))
    if (decision === "pause") return yield* paused
    if (!claim.isFresh) run = replay(start, (yield* journal.read(claim.taskId, 0)).map(({ step }) => step))
    restored = true
    const commands = claim.inboxSent === 0 ? [] : yield* inbox.read(claim.taskId)
    heard = commands.map(({ key }) => key)
    const step = answersTo(run, commands)
    if (step !== null) yield* append(step, { event: null, wake: { _tag: "Keep" }, attempts: 1 })
  })

  return {
    task: {
      id: claim.taskId,
      userId: claim.creator,
      type: claim.type,
      agentType: claim.agentType,
      input: claim.input,
      projectId: claim.projectId,
      limits,
      tokenBudget: claim.tokenBudget
    },
    restore,
    run: () => run,
    isSettled: () => settled,
    record,
    crashed
  }
}

/** Answers as the results of the calls that asked, all in one step; null without any. One to no open call is dropped. */
const answersTo = ({ turn }: Run, commands: ReadonlyArray<Command>): Step | null => {
  const open = turn === null ? [] : openCalls(turn)
  const answers = commands.flatMap(({ body }) => body.kind === "answered" ? [body] : [])
  const results = answers.flatMap(({ text, toolCallId }) => {
    const call = open.find(({ id }) => id === toolCallId)
    if (call === undefined) return []
    const message: ToolMessage = { role: "tool", tool_call_id: call.id, name: call.name, content: text }
    return [{ message, millis: 0 }]
  })
  return answers.length === 0 ? null : { kind: "results", results }
}

const tooManyCrashes = (times: number, reason: string): string =>
  `The task crashed ${times} times at the same step, last because ${reason}. Retry it once the cause is mended.`

/** 1 s, 2 s, 4 s, ... at most a minute. */
const backOff = (attempts: number): Duration.Duration => Duration.seconds(Math.min(60, 2 ** Math.max(0, attempts - 1)))
