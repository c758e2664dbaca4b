import { ScheduleId, TaskId } from "@troupe/domain/Ids"
import { TaskSourceKind, TaskStatus, TaskType } from "@troupe/domain/Task"
import { DateTime, Option, Schema, Struct } from "effect"
import { flag, person } from "./Fields.ts"
import { page } from "./Listing.ts"

const time = (description: string) =>
  Schema.optional(
    Schema.String.pipe(
      Schema.filter((text) =>
        /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/.test(text) && Option.isSome(DateTime.make(text))
      )
    ).annotations({
      // Without it, the document has no description of a filter.
      jsonSchema: {},
      description: `${description}, as 2026-01-31 or 2026-01-31T09:30:00Z`,
      message: () => "a day such as 2026-01-31, or a time in UTC such as 2026-01-31T09:30:00Z"
    })
  )

const cancelledOnly = "Only failed tasks that somebody cancelled; false: only tasks that nobody cancelled"
const sleepingOnly = "Only running tasks that sleep until a time; false: only tasks that do not sleep"

/** Which tasks a list or a count is of. */
export const TaskFilter = Schema.Struct({
  creator: Schema.optional(person("Only tasks of this user")),
  assignee: Schema.optional(person("Only tasks assigned to this user")),
  project_id: Schema.optional(Schema.String.annotations({ description: "Only tasks of this channel or project" })),
  source: Schema.optional(
    Schema.Literal(...TaskSourceKind.literals, "api").annotations({
      description: "Only tasks made by this: team chat, mail, a schedule or a webhook, or by a request to the API"
    })
  ),
  schedule_id: Schema.optional(ScheduleId.annotations({ description: "Only tasks that this schedule made" })),
  webhook_type: Schema.optional(
    Schema.String.annotations({ description: "Only tasks created by this type of webhook" })
  ),
  agent: Schema.optional(Schema.String.annotations({ description: "Only tasks of this agent" })),
  task_type: Schema.optional(TaskType.annotations({ description: "Subtasks are listed only when asked for" })),
  parent_task_id: Schema.optional(TaskId.annotations({ description: "Only subtasks of this task" })),
  created_from: time("Only tasks made at this time or later"),
  created_before: time("Only tasks made before this time"),
  q: Schema.optional(
    Schema.String.annotations({
      description:
        "Text in the title or the description; of tasks whose content the caller may not read, in the title. A text of "
        + "one or two characters is sought among some thousand tasks at a time"
    })
  ),
  cancelled: flag(cancelledOnly),
  sleeping: flag(sleepingOnly),
  include_archived: flag("Archived tasks too"),
  archived: flag("Only archived tasks; false: as without it")
})
export type TaskFilter = typeof TaskFilter.Type

export const TaskQuery = Schema.Struct({
  status: Schema.optional(TaskStatus.annotations({ description: "Only tasks with this status" })),
  ...TaskFilter.fields,
  continued_from: Schema.optional(TaskId.annotations({ description: "Only tasks that continue this one" })),
  ...page(TaskId)
})
export type TaskQuery = typeof TaskQuery.Type

/** The tasks that a bulk operation changes: the filter of a list. An unknown field is an error: without it, more would match. */
export const BulkFilter = Schema.Struct({
  status: TaskQuery.fields.status,
  ...Struct.omit(TaskFilter.fields, "archived", "cancelled", "include_archived", "sleeping"),
  cancelled: Schema.optional(Schema.Boolean.annotations({ description: cancelledOnly })),
  sleeping: Schema.optional(Schema.Boolean.annotations({ description: sleepingOnly })),
  ids: Schema.optional(
    Schema.Array(TaskId).pipe(Schema.maxItems(1_000)).annotations({
      description: "Only these tasks, as a person selected them in a list; at most 1,000"
    })
  )
}).annotations({ identifier: "BulkFilter", parseOptions: { errors: "all", onExcessProperty: "error" } })
