import type { Limits } from "@troupe/domain/Limits"
import { advance } from "@troupe/domain/Replay"
import { dropSummarised, progressAfter, type Run } from "@troupe/domain/Run"
import { inStatus, type TaskState, type TaskStateEvent, transition } from "@troupe/domain/TaskState"
import { plural } from "@troupe/domain/Text"
import { type Duration, Either, identity } from "effect"
import type { StepOutcome } from "../../Agent/AgentDependencies.ts"
import { type Claim, isFirst } from "../Claim/Claims.ts"
import { openingRun, openingSeen } from "../Journal/FirstMessage.ts"
import { subtasksEnded } from "../Journal/Inbox.ts"
import type { StepWrite, Wake } from "../Journal/StepWrite.ts"

export interface ActorSettings {
  readonly limits: { readonly parent: Limits; readonly subagent: Limits; readonly largest?: number }
  readonly maxCrashes: number
  /** How long a task waits after the second process death in a row at the same step. */
  readonly suspectPause: Duration.Duration
  /** How long the running steps of a shard that was lost may last. */
  readonly stepHandover: Duration.Duration
  readonly stepTimeout: { readonly parent: Duration.Duration; readonly subagent: Duration.Duration }
}

/** Settled: the task waits or is finished. Released: another run continues it. Fenced: another claim has it. */
export type RunEnd = "settled" | "released" | "fenced"

/** A claimed task and its run after the last journalled step. */
export interface ActorState {
  readonly seq: number
  readonly attempts: number
  readonly progress: number
  readonly task: TaskState
  readonly run: Run
  /** False until the steps of a resumed task are replayed. */
  readonly isRestored: boolean
  /** The task waits or is finished. */
  readonly isSettled: boolean
  /** Commands that were sent, and how many of them were read. */
  readonly inboxSent: number
  readonly inboxSeen: number
  /** Keys of the read commands that no step has acted on. */
  readonly commandsRead: ReadonlyArray<string>
}

/** Without more, the task keeps its status and runs on. */
export type NextStep =
  & Pick<StepWrite, "step" | "collects" | "keepsDeaths" | "outgoing" | "subtasks">
  & Partial<Pick<StepWrite, "wake" | "attempts">>
  & { readonly event?: TaskStateEvent | null }

export const claimedState = (claim: Claim): ActorState => ({
  seq: claim.seq,
  attempts: claim.attempts,
  progress: claim.progress,
  task: inStatus(claim.type, claim.status),
  run: {
    ...openingRun(claim.input, claim, openingSeen(claim)),
    seq: isFirst(claim) ? claim.seq : 0
  },
  isRestored: isFirst(claim),
  isSettled: false,
  inboxSent: claim.inboxSent,
  inboxSeen: claim.inboxSent,
  commandsRead: []
})

export const wakeAfter = ({ event, sleepUntil }: Pick<StepOutcome, "event" | "sleepUntil">, now: number): Wake => {
  if (event !== null) return { _tag: "Park" }
  return sleepUntil === null ? { _tag: "Keep" } : { _tag: "After", millis: sleepUntil - now }
}

/** The write of a step, and the state once it is journalled. */
export const writeOf = (
  { audience, epoch, taskId }: Claim,
  state: ActorState,
  { attempts = 1, event = null, step, wake = { _tag: "Keep" }, ...more }: NextStep,
  hardLimit: number
): { readonly write: StepWrite; readonly written: ActorState } => {
  const seq = state.seq + 1
  const task = event === null ? state.task : Either.getOrThrowWith(transition(state.task, event), identity)
  const run = dropSummarised(advance(state.run, step))
  const progress = task.status === "completed" ? 100 : progressAfter(state.progress, run.iterations, hardLimit)
  const { commandsRead, inboxSeen, isRestored } = state
  return {
    write: {
      taskId,
      epoch,
      seq,
      step,
      state: task,
      run: isRestored ? run : null,
      progress,
      wake,
      attempts,
      inboxSeen,
      audience,
      consumed: more.collects === true ? [...commandsRead, subtasksEnded] : commandsRead,
      ...more
    },
    written: { ...state, seq, attempts, progress, task, run, isSettled: wake._tag !== "Keep", commandsRead: [] }
  }
}

export const tooManyCrashes = (times: number, reason: string): string =>
  `The task crashed ${
    plural(times, "time")
  } at the same step; the last time ${reason}. Fix the cause, then retry the task.`
