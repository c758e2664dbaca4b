import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { AgentText } from "@troupe/domain/Agent"
import { SkillName } from "@troupe/domain/Skill"
import { SkillMatch } from "@troupe/domain/SkillMatch"
import { Schema } from "effect"
import { Authentication } from "./Authentication.ts"
import { checkedWhole, described, titled } from "./Fields.ts"
import * as Problems from "./Problems.ts"
import { ChatRequest } from "./TaskRequests.ts"

/** An agent as somebody is writing it. */
const PreviewAgent = Schema.partial(
  AgentText.pick("instructions", "tools", "disallowed_tools", "skills", "memory")
).annotations({ identifier: "PreviewAgent", description: "An agent that is not saved; instead of `agent`" })
export type PreviewAgent = typeof PreviewAgent.Type

export const PreviewRequest = Schema.Struct({
  message: ChatRequest.fields.message,
  agent: ChatRequest.fields.agent,
  agent_draft: Schema.optional(PreviewAgent)
})
  .annotations({ identifier: "TaskPreviewRequest" })
export type PreviewRequest = typeof PreviewRequest.Type

/** A skill that matches the message, but whose requirements this machine does not meet. */
const LackingSkill = Schema.Struct({
  name: SkillName,
  missing: Schema.Array(Schema.String).annotations({ description: "What this machine lacks" })
}).annotations({ identifier: "LackingSkill" })

const PreviewTool = Schema.Struct({
  name: Schema.String.annotations({ description: "The name under which the agent calls it" }),
  server: Schema.NullOr(Schema.String).annotations({ description: "Its tool server; null: built in" })
}).annotations({ identifier: "PreviewTool" })

export const TaskPreviewReport = Schema.Struct({
  skills: Schema.Array(SkillMatch).annotations({ description: "The skills that the agent would get, best first" }),
  lacking: Schema.Array(LackingSkill).annotations({
    description: "Skills that match, but can't be used on this machine"
  }),
  tools: Schema.Array(PreviewTool).annotations({ description: "The tools that the agent would get" }),
  prompt: Schema.String.annotations({
    description: "The system prompt, without what differs between tasks, skills included"
  }),
  unbound_tools: Schema.Int.annotations({ description: "Tools of tool servers that the agent would not get" }),
  depends_on_steps: Schema.Boolean.annotations({
    description:
      "Whether the tools of tool servers are chosen by the work steps that the model finds when the task starts "
      + "(ENABLE_INTENT_PREPROCESSING): then these are the candidates"
  })
}).annotations({ identifier: "TaskPreview" })
export type TaskPreviewReport = typeof TaskPreviewReport.Type

/** What a task would work with. */
export class TaskPreviewApi extends HttpApiGroup.make("taskPreview")
  .add(
    HttpApiEndpoint.post("preview", "/chat/preview")
      .setPayload(checkedWhole(PreviewRequest))
      .addSuccess(TaskPreviewReport)
      .addError(Problems.taskRequestInvalid)
      .annotateContext(
        described(
          "The skills and tools that a task with this message would get now; it makes no task and no model call"
        )
      )
  )
  .middlewareEndpoints(Authentication)
  .annotateContext(titled("Task preview", "What a task would work with."))
{}
