import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { Approval, ApprovalId, ApprovalStatus } from "@troupe/domain/Approval"
import { JsonPointer } from "@troupe/domain/ArgumentTest"
import { Grant, GrantScope } from "@troupe/domain/Grant"
import { TaskId } from "@troupe/domain/Ids"
import { Schema } from "effect"
import { Authentication } from "./Authentication.ts"
import { checkedWhole, described, optional, pathParameter, text, titled } from "./Fields.ts"
import { page } from "./Listing.ts"
import * as Problems from "./Problems.ts"
import { Accepted } from "./TaskRequests.ts"

const Remember = Schema.Struct({
  scope: GrantScope.annotations({
    description:
      "task; schedule: later runs of the one that made it; agent: its later tasks, without one this person's of that project",
    message: () => "task, schedule or agent"
  }),
  same: optional(Schema.Array(JsonPointer).annotations({ description: "Arguments that must stay as they are now" }))
})

export const ApprovalDecision = Schema.Struct({
  tool_call_id: Schema.String.annotations({ description: "The call" }),
  approval: optional(
    Schema.String.annotations({
      description: "Id of the approval that was shown: if the call was asked anew since then, nothing is decided (409)"
    })
  ),
  decision: Schema.Literal("approve", "deny").annotations({
    description: "approve or deny",
    message: () => "approve or deny"
  }),
  reason: optional(text(4_000, "Why it is denied; the agent reads it")),
  arguments: optional(
    Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({
      description: "Other arguments with which the call is approved"
    })
  ),
  remember: optional(Remember).annotations({ description: "Equal calls need no approval any more" })
}).annotations({ identifier: "ApprovalDecision" })
export type ApprovalDecision = typeof ApprovalDecision.Type

export const ApprovalsRequest = Schema.Struct({
  decisions: Schema.NonEmptyArray(ApprovalDecision).annotations({ description: "All apply, or none" })
}).annotations({ identifier: "ApprovalsRequest" })

export const ApprovalQuery = Schema.Struct({
  status: Schema.optional(ApprovalStatus.annotations({
    description: "Only those with this status",
    message: () => "open, approved, denied or cancelled"
  })),
  task_id: Schema.optional(TaskId.annotations({ description: "Only those of this task", message: () => "a task id" })),
  tool: Schema.optional(Schema.String.annotations({ description: "Only those of this tool" })),
  ...page(ApprovalId)
})
export type ApprovalQuery = typeof ApprovalQuery.Type

/** Tool calls that wait for a person. */
export class ApprovalsApi extends HttpApiGroup.make("approvals")
  .add(
    HttpApiEndpoint.get("list", "/api/approvals")
      .setUrlParams(checkedWhole(ApprovalQuery))
      .addSuccess(Schema.Array(Approval))
      .annotateContext(described("The calls that ask, or have asked, for approval, newest first"))
  )
  .add(
    HttpApiEndpoint.post("decide")`/task/${pathParameter("task_id", "Task id")}/approvals`
      .setPayload(checkedWhole(ApprovalsRequest))
      .addSuccess(Accepted)
      .addError(Problems.taskNotFound)
      .addError(Problems.taskStateConflict)
      .addError(Problems.taskRequestInvalid)
      .addError(Problems.approvalDecided)
      .addError(Problems.notAllowed)
      .addError(Problems.personUnknown)
      .annotateContext(described("Approves or denies calls of a task; it goes on once all are decided"))
  )
  .add(
    HttpApiEndpoint.get("grants", "/api/grants")
      .addSuccess(Schema.Array(Grant))
      .annotateContext(described("What needs no approval any more, because somebody said so, newest first"))
  )
  .add(
    HttpApiEndpoint.del("removeGrant")`/api/grants/${pathParameter("grant_id", "Id of the grant")}`
      .addError(Problems.grantNotFound)
      .annotateContext(described("Ends a grant"))
  )
  .middlewareEndpoints(Authentication)
  .annotateContext(titled("Approvals", "Tool calls that wait for a person, and consents to later ones."))
{}
