import { NotificationNotFound } from "@troupe/domain/Notification"
import { SearchUnfinished } from "@troupe/domain/Search"
import {
  SkillInvalid,
  SkillModelUnavailable,
  SkillNameTaken,
  SkillNotFound,
  SkillNotGenerated,
  SkillReadOnly,
  SkillsUnwritable
} from "@troupe/domain/Skill"
import { IdempotencyConflict, TaskNotFound, TaskRequestInvalid, TaskStateConflict } from "@troupe/domain/Task"
import { ToolServersInvalid } from "@troupe/domain/ToolServer"
import { UserNotFound } from "@troupe/domain/User"
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
  title: "The idempotency key can't be used again"
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

export const skillNotFound = problem(SkillNotFound, { slug: "skill-not-found", status: 404, title: "No such skill" })

export const skillNameTaken = problem(SkillNameTaken, {
  slug: "skill-name-taken",
  status: 409,
  title: "The skill's name is taken"
})

export const skillReadOnly = problem(SkillReadOnly, {
  slug: "skill-read-only",
  status: 409,
  title: "The skill comes with the service"
})

export const skillInvalid = problem(SkillInvalid, {
  slug: "skill-invalid",
  status: 400,
  title: "The skill can't be saved like this",
  errors: ({ reason }) => [{ path: "", message: reason }]
})

export const skillsUnwritable = problem(SkillsUnwritable, {
  slug: "skills-unwritable",
  status: 503,
  title: "The skills can't be written now"
})

export const skillModelUnavailable = problem(SkillModelUnavailable, {
  slug: "model-unavailable",
  status: 503,
  title: "The language model does not answer"
})

export const skillNotGenerated = problem(SkillNotGenerated, {
  slug: "skill-not-generated",
  status: 502,
  title: "The language model wrote no valid skill"
})

export const toolServersInvalid = problem(ToolServersInvalid, {
  slug: "tool-servers-invalid",
  status: 400,
  title: "The tool servers can't be configured like this",
  errors: ({ mistakes }) => mistakes
})

export const userNotFound = problem(UserNotFound, {
  slug: "user-not-found",
  status: 404,
  title: "No such user"
})

export const notificationNotFound = problem(NotificationNotFound, {
  slug: "notification-not-found",
  status: 404,
  title: "No such notification"
})
