import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { ScheduleId } from "@troupe/domain/Ids"
import { Schedule, ScheduleExpectation, ScheduleKind, ScheduleStatus } from "@troupe/domain/Schedule"
import { Schema } from "effect"
import { Authentication } from "./Authentication.ts"
import { checkedWhole, described, optional, pathParameter, person, text, titled, withStatus } from "./Fields.ts"
import { page } from "./Listing.ts"
import * as Problems from "./Problems.ts"

const scheduleId = pathParameter("schedule_id", "Schedule id")

const common = {
  kind: optional(ScheduleKind.annotations({
    description: "task: each run makes a task; reminder: each run notifies the user. Default of a new schedule: task"
  })),
  at: optional(text(100, "When it runs once: ISO 8601, or words such as `tomorrow at 9`; either this or `every`")),
  every: optional(
    text(
      200,
      "When it recurs: a five-field cron, or words such as `every weekday at 9`, `every evening at 6`, `every other week` "
        + "or `last friday of the month`; words that mean one time, such as `in the morning`, are refused"
    )
  ),
  channel_id: optional(text(255, "The chat platform's id of the channel for results and reminders")),
  agent: Schema.optional(
    Schema.NullOr(text(255, "The agent of its tasks")).annotations({
      description: "The agent of its tasks; null: none in particular"
    })
  ),
  expects: Schema.optional(
    Schema.NullOr(ScheduleExpectation).annotations({
      description:
        "output: a run with an empty result, or the same one as the run before, counts as failed; null: any result will do",
      message: () => "output, or null"
    })
  ),
  max_cost: Schema.optional(
    Schema.NullOr(Schema.Finite.pipe(Schema.positive())).annotations({
      description: "What each of its tasks may cost with its subtasks, in the currency of MODEL_PRICES; null: no limit",
      message: () => "a number greater than 0, or null"
    })
  ),
  title: optional(text(500, "Title; default: taken from the message"))
}

const message = text(100_000, "What the agent should do, or the text of the reminder")

export const ScheduleDraft = Schema.Struct({
  message,
  ...common,
  timezone: optional(text(100, "IANA time zone; default: the user's, or else UTC")),
  user_id: optional(person("Whose it is; default: the caller, or `default`"))
}).annotations({ identifier: "ScheduleDraft" })
export type ScheduleDraft = typeof ScheduleDraft.Type

export const ScheduleUpdate = Schema.Struct({
  message: optional(message),
  ...common,
  timezone: optional(text(100, "IANA time zone; a recurrence keeps its local time"))
}).annotations({ identifier: "ScheduleUpdate" })
export type ScheduleUpdate = typeof ScheduleUpdate.Type

export const SchedulePreviewRequest = Schema.Struct({
  at: common.at,
  every: common.every,
  timezone: optional(text(100, "IANA time zone; default: UTC"))
}).annotations({ identifier: "SchedulePreviewRequest" })
export type SchedulePreviewRequest = typeof SchedulePreviewRequest.Type

/** When a schedule would run. */
export const SchedulePreview = Schedule.pick("at", "cron", "every", "timezone", "next_runs")
  .annotations({ identifier: "SchedulePreview" })
export type SchedulePreview = typeof SchedulePreview.Type

export const ScheduleQuery = Schema.Struct({
  user_id: Schema.optional(person("Only schedules of this user")),
  status: Schema.optional(ScheduleStatus.annotations({ description: "Only schedules with this status" })),
  ...page(ScheduleId)
})

/** Scheduled tasks and reminders. A member sees and changes their own. */
export class SchedulesApi extends HttpApiGroup.make("schedules")
  .add(
    HttpApiEndpoint.get("list")`/api/schedules`
      .setUrlParams(checkedWhole(ScheduleQuery))
      .addSuccess(Schema.Array(Schedule))
      .addError(Problems.notAllowed)
      .addError(Problems.personUnknown)
      .annotateContext(described("Schedules, newest first; those that have ended stay for 30 days"))
  )
  .add(
    HttpApiEndpoint.post("create")`/api/schedules`
      .setPayload(checkedWhole(ScheduleDraft))
      .addSuccess(withStatus(201, Schedule))
      .addError(Problems.notAllowed)
      .addError(Problems.personUnknown)
      .addError(Problems.channelNotFound)
      .addError(Problems.scheduleInvalid)
      .addError(Problems.tooManySchedules)
      .annotateContext(described("Creates a schedule"))
  )
  .add(
    HttpApiEndpoint.post("preview")`/api/schedules/preview`
      .setPayload(checkedWhole(SchedulePreviewRequest))
      .addSuccess(SchedulePreview)
      .addError(Problems.scheduleInvalid)
      .annotateContext(described("When a schedule with this time would run; nothing is created"))
  )
  .add(
    HttpApiEndpoint.get("get")`/api/schedules/${scheduleId}`
      .addSuccess(Schedule)
      .addError(Problems.scheduleNotFound)
      .annotateContext(described("A schedule with its next runs"))
  )
  .add(
    HttpApiEndpoint.put("change")`/api/schedules/${scheduleId}`
      .setPayload(checkedWhole(ScheduleUpdate))
      .addSuccess(Schedule)
      .addError(Problems.channelNotFound)
      .addError(Problems.scheduleInvalid)
      .addError(Problems.scheduleNotFound)
      .addError(Problems.tooManySchedules)
      .annotateContext(
        described("Changes what the body names; a new time makes a schedule that has ended active again")
      )
  )
  .add(
    HttpApiEndpoint.del("remove")`/api/schedules/${scheduleId}`
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Problems.scheduleNotFound)
      .annotateContext(described("Deletes a schedule; its tasks and reminders stay"))
  )
  .add(
    HttpApiEndpoint.post("pause")`/api/schedules/${scheduleId}/pause`
      .addSuccess(Schedule)
      .addError(Problems.scheduleNotFound)
      .addError(Problems.scheduleEnded)
      .annotateContext(described("Stops the runs until it is resumed; a second call changes nothing"))
  )
  .add(
    HttpApiEndpoint.post("resume")`/api/schedules/${scheduleId}/resume`
      .addSuccess(Schedule)
      .addError(Problems.scheduleNotFound)
      .addError(Problems.scheduleEnded)
      .annotateContext(described("Continues with the next run from now on; a second call changes nothing"))
  )
  .add(
    HttpApiEndpoint.post("run")`/api/schedules/${scheduleId}/run`
      .addSuccess(Schedule)
      .addError(Problems.scheduleNotFound)
      .addError(Problems.scheduleEnded)
      .annotateContext(described("Runs it now, in addition to its plan; `last_task_id` is the task"))
  )
  .middlewareEndpoints(Authentication)
  .annotateContext(titled("Schedules", "Scheduled tasks and reminders."))
{}
