import { SearchUnfinished } from "@troupe/domain/Search"
import { IdempotencyConflict, TaskNotFound, TaskRequestInvalid, TaskStateConflict } from "@troupe/domain/Task"
import { problem } from "./Problem.ts"

/** The domain errors of tasks and searches, each with its problem. */
export const taskNotFound = problem(TaskNotFound, {
  slug: "task-not-found",
  status: 404,
  title: "No such task"
})

export const taskStateConflict = problem(TaskStateConflict, {
  slug: "task-state-conflict",
  status: 409,
  title: "The task's state does not allow it"
})

export const idempotencyConflict = problem(IdempotencyConflict, {
  slug: "idempotency-conflict",
  status: 409,
  title: "The idempotency key can't be used again"
})

export const taskRequestInvalid = problem(TaskRequestInvalid, {
  slug: "task-request-invalid",
  status: 400,
  title: "The request for the task is invalid",
  errors: ({ path, reason }) => [{ path, message: reason }]
})

/** The request is valid and may succeed later: 503 with `Retry-After`. */
export const searchUnfinished = problem(SearchUnfinished, {
  slug: "search-unfinished",
  status: 503,
  title: "The search was aborted"
})
