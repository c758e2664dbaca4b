import type { TaskType } from "@troupe/domain/Task"
import type { TaskState } from "@troupe/domain/TaskState"

/** The state of a task as it is stored when it is submitted. */
export const initialState = (type: TaskType): TaskState => ({
  type,
  status: "pending",
  question: null,
  lastToolCallId: null,
  error: null
})
