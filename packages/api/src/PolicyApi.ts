import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { TaskId, ToolCallId, UserId } from "@troupe/domain/Ids"
import { DeadRule, Policy, PolicyEffect, ToolClass } from "@troupe/domain/Policy"
import { Timestamp } from "@troupe/domain/Timestamp"
import { Schema } from "effect"
import { AdminOnly, Authentication } from "./Authentication.ts"
import { checkedWhole, described, titled } from "./Fields.ts"
import { page } from "./Listing.ts"
import * as Problems from "./Problems.ts"

export const PolicyReport = Schema.Struct({
  ...Policy.fields,
  dead: Schema.Array(DeadRule).annotations({ description: "Rules that never apply, as the tools are now" })
}).annotations({ identifier: "PolicyReport" })
export type PolicyReport = typeof PolicyReport.Type

const { classes, preset, revision, rules } = Policy.fields

export const PolicyChange = Schema.Struct({
  revision: revision.annotations({ description: "The revision that the change was made from" }),
  preset: Schema.optional(preset.annotations({ description: "What decides where no rule does. Left out: as it is" })),
  rules: Schema.optional(rules.annotations({ description: "All rules. Left out: as they are" })),
  classes: Schema.optional(classes.annotations({ description: "All classes. Left out: as they are" })),
  dead: Schema.optional(
    Schema.Unknown.annotations({ description: "Not used: what was read may be sent back as a whole" })
  )
}).annotations({ identifier: "PolicyChange", parseOptions: { onExcessProperty: "error" } })
export type PolicyChange = typeof PolicyChange.Type

export const maxTestedDays = 365

export const PolicyTest = Schema.Struct({
  ...PolicyChange.fields,
  days: Schema.optionalWith(
    Schema.Int.pipe(Schema.between(1, maxTestedDays)).annotations({
      description: `How many past days of tasks to test, 1 to ${maxTestedDays}`,
      message: () => `expected a whole number from 1 to ${maxTestedDays}`
    }),
    { default: () => 30 }
  ),
  revision: Schema.optional(Schema.Unknown.annotations({ description: "Not used, as dead" }))
}).annotations({ identifier: "PolicyTest", parseOptions: { onExcessProperty: "error" } })
export type PolicyTest = typeof PolicyTest.Type

const count = (description: string) => Schema.Int.annotations({ description })

/** A call about which the tested rules say something else. */
export const ChangedCall = Schema.Struct({
  task_id: TaskId.annotations({ description: "The task, or the subtask, that made the call" }),
  tool_call_id: ToolCallId.annotations({ description: "The call" }),
  tool: Schema.String.annotations({ description: "The tool's name as the model sees it" }),
  before: PolicyEffect.annotations({ description: "What was decided then; ask: also if a person has approved it" }),
  after: PolicyEffect.annotations({ description: "What the tested rules decide" }),
  rule: Schema.NullOr(Schema.Int).annotations({
    description: "Place of the tested rule that decides, from 0; null: the preset, or the rules for mail"
  })
}).annotations({ identifier: "ChangedCall" })
export type ChangedCall = typeof ChangedCall.Type

export const PolicyTestReport = Schema.Struct({
  tasks: count("Tasks that were read, without their subtasks"),
  calls: count("Their calls, and those of their subtasks, about which was decided"),
  allowed: count("Calls that the tested rules allow"),
  asked: count("Calls that they ask about"),
  denied: count("Calls that they deny"),
  changed: Schema.Array(ChangedCall).annotations({
    description: "Calls that they decide otherwise, newest task first"
  }),
  left_out: Schema.NullOr(Schema.String).annotations({
    description: "What was not read or is not listed, in a sentence; null: nothing"
  })
}).annotations({ identifier: "PolicyTestReport" })
export type PolicyTestReport = typeof PolicyTestReport.Type

/** A tool that agents may have, with its class. */
export const PolicyTool = Schema.Struct({
  name: Schema.String.annotations({ description: "Its name as the model sees it" }),
  server: Schema.NullOr(Schema.String).annotations({ description: "Its tool server; null: built in, or of a skill" }),
  class: ToolClass.annotations({ description: "What it changes" }),
  class_from: Schema.Literal("built_in", "skill", "hints", "admin").annotations({
    description:
      "Who says so: the service, the skill, the accepted hints of its server (outside where they don't say), or the classes of the policy"
  })
}).annotations({ identifier: "PolicyTool" })
export type PolicyTool = typeof PolicyTool.Type

/** What was saved, by whom. */
export const PolicyRevision = Schema.Struct({
  ...Policy.fields,
  author: Schema.NullOr(UserId).annotations({ description: "Who saved it; null: POLICY_FILE" }),
  created_at: Timestamp.annotations({ description: "When it was saved" })
}).annotations({ identifier: "PolicyRevision" })
export type PolicyRevision = typeof PolicyRevision.Type

/** The rules about what tool calls may do. */
export class PolicyApi extends HttpApiGroup.make("policy")
  .add(
    HttpApiEndpoint.get("find", "/api/policy")
      .addSuccess(PolicyReport)
      .annotateContext(described("The rules about tool calls, and which of them never apply"))
  )
  .add(
    HttpApiEndpoint.put("update", "/api/policy")
      .setPayload(checkedWhole(PolicyChange))
      .addSuccess(PolicyReport)
      .addError(Problems.policyChanged)
      .addError(Problems.presetLocked)
      .addError(Problems.policyInvalid)
      .middleware(AdminOnly)
      .annotateContext(
        described("Saves the next revision of the rules; 409 if somebody has saved one since. Every revision is kept")
      )
  )
  .add(
    HttpApiEndpoint.post("test", "/api/policy/test")
      .setPayload(checkedWhole(PolicyTest))
      .addSuccess(PolicyTestReport)
      .addError(Problems.policyInvalid)
      .addError(Problems.searchUnfinished)
      .middleware(AdminOnly)
      .annotateContext(
        described(
          "What these rules would have decided about the calls of past tasks; it saves nothing. What a task would have done after another decision is not known"
        )
      )
  )
  .add(
    HttpApiEndpoint.get("tools", "/api/policy/tools")
      .addSuccess(Schema.Array(PolicyTool))
      .annotateContext(described("Every tool that agents may have, with its class and where that comes from"))
  )
  .add(
    HttpApiEndpoint.get("revisions", "/api/policy/revisions")
      .setUrlParams(checkedWhole(Schema.Struct(page(Schema.NumberFromString.pipe(Schema.int())))))
      .addSuccess(Schema.Array(PolicyRevision))
      .annotateContext(described("Every saved revision, newest first"))
  )
  .middlewareEndpoints(Authentication)
  .annotateContext(titled("Policy", "What tool calls may do."))
{}
