import type { TaskId, UserId } from "@troupe/domain/Ids"
import type { MessageView } from "@troupe/domain/Message"
import type { SearchUnfinished } from "@troupe/domain/Search"
import type {
  IdempotencyConflict,
  Task,
  TaskLogEntry,
  TaskNotFound,
  TaskRequestInvalid,
  TaskStateConflict,
  TaskStatus,
  TaskType,
  Usage
} from "@troupe/domain/Task"
import { Context, type Effect, type Option, type Stream } from "effect"

/** What a door asks for. Every door makes its tasks through `Tasks.submit`. */
export interface TaskRequest {
  readonly message: string
  readonly userId: UserId
  /** Who answers the task's questions instead of its creator. */
  readonly assignee: Option.Option<UserId>
  readonly title: Option.Option<string>
  readonly projectId: Option.Option<string>
  readonly attachments: ReadonlyArray<string>
  readonly continueTaskId: Option.Option<TaskId>
  readonly maxTokensTotal: Option.Option<number>
  /** The caller's key and a digest of its whole request (contract.md 1, Idempotency). */
  readonly idempotency: Option.Option<{ readonly key: string; readonly digest: string }>
}

export interface TaskFilter {
  readonly status: Option.Option<TaskStatus>
  readonly creator: Option.Option<UserId>
  readonly assignee: Option.Option<UserId>
  readonly webhookType: Option.Option<string>
  readonly taskType: Option.Option<TaskType>
  readonly parentTaskId: Option.Option<TaskId>
  readonly q: Option.Option<string>
  readonly includeArchived: boolean
  readonly limit: number
  /** The id of the last task of the page before. */
  readonly cursor: Option.Option<TaskId>
}

/** One frame of a task's live view. `log` and `status` carry an id that resumes the stream; text deltas don't. */
export type TaskEvent =
  | { readonly _tag: "log"; readonly id: string; readonly entry: TaskLogEntry }
  | { readonly _tag: "status"; readonly id: string; readonly status: TaskStatus; readonly error: string | null }
  | { readonly _tag: "usage"; readonly id: string; readonly usage: Usage }
  | { readonly _tag: "text"; readonly delta: string }

export interface WorkerStatus {
  readonly task_id: TaskId
  readonly status: TaskStatus
  readonly active: boolean
  readonly runner: { readonly address: string } | null
  readonly queue_job_id: string | null
  readonly iteration_count: number
  readonly last_step_at: string | null
  readonly next_wakeup_at: string | null
}

/** Use-cases over tasks: the one place where tasks are made, answered, cancelled, retried and deleted. */
export class Tasks extends Context.Tag("troupe/Task/Tasks")<Tasks, {
  readonly submit: (
    request: TaskRequest
  ) => Effect.Effect<Task, IdempotencyConflict | TaskRequestInvalid>
  readonly find: (id: TaskId) => Effect.Effect<Task, TaskNotFound>
  readonly list: (filter: TaskFilter) => Effect.Effect<ReadonlyArray<Task>, SearchUnfinished>
  /** Archived ones too. */
  readonly subtasks: (
    id: TaskId,
    page: Pick<TaskFilter, "limit" | "cursor">
  ) => Effect.Effect<ReadonlyArray<Task>, TaskNotFound | SearchUnfinished>
  /** Archives the task the first time (cancelling it if it is not over), removes it with all it has the second. */
  readonly remove: (id: TaskId) => Effect.Effect<void, TaskNotFound>
  /** Whoever answers a task without an assignee becomes its assignee. */
  readonly answer: (
    id: TaskId,
    response: string,
    userId: Option.Option<UserId>
  ) => Effect.Effect<Task, TaskNotFound | TaskStateConflict>
  readonly cancel: (
    id: TaskId,
    reason: Option.Option<string>
  ) => Effect.Effect<Task, TaskNotFound | TaskStateConflict>
  readonly retry: (id: TaskId) => Effect.Effect<Task, TaskNotFound | TaskStateConflict>
  /** The conversation as the model sees it; `full` shows what a summary stands for instead of the summary. */
  readonly messages: (id: TaskId, full?: boolean) => Effect.Effect<ReadonlyArray<MessageView>, TaskNotFound>
  /** Everything after the event `after`, then what comes, without a gap; ends after the terminal status. */
  readonly events: (id: TaskId, after: Option.Option<string>) => Effect.Effect<Stream.Stream<TaskEvent>, TaskNotFound>
  readonly workerStatus: (id: TaskId) => Effect.Effect<WorkerStatus, TaskNotFound>
}>() {}
