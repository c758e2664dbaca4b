import { makeTextStyle } from "@troupe/cli/TextStyle"
import { TaskId, UserId } from "@troupe/domain/Ids"
import { noUsage, type Task, type TaskLogEntry } from "@troupe/domain/Task"

export const plain = makeTextStyle(false)

export const taskOf = (more: Partial<Task> = {}): Task => ({
  id: TaskId.make("01a203a8-8051-736f-bd7c-e85550d48e52"),
  title: "Write a report",
  description: "Write a report",
  status: "completed",
  created_at: "2026-01-02T03:04:05.000Z",
  updated_at: "2026-01-02T03:04:20.000Z",
  progress: 100,
  question: null,
  plan: null,
  last_tool_call_id: null,
  checkpoint_thread_id: null,
  logs: [],
  outputs: [],
  creator: UserId.make("ann"),
  assignee: null,
  source: null,
  webhook_type: null,
  webhook_payload: null,
  webhook_headers: null,
  source_ip: null,
  celery_task_id: null,
  parent_task_id: null,
  task_type: "task",
  agent_type: null,
  token_budget: null,
  tokens_used: 1_234,
  error: null,
  archived_at: null,
  project_id: null,
  attachments: [],
  iteration_count: 2,
  usage: { ...noUsage, model_calls: 2, tool_calls: 1 },
  started_at: "2026-01-02T03:04:06.000Z",
  completed_at: "2026-01-02T03:04:18.000Z",
  continued_from: null,
  ...more
})

export const logOf = (more: Partial<TaskLogEntry> = {}): TaskLogEntry => ({
  id: "1.0",
  timestamp: "2026-01-02T03:04:06.000Z",
  level: "info",
  event: "status",
  message: "The task started",
  data: null,
  ...more
})
