import { type Approval, ApprovalId } from "@troupe/domain/Approval"
import { blankTask } from "@troupe/domain/BlankTask"
import { deliveryGateways, type GatewayName } from "@troupe/domain/DeliveryWay"
import { defaultUser, TaskId, ToolCallId } from "@troupe/domain/Ids"
import { type Task } from "@troupe/domain/Task"
import { User } from "@troupe/domain/User"
import { Record, Schema } from "effect"
import type { TaskRequest } from "../../src/Task/UseCase/Tasks.ts"

const at = "2026-01-01T00:00:00.000Z"

/** A task that was just submitted. */
export const sampleTask = (more: Partial<Task> = {}): Task => ({
  ...blankTask,
  id: TaskId.make("00000000-0000-7000-8000-000000000001"),
  title: "A task",
  created_at: at,
  updated_at: at,
  creator: defaultUser,
  ...more
})

export const sampleApproval: Approval = {
  id: ApprovalId.make("00000000-0000-7000-8000-000000000002"),
  task_id: TaskId.make("00000000-0000-7000-8000-000000000001"),
  tool_call_id: ToolCallId.make("call"),
  tool: "files__delete",
  server: "files",
  class: "destructive",
  context: "trusted",
  outside_since: null,
  outside_because: null,
  private_since: null,
  arguments: { path: "a.txt" },
  files: [],
  rule: null,
  cause: null,
  preset: "balanced",
  requester: defaultUser,
  who: ["requester", "admin"],
  status: "open",
  decided_by: null,
  decided_at: null,
  via: null,
  reason: null,
  edited: false,
  created_at: at
}

/** A request for a task of the default user. */
export const sampleRequest = (message: string, more: Partial<TaskRequest> = {}): TaskRequest => ({
  message,
  user_id: defaultUser,
  ...more
})

/** A user with this id and no profile, as the service sends one. */
export const encodedUser = (id: string): typeof User.Encoded => ({
  id,
  name: null,
  display_name: null,
  email: null,
  chat_user_id: null,
  ...Record.map<GatewayName, unknown, null>(deliveryGateways, () => null),
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
