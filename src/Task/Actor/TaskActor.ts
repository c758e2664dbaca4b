import { SqlError } from "@effect/sql/SqlError"
import type { Interrupted } from "@troupe/domain/FaultStep"
import { Cause, type Clock, type Context, Duration, Effect, Exit, type Fiber, Runtime } from "effect"
import type { AgentDependencies, PromptTextPort, SubtaskPort } from "../../Agent/AgentDependencies.ts"
import type { AgentLoop } from "../../Agent/AgentLoop.ts"
import { isUnavailable } from "../../Runtime/Database/Sql.ts"
import type { OnQuestionExpired } from "../../Tool/OnQuestionExpired.ts"
import type { Claim } from "../Claim/Claims.ts"
import { databaseClock, runtimeOf } from "./ActorRuntime.ts"
import type { RunEnd } from "./ActorState.ts"
import { type JournalServices, RunJournal, type WriteFailure } from "./RunJournal.ts"
import { logBegin } from "./RunLog.ts"
import { withRunSpan } from "./RunSpan.ts"

export interface ActorServices extends JournalServices {
  readonly agentLoop: AgentLoop["Type"]
  readonly subtasks: SubtaskPort
  readonly promptTexts: PromptTextPort
  /** The process's own clock. */
  readonly clock: Clock.Clock
  readonly runtime: Runtime.Runtime<never>
  readonly questionExpired: Context.Tag.Service<OnQuestionExpired>
}

export interface ActorPorts extends Pick<AgentDependencies<WriteFailure>, "onText"> {
  /** False when the task is to be handed over after its step. */
  readonly mayContinue: () => boolean
  /** The task got beyond the step during which its process had ended. */
  readonly progressed: () => void
  /** Called once, when nothing of the run is left. */
  readonly ended: (end: RunEnd) => void
}

/** The maximum of a timer; one with a longer time fires at once. */
const maxDelay = 2 ** 31 - 1

/**
 * A task under one claim: its journal, its limits, and the one fiber that runs its loop until the task waits, finishes or
 * is released. A crash is journalled, and so is a step over its time limit.
 */
export class TaskActor {
  readonly claim: Claim
  fiber: Fiber.RuntimeFiber<RunEnd> | null = null
  readonly #services: ActorServices
  readonly #ports: ActorPorts
  readonly #journal: RunJournal
  readonly #limit: Duration.Duration
  #stepStartedAt: number
  #timer: NodeJS.Timeout | undefined
  #isOverdue = false
  #cut: Interrupted | null = null

  constructor(claim: Claim, services: ActorServices, ports: ActorPorts) {
    this.claim = claim
    this.#services = services
    this.#ports = ports
    this.#journal = new RunJournal(claim, services, ports.progressed)
    this.#limit = services.settings.stepTimeout[claim.type === "subtask" ? "subagent" : "parent"]
    this.#stepStartedAt = services.clock.unsafeCurrentTimeMillis()
  }

  begin(): void {
    this.#watchTime()
    const work = withRunSpan(this.claim, this.#services.clock, unlessWritable(this.#loop))
    this.#fork(work, (exit) => {
      clearTimeout(this.#timer)
      this.#journal.end()
      if (Exit.isSuccess(exit)) return this.#ports.ended(exit.value)
      const cut = this.#cut
      if (!this.#isOverdue && cut === null) return this.#ports.ended("released")
      const last = this.#isOverdue
        ? unlessWritable(Effect.as(this.#journal.crashed(overdue(this.#limit), cut), "settled" as const))
        : Effect.as(cut === null ? Effect.void : this.#journal.interrupted(cut), "released" as const)
      this.#fork(last, (exit) => this.#ports.ended(Exit.isSuccess(exit) ? exit.value : "released"))
    })
  }

  /** Interrupts the model and tool calls of the run, which writes nothing more. */
  interrupt(): void {
    this.fiber?.unsafeInterruptAsFork(this.fiber.id())
  }

  #fork(work: Effect.Effect<RunEnd>, ended: (exit: Exit.Exit<RunEnd>) => void): void {
    const { clock, questionExpired, runtime } = this.#services
    const fiber = Runtime.runFork(
      runtimeOf(
        runtime,
        this.claim,
        databaseClock(clock, this.claim.now),
        () => this.#callMillisLeft,
        this.#journal,
        questionExpired
      ),
      work
    )
    this.fiber = fiber
    fiber.addObserver(ended)
  }

  get #millisLeft(): number {
    return this.#stepStartedAt + Duration.toMillis(this.#limit) - this.#services.clock.unsafeCurrentTimeMillis()
  }

  /** A model call fails with the provider's reason before its step runs out of time. */
  get #callMillisLeft(): number {
    return this.#millisLeft - Duration.toMillis(this.#limit) * 0.15
  }

  /** One timer a run: it looks again when the step that began last would be over its limit. */
  #watchTime(): void {
    const millis = this.#millisLeft
    if (millis > 0) {
      this.#timer = setTimeout(() => this.#watchTime(), Math.min(Math.ceil(millis), maxDelay))
    } else {
      this.#isOverdue = true
      this.interrupt()
    }
  }

  get #loop(): Effect.Effect<RunEnd, WriteFailure> {
    const journal = this.#journal
    const ports = {
      record: journal.record,
      cut: (step: Interrupted) => void (this.#cut = step),
      mayContinue: () => {
        this.#stepStartedAt = this.#services.clock.unsafeCurrentTimeMillis()
        return this.#ports.mayContinue()
      },
      onText: this.#ports.onText,
      subtasks: this.#services.subtasks,
      promptTexts: this.#services.promptTexts
    }
    const steps: Effect.Effect<void, WriteFailure> = Effect.suspend(() =>
      journal.isSettled ? Effect.void : this.#services.agentLoop.run(journal.task, journal.run, ports)
    )
    const end = () => Effect.succeed<RunEnd>(journal.isSettled ? "settled" : "released")
    const run = Effect.zipRight(journal.restore(), steps)
    return Effect.matchCauseEffect(Effect.zipRight(logBegin(this.claim), run), {
      onSuccess: end,
      onFailure: (cause) => Effect.flatMap(supervise(journal, cause), end)
    })
  }
}

/**
 * Let it crash: a defect is journalled and the task retried. A failure to write, or an unavailable database, ends the
 * run.
 */
const supervise = (journal: RunJournal, cause: Cause.Cause<WriteFailure>): Effect.Effect<unknown, WriteFailure> => {
  const failure = Cause.failureOption(cause)
  if (failure._tag === "Some") {
    return failure.value._tag === "JournalFailed" && failure.value.isRefusal
      ? journal.crashed("the database refused the step")
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
    journal.crashed("an unexpected error occurred (see the worker's log)")
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
