import { Schema } from "effect"
import { Approval } from "./Approval.ts"
import { ScheduleId, TaskId, UserId } from "./Ids.ts"
import { QuestionForm } from "./QuestionForm.ts"
import { Timestamp } from "./Timestamp.ts"
import { TaskUsage } from "./Usage.ts"
import { WaitingFor } from "./WaitingFor.ts"

export const TaskStatus = Schema.Literal(
  "pending",
  "running",
  "completed",
  "failed",
  "waiting_input",
  "waiting_subagents"
)
export type TaskStatus = typeof TaskStatus.Type

/** Why a task ended. `limit` and `budget`: it was completed before the agent was done. */
export const EndedBy = Schema.Literal("answer", "limit", "budget", "cancelled", "failure")
export type EndedBy = typeof EndedBy.Type

/** What completes a task before its agent is done. */
export const CutBy = EndedBy.pipe(Schema.pickLiteral("limit", "budget"))
export type CutBy = typeof CutBy.Type

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

/** What a task that continues another begins with. */
export const ContinueFrom = Schema.Literal("outcome", "conversation")
export type ContinueFrom = typeof ContinueFrom.Type

/** The smallest token budget of a task. */
export const minTokenBudget = 4_000

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

/** `id` is `<step>.<index>`: it orders the lines and resumes an event stream. */
export const TaskLogEntry = Schema.Struct({
  id: Schema.String.annotations({ description: "Orders the lines and resumes an event stream" }),
  timestamp: Timestamp.annotations({ description: "When it happened" }),
  level: LogLevel.annotations({ description: "debug, info, warning or error" }),
  event: LogEvent.annotations({ description: "What kind of thing happened" }),
  message: Schema.String.annotations({ description: "What happened, in words" }),
  data: Schema.NullOr(Schema.Unknown).annotations({ description: "Its facts" })
}).annotations({ identifier: "TaskLogEntry" })
export type TaskLogEntry = typeof TaskLogEntry.Type

export const TaskOutput = Schema.Struct({
  id: Schema.String.annotations({ description: "Output id" }),
  type: Schema.Literal("text", "file").annotations({ description: "text or file" }),
  content: Schema.NullOr(Schema.String).annotations({ description: "The text" }),
  filename: Schema.NullOr(Schema.String).annotations({ description: "The file, in the user's sandbox" }),
  size: Schema.NullOr(Schema.Int).annotations({ description: "Bytes of the file" }),
  created_at: Timestamp.annotations({ description: "When it was created" })
}).annotations({ identifier: "TaskOutput" })
export type TaskOutput = typeof TaskOutput.Type

export const Task = Schema.Struct({
  id: TaskId,
  title: Schema.String.annotations({ description: "Title" }),
  description: Schema.String.annotations({ description: "The request" }),
  status: TaskStatus.annotations({ description: "Status of the task" }),
  created_at: Timestamp.annotations({ description: "When it was created" }),
  updated_at: Timestamp.annotations({ description: "When it last changed" }),
  progress: Schema.Int.annotations({ description: "Percent, 0 to 100; it never falls" }),
  question: Schema.NullOr(Schema.String).annotations({
    description: "The pending question, when status is waiting_input"
  }),
  choices: Schema.Array(Schema.String).annotations({
    description: "What the pending question offers to choose from; other answers are possible"
  }),
  form: Schema.NullOr(QuestionForm).annotations({
    description: "The form that answers the pending question: `fields` of POST /human_response; null: none"
  }),
  url: Schema.NullOr(Schema.String).annotations({
    description: "The page that the pending question asks a person to open, of a tool server; null: none"
  }),
  approvals: Schema.Array(Approval).annotations({
    description: "The calls that it asks a person to approve, and those that were decided"
  }),
  waiting_for: Schema.NullOr(WaitingFor).annotations({
    description: "Why the task does nothing now; null while it runs, is about to start or is finished"
  }),
  plan: Schema.NullOr(Schema.String).annotations({ description: "The agent's plan" }),
  last_tool_call_id: Schema.NullOr(Schema.String).annotations({
    description: "The waiting tool call: its id, or a JSON array of ids as text"
  }),
  checkpoint_thread_id: Schema.NullOr(Schema.String).annotations({
    description: "Thread of the saved state: task-<id> from the first run until the task is completed"
  }),
  logs: Schema.Array(TaskLogEntry).annotations({ description: "Log lines; empty in lists" }),
  outputs: Schema.Array(TaskOutput).annotations({ description: "Results and files; empty in lists" }),
  creator: UserId.annotations({ description: "The owner" }),
  assignee: Schema.NullOr(UserId).annotations({ description: "The user who answers its questions" }),
  source: Schema.NullOr(TaskSourceKind).annotations({
    description: "What made it: team chat, mail, a schedule or a webhook; null for a request to the API"
  }),
  schedule_id: Schema.NullOr(ScheduleId).annotations({ description: "The schedule that made it" }),
  webhook_type: Schema.NullOr(Schema.String).annotations({ description: "The type of webhook that created it" }),
  webhook_payload: Schema.NullOr(Schema.Unknown).annotations({
    description: "The payload of the webhook; null in lists"
  }),
  webhook_headers: Schema.NullOr(Schema.Unknown).annotations({
    description: "The webhook's headers, secrets redacted; null in lists"
  }),
  source_ip: Schema.NullOr(Schema.String).annotations({ description: "Where the webhook came from" }),
  celery_task_id: Schema.NullOr(Schema.String).annotations({
    description: "Id of the wake-up that started the current run"
  }),
  parent_task_id: Schema.NullOr(TaskId).annotations({ description: "The task that dispatched this subtask" }),
  task_type: TaskType.annotations({ description: "task or subtask" }),
  agent_type: Schema.NullOr(AgentType).annotations({ description: "The kind of subagent" }),
  agent: Schema.NullOr(Schema.String).annotations({
    description: "The agent that works on it; null: none in particular"
  }),
  agent_revision: Schema.NullOr(Schema.String).annotations({
    description: "The revision of the agent's file that it began with, and goes on with when the file changes"
  }),
  token_budget: Schema.NullOr(Schema.Int).annotations({ description: "Tokens it may use; null: no limit" }),
  tokens_used: Schema.Int.annotations({ description: "Input and output tokens used so far" }),
  error: Schema.NullOr(Schema.String).annotations({ description: "Why it failed, and what to do about it" }),
  ended_by: Schema.NullOr(EndedBy).annotations({
    description:
      "Why it ended: with the agent's answer; at its limit of iterations; at its budget, also where the agent closed in the "
      + "last call that fitted; cancelled; or a failure. null: it has not ended"
  }),
  end_label: Schema.NullOr(Schema.String).annotations({
    description:
      "`ended_by` in words, such as \"Stopped at its limit of 10 model calls\"; null: it ended with the agent's answer, or has not ended"
  }),
  max_iterations: Schema.NullOr(Schema.Int).annotations({
    description: "Its own hard limit of iterations; null: the default"
  }),
  max_cost: Schema.NullOr(Schema.Finite).annotations({
    description: "What it and its subtasks may cost, in the currency of MODEL_PRICES; null: no limit"
  }),
  archived_at: Schema.NullOr(Timestamp).annotations({ description: "When it was archived" }),
  project_id: Schema.NullOr(Schema.String).annotations({ description: "Channel or project it belongs to" }),
  attachments: Schema.Array(Schema.String).annotations({ description: "Names of the files that came with it" }),
  iteration_count: Schema.Int.annotations({ description: "Model steps so far" }),
  usage: TaskUsage.annotations({ description: "Tokens and calls so far" }),
  started_at: Schema.NullOr(Timestamp).annotations({ description: "When a worker first took it" }),
  completed_at: Schema.NullOr(Timestamp).annotations({ description: "When it ended" }),
  continued_from: Schema.NullOr(TaskId).annotations({ description: "The task that it follows up" })
}).annotations({ identifier: "Task", description: "A task, or a subtask that another task dispatched" })
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
  reason: Schema.String,
  errors: Schema.optional(
    Schema.Array(Schema.Struct({
      path: Schema.String.annotations({ description: "Where the fault is" }),
      message: Schema.String.annotations({ description: "What is wrong there" })
    })).annotations({ description: "Each fault, if there may be several" })
  )
}) {
  override get message() {
    const all = this.errors ?? [{ path: this.path, message: this.reason }]
    return all.map(({ message, path }) => `${path}: ${message}`).join("; ")
  }
}
