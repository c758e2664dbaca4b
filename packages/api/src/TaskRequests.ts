import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { TaskId } from "@troupe/domain/Ids"
import { ContinueFrom, minTokenBudget, Task, TaskStatus } from "@troupe/domain/Task"
import { Day } from "@troupe/domain/Usage"
import { Schema } from "effect"
import { optional, person, text } from "./Fields.ts"

const maxMessage = 100_000

export const ChatRequest = Schema.Struct({
  message: text(maxMessage, "What the agent should do"),
  user_id: optional(
    person("The owner of the task; default: the caller, or `default`; self-hosted, an unknown id is a new user")
  ),
  assignee: optional(person("Who answers the task's questions; default: `user_id`")),
  title: optional(text(500, "Title; default: taken from the message")),
  project_id: optional(text(255, "Channel or project")),
  attachments: optional(
    Schema.Array(text(255, "Name of a file")).pipe(Schema.maxItems(100, { message: () => "at most 100 names" }))
      .annotations({ description: "Names of files that the user has uploaded" })
  ),
  continue_task_id: optional(
    TaskId.annotations({
      description:
        "The task that this one continues; the agent sees the requests and outcomes of that task and of those it continues"
    })
  ),
  max_tokens_total: optional(
    Schema.Int.pipe(Schema.between(minTokenBudget, 2_147_483_647)).annotations({
      description: `Token budget of the task and its subtasks, at least ${minTokenBudget}; default: none`,
      message: () => `a whole number from ${minTokenBudget} to 2147483647`
    })
  ),
  max_iterations: optional(
    Schema.Int.pipe(Schema.between(1, 10_000)).annotations({
      description:
        "Hard limit of the task's iterations (rounds of model call and tool calls), at most AGENT_MAX_ITERATIONS; default: "
        + "AGENT_HARD_ITERATIONS",
      message: () => "a whole number from 1 to AGENT_MAX_ITERATIONS"
    })
  ),
  max_cost: optional(
    Schema.Finite.pipe(Schema.positive()).annotations({
      description:
        "What the task and its subtasks may cost, in the currency of MODEL_PRICES; calls of a model without a price count as 0; "
        + "default: no limit",
      message: () => "a number greater than 0"
    })
  ),
  continue_from: optional(
    ContinueFrom.annotations({
      description:
        "With continue_task_id: `outcome` (default) tells the agent of the requests and outcomes so far; with `conversation`, the "
        + "messages of that task come before the new one, as if it went on. Only whoever may read the conversation may continue it"
    })
  ),
  agent: optional(
    text(255, "The agent that works on it; default: the one of the task that it continues, or none in particular")
  ),
  live: optional(
    Schema.Boolean.annotations({
      description:
        "true: the caller is about to watch the task, so that the model's text is streamed from the first call on"
    })
  )
}).annotations({ identifier: "ChatRequest" })
export type ChatRequest = typeof ChatRequest.Type

export const humanResponseFields = {
  task_id: text(255, "The task that waits for input"),
  response: Schema.optionalWith(
    Schema.String.pipe(Schema.maxLength(maxMessage, { message: () => "at most 100,000 characters" })).annotations({
      description:
        "The answer to its question; may be left out with `fields`. A question with a `form` or `url` is also "
        + "answered by Decline or Cancel, by Done for a `url`, and one field by its value"
    }),
    { default: () => "" }
  ),
  fields: optional(
    Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({
      description: "The fields of the question's `form`; what does not fit is 400 with `errors` by field"
    })
  ),
  user_id: optional(person("Who answers; becomes the assignee if there is none")),
  tool_call_id: optional(
    Schema.String.annotations({
      description:
        "Id of the question: last_tool_call_id of the task. If the task asks another question by now, the answer "
        + "is refused. Required to approve an action with the answer Send"
    })
  )
}

export const HumanResponse = Schema.Struct(humanResponseFields).pipe(
  Schema.filter(({ fields, response }) =>
    fields === undefined && response.trim() === ""
      ? { path: ["response"], message: "expected some text, or `fields` for a form" }
      : undefined
  )
).annotations({ identifier: "HumanResponse" })

export const MessageRequest = Schema.Struct({
  message: text(maxMessage, "What the agent should know or do"),
  user_id: optional(person("Who sends it, and the owner of a continuation; default: the owner of the task"))
}).annotations({ identifier: "MessageRequest" })

export const CancelRequest = Schema.Struct({
  reason: optional(
    Schema.String.pipe(Schema.maxLength(1000)).annotations({ description: "The reason, for the task's error" })
  )
}).annotations({ identifier: "CancelRequest" })

/** Accepted: the request is committed and will be carried out. */
export const Accepted = Schema.Struct({
  task_id: TaskId,
  status: TaskStatus.annotations({ description: "Status of the task" }),
  task: Task
}).annotations({ identifier: "Accepted", ...HttpApiSchema.annotations({ status: 202 }) })

export const UsageQuery = Schema.Struct({
  from: Schema.optional(Day.annotations({ description: "Only tasks created on this day in UTC or later" })),
  to: Schema.optional(Day.annotations({ description: "Only tasks created on this day in UTC or earlier" }))
})
export type UsageQuery = typeof UsageQuery.Type

/** With the same key and body, a request gets the first answer again for 24 hours. */
export const idempotencyKey = Schema.String.pipe(Schema.minLength(1), Schema.maxLength(255)).annotations({
  description: "The same key and body get the first response again for 24 hours",
  message: () => "1 to 255 characters"
})
