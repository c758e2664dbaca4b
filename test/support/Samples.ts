import { defaultUser, TaskId } from "@troupe/domain/Ids"
import type { Task, Usage } from "@troupe/domain/Task"
import { User } from "@troupe/domain/User"
import { Schema } from "effect"
import type { TaskRequest } from "../../src/Task/Tasks.ts"

const at = "2026-01-01T00:00:00.000Z"

/** A task that was just submitted. */
export const sampleTask = (more: Partial<Task> = {}): Task => ({
  id: TaskId.make("00000000-0000-7000-8000-000000000001"),
  title: "A task",
  description: "",
  status: "pending",
  created_at: at,
  updated_at: at,
  progress: 0,
  question: null,
  choices: [],
  waiting_for: null,
  plan: null,
  last_tool_call_id: null,
  checkpoint_thread_id: null,
  logs: [],
  outputs: [],
  creator: defaultUser,
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
  tokens_used: 0,
  error: null,
  archived_at: null,
  project_id: null,
  attachments: [],
  iteration_count: 0,
  usage: { ...noUsage, total: noUsage },
  started_at: null,
  completed_at: null,
  continued_from: null,
  ...more
})

export const noUsage: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  model_calls: 0,
  tool_calls: 0,
  cost: null
}

/** A request for a task of the default user. */
export const sampleRequest = (message: string, more: Partial<TaskRequest> = {}): TaskRequest => ({
  message,
  userId: defaultUser,
  ...more
})

/** A user with this id and no profile, as the service sends one. */
export const encodedUser = (id: string): typeof User.Encoded => ({
  id,
  name: null,
  display_name: null,
  email: null,
  chat_user_id: null,
  title: null,
  timezone: null,
  role: "member",
  responsibilities: null,
  avatar_url: null,
  is_system: false,
  notify_by: [],
  overrides: [],
  created_at: "2026-01-15T09:30:00.000Z",
  updated_at: "2026-01-15T09:30:00.000Z"
})

export const sampleUser = (id: string): User => Schema.decodeSync(User)(encodedUser(id))
