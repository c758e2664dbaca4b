import { Schema, Struct } from "effect"
import { blankTask } from "./BlankTask.ts"
import { type Caller, isAdmin } from "./Caller.ts"
import type { UserId } from "./Ids.ts"
import { type LogEvent, type Task, type TaskLogEntry, TaskStatus } from "./Task.ts"

/**
 * The creator and the assignee of a task, and of a subtask those of the task that dispatched it. The policy of the steps in
 * PostgreSQL (migration 0009) is the same rule.
 */
export const mayReadContent = (reader: Caller, people: ReadonlyArray<UserId | null>): boolean =>
  isAdmin(reader) || people.includes(reader.id)

const statusLines: Readonly<Record<TaskStatus, string>> = {
  pending: "The task will start again",
  running: "The task started or resumed",
  completed: "The task completed",
  failed: "The task failed",
  waiting_input: "The task waits for an answer",
  waiting_subagents: "The task waits for its subtasks"
}

const lines: Readonly<Record<LogEvent, string>> = {
  status: "The task was sent a message, or waits for a time",
  model: "The model answered",
  tool_call: "A tool was called, or reported its progress",
  tool_result: "A tool returned its result",
  compaction: "The conversation was shortened",
  skill: "Skills, tools or work steps were selected",
  subagent: "A subagent was dispatched",
  notification: "The user was notified",
  budget: "A limit of the task is near or reached",
  error: "An error occurred"
}

const StatusData = Schema.Struct({ status: TaskStatus })
const isStatusData = Schema.is(StatusData)

/** A log line without content: what kind of thing happened, and when. */
export const outlineOfLog = ({ data, event, ...line }: TaskLogEntry): TaskLogEntry => ({
  ...Struct.pick(line, "id", "timestamp", "level"),
  event,
  message: event === "status" && isStatusData(data) ? statusLines[data.status] : lines[event],
  data: null
})

/**
 * What every member of the team sees of a task: neither its request and conversation nor what others sent to it. The title
 * and the outputs of a subtask are the argument and the result of a tool call of its parent.
 */
export const outlineOf = (task: Task): Task => ({
  ...blankTask,
  ...Struct.pick(
    task,
    "id",
    "title",
    "status",
    "created_at",
    "updated_at",
    "progress",
    "waiting_for",
    "checkpoint_thread_id",
    "outputs",
    "creator",
    "assignee",
    "source",
    "webhook_type",
    "celery_task_id",
    "parent_task_id",
    "task_type",
    "agent_type",
    "agent",
    "agent_revision",
    "ended_by",
    "end_label",
    "max_iterations",
    "max_cost",
    "token_budget",
    "tokens_used",
    "archived_at",
    "project_id",
    "iteration_count",
    "usage",
    "started_at",
    "completed_at",
    "continued_from"
  ),
  ...(task.task_type === "subtask" ? { title: "Subtask", outputs: [] } : {}),
  logs: task.logs.map(outlineOfLog)
})
