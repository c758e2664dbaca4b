import { SearchUnfinished } from "@troupe/domain/Search"
import { IdempotencyConflict, TaskNotFound, TaskRequestInvalid, TaskStateConflict } from "@troupe/domain/Task"
import { problem } from "./Problem.ts"

/** Every error of the domain that leaves over HTTP, with the problem it leaves as. */
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
  title: "The idempotency key was used for another request"
})

export const taskRequestInvalid = problem(TaskRequestInvalid, {
  slug: "task-request-invalid",
  status: 400,
  title: "The task can't be made like this",
  errors: ({ path, reason }) => [{ path, message: reason }]
})

/** The request is fine and may succeed at a quieter time, so it is not 400 but 503, with `Retry-After`. */
export const searchUnfinished = problem(SearchUnfinished, {
  slug: "search-unfinished",
  status: 503,
  title: "The search was given up"
})
