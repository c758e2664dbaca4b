import { Schema } from "effect"
import { recordId, TaskId, ToolCallId, UserId } from "./Ids.ts"
import { Approvers, ContextKind, Preset, ToolClass } from "./Policy.ts"
import { stripped, visibleText } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

export const ApprovalId = recordId("ApprovalId", "Approval id: a time-sortable UUIDv7")
export type ApprovalId = typeof ApprovalId.Type

export const ApprovalStatus = Schema.Literal("open", "approved", "denied", "cancelled")
export type ApprovalStatus = typeof ApprovalStatus.Type

/** A file that a call would send, as it was when a person was asked. */
export const ApprovalFile = Schema.Struct({
  path: Schema.String.annotations({ description: "Path in the requester's folder" }),
  size: Schema.Int.annotations({ description: "Bytes" }),
  sha256: Schema.String.annotations({ description: "Digest of its content" })
}).annotations({ identifier: "ApprovalFile" })
export type ApprovalFile = typeof ApprovalFile.Type

/** A tool call that waits, or has waited, for a person's decision. */
export const Approval = Schema.Struct({
  id: ApprovalId,
  task_id: TaskId,
  tool_call_id: ToolCallId.annotations({ description: "The call" }),
  tool: Schema.String.annotations({ description: "The tool's name as the model sees it" }),
  server: Schema.NullOr(Schema.String).annotations({ description: "The tool server; null: a built-in tool" }),
  class: ToolClass.annotations({ description: "Class of the tool" }),
  context: ContextKind.annotations({ description: "Context of the call" }),
  outside_since: Schema.NullOr(Schema.Int).annotations({
    description: "The step that made the context outside; 0: the request; null: it is trusted"
  }),
  private_since: Schema.NullOr(Schema.Int).annotations({ description: "The step that made the context private" }),
  arguments: Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({
    description: "All arguments, as they were approved if a person edited them"
  }),
  files: Schema.Array(ApprovalFile).annotations({ description: "Files that the call would send" }),
  rule: Schema.NullOr(Schema.Struct({
    index: Schema.Int.annotations({ description: "Place of the rule" }),
    because: Schema.NullOr(Schema.String).annotations({ description: "What the rule says" })
  })).annotations({ description: "The rule that asks; null: the preset" }),
  preset: Preset.annotations({ description: "The preset when it was asked" }),
  requester: UserId.annotations({ description: "Whose task it is" }),
  who: Approvers,
  status: ApprovalStatus.annotations({ description: "open, approved, denied or cancelled" }),
  decided_by: Schema.NullOr(UserId).annotations({ description: "Who decided" }),
  decided_at: Schema.NullOr(Timestamp).annotations({ description: "When" }),
  via: Schema.NullOr(Schema.String).annotations({ description: "By which way" }),
  edited: Schema.Boolean.annotations({ description: "The approver changed the arguments" }),
  created_at: Timestamp.annotations({ description: "When it was asked" })
}).annotations({ identifier: "Approval", description: "A tool call that a person is asked to approve" })
export type Approval = typeof Approval.Type

/** The answers to choose from where a call needs a person's approval. Only the first one approves. */
export const approvalChoices = ["Send", "Don't send"] as const

const approving = approvalChoices[0].toLowerCase()

/** Around a word that was copied from the question. */
const marks = " \t\r\n\"'`*_“”„‘’‚«»"

const maxMarked = 40

const says = (answer: string, choice: string): boolean => {
  const text = visibleText(answer).trim()
  return text.length <= maxMarked && stripped(text, marks).replaceAll("’", "'").toLowerCase() === choice
}

/** Whether an answer approves: it says nothing else. */
export const approves = (answer: string): boolean => says(answer, approving)

/** Whether an answer approves or refuses. */
export const decides = (answer: string): boolean => approvalChoices.some((choice) => says(answer, choice.toLowerCase()))

/** Whether a question offers the choices of an approval. */
export const asksApproval = ({ choices }: { readonly choices: ReadonlyArray<string> }): boolean =>
  choices.length === approvalChoices.length && approvalChoices.every((choice, at) => choices[at] === choice)

/** The result of a call that was not approved. */
export const notApproved = (answer: string): string => `Nothing was sent. The user answered: ${answer}`
