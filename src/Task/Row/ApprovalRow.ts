import { Approval, ApprovalFile } from "@troupe/domain/Approval"
import { Schema, Struct } from "effect"
import { instant } from "../../Runtime/Database/TimestampColumn.ts"

/** A row of `approvals` with what the API leaves out. */
export const ApprovalRow = Schema.Struct({
  ...Struct.omit(Approval.fields, "arguments", "context", "files", "requester", "rule"),
  arguments: Schema.parseJson(Approval.fields.arguments),
  files: Schema.parseJson(Schema.Array(ApprovalFile)),
  rule: Schema.NullOr(Schema.Int),
  because: Schema.NullOr(Schema.String)
}).annotations({ identifier: "ApprovalRow" })
export type ApprovalRow = typeof ApprovalRow.Type

/** Of `approvals p`. */
export const approvalColumns =
  `p.id::text, p.task_id::text, p.tool_call_id, p.tool, p.server, p.class, p.outside_since, p.outside_because, p.private_since, p.arguments, p.files,
    p.rule, p.because, p.cause, p.preset, p.who, p.status, p.decided_by, ${
    instant("p.decided_at")
  } as decided_at, p.via, p.reason, p.edited,
    ${instant("p.created_at")} as created_at`

export const approvalOf = (
  { because, rule, ...row }: ApprovalRow,
  requester: Approval["requester"]
): Approval => ({
  ...row,
  context: row.outside_since === null ? "trusted" : "outside",
  rule: rule === null ? null : { index: rule, because },
  requester
})
