import { Schema } from "effect"
import { TaskId, UserId } from "./Ids.ts"

export const TaskStatus = Schema.Literal(
  "pending",
  "running",
  "completed",
  "failed",
  "waiting_input",
  "waiting_subagents"
)
export type TaskStatus = typeof TaskStatus.Type

/** What makes a task by itself, beside requests to the API. */
export const TaskSourceKind = Schema.Literal("chat", "email", "schedule", "webhook")
export type TaskSourceKind = typeof TaskSourceKind.Type

export const TaskType = Schema.Literal("task", "subtask")
export type TaskType = typeof TaskType.Type

/**
 * Which tools the agent of a task has: all; those that change only the sender's own files and memories; or those that only
 * read. Less than all where nobody knows who sent the request.
 */
export const ToolAccess = Schema.Literal("all", "own", "read")
export type ToolAccess = typeof ToolAccess.Type

export const AgentType = Schema.Literal("general", "research", "tool-specialist")
export type AgentType = typeof AgentType.Type

export const Usage = Schema.Struct({
  input_tokens: Schema.Int,
  output_tokens: Schema.Int,
  model_calls: Schema.Int,
  tool_calls: Schema.Int,
  cost: Schema.NullOr(Schema.Finite)
})
export type Usage = typeof Usage.Type

/** The smallest token budget of a task. */
export const minTokenBudget = 4_000

/** What all tasks and subtasks of a user came to. `cost` is of those whose calls all had a price. */
export const UserUsage = Schema.Struct({
  user_id: UserId,
  tasks: Schema.Int,
  unpriced_tasks: Schema.Int,
  ...Usage.fields
}).annotations({ identifier: "UserUsage" })
export type UserUsage = typeof UserUsage.Type

export const LogLevel = Schema.Literal("debug", "info", "warning", "error")
export type LogLevel = typeof LogLevel.Type

export const LogEvent = Schema.Literal(
  "status",
  "model",
  "tool_call",
  "tool_result",
  "compaction",
  "skill",
  "subagent",
  "notification",
  "budget",
  "error"
)
export type LogEvent = typeof LogEvent.Type

/** ISO 8601 UTC with milliseconds and `Z`, as every time on the wire. */
export const Timestamp = Schema.String.annotations({ description: "ISO 8601 UTC, milliseconds, Z" })

/** `id` is `<step>.<index>`: it orders the lines and resumes an event stream. */
export const TaskLogEntry = Schema.Struct({
  id: Schema.String,
  timestamp: Timestamp,
  level: LogLevel,
  event: LogEvent,
  message: Schema.String,
  data: Schema.NullOr(Schema.Unknown)
}).annotations({ identifier: "TaskLogEntry" })
export type TaskLogEntry = typeof TaskLogEntry.Type

export const TaskOutput = Schema.Struct({
  id: Schema.String,
  type: Schema.Literal("text", "file"),
  content: Schema.NullOr(Schema.String),
  filename: Schema.NullOr(Schema.String),
  size: Schema.NullOr(Schema.Int),
  created_at: Timestamp
}).annotations({ identifier: "TaskOutput" })
export type TaskOutput = typeof TaskOutput.Type

export const Task = Schema.Struct({
  id: TaskId,
  title: Schema.String,
  description: Schema.String,
  status: TaskStatus,
  created_at: Timestamp,
  updated_at: Timestamp,
  progress: Schema.Int,
  question: Schema.NullOr(Schema.String),
  plan: Schema.NullOr(Schema.String),
  last_tool_call_id: Schema.NullOr(Schema.String),
  checkpoint_thread_id: Schema.NullOr(Schema.String),
  logs: Schema.Array(TaskLogEntry),
  outputs: Schema.Array(TaskOutput),
  creator: UserId,
  assignee: Schema.NullOr(UserId),
  source: Schema.NullOr(TaskSourceKind),
  webhook_type: Schema.NullOr(Schema.String),
  webhook_payload: Schema.NullOr(Schema.Unknown),
  webhook_headers: Schema.NullOr(Schema.Unknown),
  source_ip: Schema.NullOr(Schema.String),
  celery_task_id: Schema.NullOr(Schema.String),
  parent_task_id: Schema.NullOr(TaskId),
  task_type: TaskType,
  agent_type: Schema.NullOr(AgentType),
  token_budget: Schema.NullOr(Schema.Int),
  tokens_used: Schema.Int,
  error: Schema.NullOr(Schema.String),
  archived_at: Schema.NullOr(Timestamp),
  project_id: Schema.NullOr(Schema.String),
  attachments: Schema.Array(Schema.String),
  iteration_count: Schema.Int,
  usage: Usage,
  started_at: Schema.NullOr(Timestamp),
  completed_at: Schema.NullOr(Timestamp),
  continued_from: Schema.NullOr(TaskId)
}).annotations({ identifier: "Task" })
export type Task = typeof Task.Type

export class TaskNotFound extends Schema.TaggedError<TaskNotFound>()("TaskNotFound", { id: Schema.String }) {
  override get message() {
    return `There is no task ${this.id}.`
  }
}

export class TaskStateConflict extends Schema.TaggedError<TaskStateConflict>()("TaskStateConflict", {
  id: TaskId,
  status: TaskStatus,
  wanted: Schema.String
}) {
  override get message() {
    return `Task ${this.id} is ${this.status}: ${this.wanted}.`
  }
}

/** An `Idempotency-Key` was used again within 24 hours with another body, or after its task was deleted. */
export class IdempotencyConflict extends Schema.TaggedError<IdempotencyConflict>()("IdempotencyConflict", {
  key: Schema.String,
  because: Schema.Literal("other body", "task deleted")
}) {
  override get message() {
    return this.because === "task deleted"
      ? `The task of the Idempotency-Key "${this.key}" was deleted; use a new key to submit it again.`
      : `The Idempotency-Key "${this.key}" was already used with another request body; use a new key.`
  }
}

export class TaskRequestInvalid extends Schema.TaggedError<TaskRequestInvalid>()("TaskRequestInvalid", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.path}: ${this.reason}`
  }
}
