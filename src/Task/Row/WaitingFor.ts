import type { UserId } from "@troupe/domain/Ids"
import { signInOfCall } from "@troupe/domain/SignInWait"
import { limitText, pausedBy } from "@troupe/domain/Spending"
import type { TaskStatus } from "@troupe/domain/Task"
import { isTerminal } from "@troupe/domain/TaskState"
import { plural } from "@troupe/domain/Text"
import type { WaitingFor } from "@troupe/domain/WaitingFor"
import { Option, Schema } from "effect"
import { instant } from "../../Runtime/Database/TimestampColumn.ts"
import { suspectQueue } from "./ProcessDeaths.ts"

/** What the row of an actor says about its wait. */
export const WaitColumns = Schema.Struct({
  wake_at: Schema.NullOr(Schema.String),
  is_due: Schema.Boolean,
  /** Since the task was due; 0 for one that is not. */
  waited_seconds: Schema.Number,
  runner: Schema.NullOr(Schema.String),
  queued_by: Schema.NullOr(Schema.String),
  attempts: Schema.Int,
  /** When a failed call of the model is made again. */
  retry_at: Schema.NullOr(Schema.String),
  /** The journalled step that says which attempt is next, or what a subtask waits for. */
  last_wait_step: Schema.NullOr(Schema.String),
  subtasks_open: Schema.NullOr(Schema.Int),
  /** The assignee is only who answered first, which gives no right to approve. */
  assigned_by_answer: Schema.Boolean
})

/** Of a running task whose last step is a failed call of the model: when it is made again. */
export const modelRetry = `case when a.status = 'running' then (
    select ${
  instant("s.retry_at")
} from steps s where s.task_id = a.task_id and s.seq = a.seq and s.retry_at > now()) end`

export const waitColumns: Readonly<Record<keyof typeof WaitColumns.Type, string>> = {
  wake_at: instant("a.wake_at"),
  is_due: "coalesce(a.wake_at <= now(), false)",
  waited_seconds:
    "case when a.wake_at <= now() then extract(epoch from now() - greatest(a.wake_at, a.updated_at)) else 0 end::float8",
  runner: "a.runner",
  queued_by: "a.queued_by",
  attempts: "a.attempts + a.process_deaths",
  retry_at: modelRetry,
  last_wait_step: `case when a.status = 'running' then (
    select s.body from steps s where s.task_id = a.task_id and s.seq = a.seq
      and (s.retry_at > now() or a.wake_at > now() and (a.attempts + a.process_deaths > 0 or t.task_type = 'subtask'))) end`,
  subtasks_open: "a.subtasks_open",
  assigned_by_answer: "t.assigned_by_answer"
}

/** The columns of a task that its wait follows from. */
export interface Waiting extends Schema.Schema.Type<typeof WaitColumns> {
  readonly status: TaskStatus
  readonly creator: UserId
  readonly assignee: UserId | null
  readonly asks_approval: boolean
  readonly last_tool_call_id: string | null
  readonly updated_at: string
}

/** Workers claim due tasks within seconds: a task that waits longer has no worker. */
const maxClaimSeconds = 10

/** How many tasks each worker runs, by its address, and how many one may run, of all users and of one. */
export interface Places {
  readonly taken: ReadonlyMap<string, number>
  readonly max: number
  readonly maxPerUser: number
}

/** Whether it is in the queue of a worker: only then are the places read. */
export const isQueued = ({ is_due, queued_by, runner, status }: Waiting): boolean =>
  is_due && runner === null && queued_by !== null && queued_by !== suspectQueue && !isTerminal(status)

const Attempt = Schema.parseJson(Schema.Struct({ attempt: Schema.Int, attempts: Schema.Int }))
const decodeAttempt = Schema.decodeUnknownOption(Attempt)
const decodePause = Schema.decodeUnknownOption(Schema.parseJson(Schema.Struct({ paused: Schema.String })))

export const waitingForOf = (task: Waiting, places: Places | null): WaitingFor | null => {
  const { last_wait_step, queued_by, status, subtasks_open, updated_at, wake_at } = task
  const wait = (reason: WaitingFor["reason"], detail: string, more: Partial<WaitingFor> = {}): WaitingFor => ({
    reason,
    since: updated_at,
    until: null,
    who: null,
    count: null,
    limit: null,
    detail,
    ...more
  })
  const retry = (failure: string, count: number | null, until: string): WaitingFor => {
    const next = Option.getOrElse(decodeAttempt(last_wait_step), () => ({ attempt: count, attempts: null }))
    const attempt = next.attempt === null
      ? "the next attempt"
      : `attempt ${next.attempt}${next.attempts === null ? "" : ` of ${next.attempts}`}`
    return wait("retry", `${failure}; ${attempt} starts at ${until}`, {
      until,
      count: next.attempt,
      limit: next.attempts
    })
  }
  /** For what no tool asks; a subtask looks again by itself. */
  const pause = (call: string | null, until: string | null): WaitingFor | null => {
    const limit = pausedBy(call)
    if (limit !== null) {
      const detail = `${limitText(limit)} is reached; an owner or admin decides, or the next period begins`
      return wait("spending", detail, { until })
    }
    const signIn = signInOfCall(call)
    if (signIn === null) return null
    const by = signIn.user === null ? "an owner or admin" : signIn.user
    return wait("sign_in", `Waits for a sign-in at the tool server ${signIn.server} by ${by}`, {
      who: signIn.user,
      until
    })
  }
  if (isTerminal(status)) return null
  const paused = status === "waiting_input" ? pause(task.last_tool_call_id, null) : null
  if (paused !== null) return paused
  if (status === "waiting_input" && wake_at === null) {
    const who = task.asks_approval && task.assigned_by_answer ? task.creator : task.assignee ?? task.creator
    return wait(
      task.asks_approval ? "approval" : "answer",
      `Waits for ${task.asks_approval ? "the approval" : "an answer"} of ${who}`,
      { who }
    )
  }
  if (wake_at === null) {
    const count = subtasks_open ?? 0
    return count > 0 ? wait("subtasks", `Waits for ${plural(count, "subtask")}`, { count }) : null
  }
  if (!task.is_due) {
    if (task.attempts > 0) return retry("Crashed", task.attempts + 1, wake_at)
    const subtaskPaused = Option.match(decodePause(last_wait_step), {
      onNone: () => null,
      onSome: (step) => pause(step.paused, wake_at)
    })
    return subtaskPaused
      ?? wait("timer", `Waits until ${wake_at}`, { until: wake_at })
  }
  if (task.runner !== null) {
    return task.retry_at === null ? null : retry("A call of the model failed", null, task.retry_at)
  }
  const since = wake_at > updated_at ? wake_at : updated_at
  if (queued_by === suspectQueue) {
    return wait("place", "Waits until other tasks that may have ended their process got beyond that step", { since })
  }
  if (queued_by !== null) {
    const queue = `Waits for a free place on the worker ${queued_by}`
    if (places === null) return wait("place", queue, { since })
    const { max: limit, maxPerUser, taken } = places
    const count = taken.get(queued_by) ?? 0
    const share = count < limit ? `; tasks of one user take at most ${maxPerUser}` : ""
    return wait("place", `${queue}: ${count} of ${limit} places taken${share}`, { since, count, limit })
  }
  return task.waited_seconds > maxClaimSeconds ? wait("shard", "No worker has taken the task", { since }) : null
}
