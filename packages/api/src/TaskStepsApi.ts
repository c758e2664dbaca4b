import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { StepContext, TaskStep } from "@troupe/domain/TaskStep"
import { Schema } from "effect"
import { Authentication } from "./Authentication.ts"
import { checkedWhole, described, pathParameter, titled } from "./Fields.ts"
import { page } from "./Listing.ts"
import * as Problems from "./Problems.ts"

const taskId = pathParameter("task_id", "Task id")
const seq = pathParameter("seq", "Number of the step")

const number = (description: string) =>
  Schema.NumberFromString.pipe(Schema.int(), Schema.between(0, 2_147_483_647)).annotations({
    jsonSchema: { type: "integer", minimum: 0, maximum: 2_147_483_647, description },
    message: () => "the number of a step"
  })

export const StepsQuery = Schema.Struct({
  after: Schema.optional(number("Only steps after this number")),
  ...page(number("The number that the previous page ended with"))
})
export type StepsQuery = typeof StepsQuery.Type

/** The journal of a task: each step, and what the model saw at it. */
export class TaskStepsApi extends HttpApiGroup.make("taskSteps")
  .add(
    HttpApiEndpoint.get("list")`/task/${taskId}/steps`
      .setUrlParams(checkedWhole(StepsQuery))
      .addSuccess(Schema.Array(TaskStep))
      .addError(Problems.taskNotFound)
      .annotateContext(described(
        "The steps of a task, newest first, with the first 2,000 characters of each text. In hosted mode, whoever may not read "
          + "the task's content gets no texts, calls and results"
      ))
  )
  .add(
    HttpApiEndpoint.get("find")`/task/${taskId}/steps/${seq}`
      .addSuccess(TaskStep)
      .addError(Problems.taskNotFound)
      .addError(Problems.stepNotFound)
      .annotateContext(described("One step with its whole texts"))
  )
  .add(
    HttpApiEndpoint.get("context")`/task/${taskId}/steps/${seq}/context`
      .addSuccess(StepContext)
      .addError(Problems.taskNotFound)
      .addError(Problems.stepNotFound)
      .annotateContext(described(
        "What the model saw when it made a step of kind `model`, or sees after one of kind `compacted`: the messages, and of a "
          + "call the whole system prompt and the tools. In hosted mode, for the task's creator, its assignee, the owner and admins; 403 "
          + "for other members"
      ))
  )
  .add(
    HttpApiEndpoint.get("export")`/task/${taskId}/export`
      .addSuccess(HttpApiSchema.Text({ contentType: "application/x-ndjson" }))
      .addError(Problems.taskNotFound)
      .annotateContext(described(
        "The task and all its steps as lines of JSON: first `{\"task\": ...}`, then `{\"step\": ...}` for each step, oldest first. "
          + "In hosted mode, for the task's creator, its assignee, the owner and admins; 403 for other members"
      ))
  )
  .middlewareEndpoints(Authentication)
  .annotateContext(titled("Task steps", "The journal of a task: each step, and what the model saw at it."))
{}
