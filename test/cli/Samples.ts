import { makeTextStyle } from "@troupe/cli/Format"
import { TaskId, UserId } from "@troupe/domain/Ids"
import { type Task, type TaskLogEntry } from "@troupe/domain/Task"
import { noUsage } from "@troupe/domain/Usage"
import { sampleTask } from "../support/Samples.ts"

export const plain = makeTextStyle(false)

export const taskOf = (more: Partial<Task> = {}): Task =>
  sampleTask({
    id: TaskId.make("01a203a8-8051-736f-bd7c-e85550d48e52"),
    title: "Write a report",
    description: "Write a report",
    status: "completed",
    created_at: "2026-01-02T03:04:05.000Z",
    updated_at: "2026-01-02T03:04:20.000Z",
    progress: 100,
    creator: UserId.make("ann"),
    tokens_used: 1_234,
    iteration_count: 2,
    usage: { ...noUsage, model_calls: 2, tool_calls: 1, total: noUsage },
    started_at: "2026-01-02T03:04:06.000Z",
    completed_at: "2026-01-02T03:04:18.000Z",
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
