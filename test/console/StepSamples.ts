import type { Approval, Task, TaskStep } from "@troupe/client"
import { blankTask } from "@troupe/domain/BlankTask"

export const at = "2026-11-28T09:00:00.000Z"
export const ada = { user_id: "ada", name: "Ada", via: "chat" } as const

export const makeTask = (given: Partial<Task> = {}): Task => ({
  ...blankTask,
  outputs: [],
  logs: [],
  choices: [],
  approvals: [],
  attachments: [],
  id: "task",
  title: "A task",
  created_at: at,
  updated_at: at,
  creator: "ada",
  ...given
})

export const makeStep = (seq: number, given: Partial<TaskStep>): TaskStep => ({
  seq,
  kind: "model",
  at,
  duration_ms: null,
  status: null,
  ended_by: null,
  title: `Step ${seq}`,
  text: null,
  by: null,
  thinking: null,
  input_tokens: null,
  output_tokens: null,
  cost: null,
  calls: [],
  results: [],
  subtasks: [],
  until: null,
  truncated: false,
  ...given
})

export const call = (id: string, name: string) => ({ id, name, arguments: `{"path":"${id}.txt"}` })
export const result = (id: string, name: string, content = "ok") => ({ id, name, content, duration_ms: 5 })

export const makeApproval = (call: string, given: Partial<Approval> = {}): Approval => ({
  id: call,
  task_id: "task",
  tool_call_id: call,
  tool: "send_email",
  server: null,
  class: "outside",
  context: "trusted",
  outside_since: null,
  outside_because: null,
  private_since: null,
  arguments: {},
  files: [],
  rule: null,
  cause: null,
  preset: "balanced",
  requester: "ada",
  who: ["requester", "admin"],
  status: "open",
  decided_by: null,
  decided_at: null,
  via: null,
  reason: null,
  edited: false,
  created_at: at,
  ...given
})
