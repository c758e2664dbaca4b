import { Option, Schema } from "effect"
import { recordId, TaskId, ToolCallId, UserId } from "./Ids.ts"
import { Approvers, ContextKind, Preset, ToolClass } from "./Policy.ts"
import { stripped, visibleText } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

export const ApprovalId = recordId("ApprovalId", "Approval id: a time-sortable UUIDv7")
export type ApprovalId = typeof ApprovalId.Type

export const ApprovalStatus = Schema.Literal("open", "approved", "denied", "cancelled")
export type ApprovalStatus = typeof ApprovalStatus.Type

export const AskCause = Schema.Literal("rule", "preset", "mail", "leaves")
export type AskCause = typeof AskCause.Type

/** A file that a call would send, as it was when a person was asked. */
export const ApprovalFile = Schema.Struct({
  path: Schema.String.annotations({ description: "Path in the requester's folder" }),
  size: Schema.Int.annotations({ description: "Bytes" }),
  sha256: Schema.String.annotations({ description: "Digest of its content" })
}).annotations({ identifier: "ApprovalFile" })
export type ApprovalFile = typeof ApprovalFile.Type

/** Somebody has decided about a call before. */
export class ApprovalDecided extends Schema.TaggedError<ApprovalDecided>()("ApprovalDecided", {
  tool_call_id: Schema.String.annotations({ description: "The call" }),
  status: ApprovalStatus.annotations({ description: "What was decided" }),
  by: Schema.NullOr(Schema.String).annotations({ description: "Who decided" }),
  at: Schema.NullOr(Schema.String).annotations({ description: "When" })
}) {
  override get message() {
    const who = this.by === null ? "" : ` by ${this.by}`
    return `The call ${this.tool_call_id} is ${this.status} already${who}${this.at === null ? "" : `, at ${this.at}`}.`
  }
}

/** A call that asks, as its step has it: what the approval is bound to, and what the approvers are shown. */
export const AskedCall = Schema.Struct({
  id: ToolCallId,
  approval: ApprovalId,
  tool: Schema.String,
  server: Schema.NullOr(Schema.String),
  class: ToolClass,
  outsideSince: Schema.NullOr(Schema.Int),
  /** What made the context outside. */
  outsideBecause: Schema.optional(Schema.NullOr(Schema.String)),
  privateSince: Schema.NullOr(Schema.Int),
  /** JSON of the call's arguments. */
  arguments: Schema.String,
  /** The JSON schema of the arguments. */
  parameters: Schema.String,
  files: Schema.Array(ApprovalFile),
  rule: Schema.NullOr(Schema.Int),
  because: Schema.NullOr(Schema.String),
  /** Unset: by an earlier version. */
  cause: Schema.optional(AskCause),
  preset: Preset,
  who: Approvers,
  /** Digest of what the tool is. */
  binding: Schema.String,
  /** Digest of the call with its arguments, files and tool. */
  digest: Schema.String
})
export type AskedCall = typeof AskedCall.Type

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
  outside_because: Schema.NullOr(Schema.String).annotations({ description: "What made the context outside" }),
  private_since: Schema.NullOr(Schema.Int).annotations({ description: "The step that made the context private" }),
  arguments: Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({
    description: "All arguments, as they were approved if a person edited them"
  }),
  files: Schema.Array(ApprovalFile).annotations({ description: "Files that the call would send" }),
  rule: Schema.NullOr(Schema.Struct({
    index: Schema.Int.annotations({ description: "Place of the rule" }),
    because: Schema.NullOr(Schema.String).annotations({ description: "What the rule says" })
  })).annotations({ description: "The rule that asks; null: the preset" }),
  cause: Schema.NullOr(AskCause).annotations({
    description:
      "What asks: rule; preset; mail: a recipient whom nobody named; leaves: private things to people outside of the team"
  }),
  preset: Preset.annotations({ description: "The preset when it was asked" }),
  requester: UserId.annotations({ description: "Whose task it is" }),
  who: Schema.Array(Schema.String).annotations({
    description: "Who may decide: requester (creator or assignee), admin (owner and admins), or ids of users"
  }),
  status: ApprovalStatus.annotations({ description: "open, approved, denied or cancelled" }),
  decided_by: Schema.NullOr(UserId).annotations({ description: "Who decided" }),
  decided_at: Schema.NullOr(Timestamp).annotations({ description: "When" }),
  via: Schema.NullOr(Schema.String).annotations({ description: "By which way" }),
  reason: Schema.NullOr(Schema.String).annotations({ description: "What the approver said about it" }),
  edited: Schema.Boolean.annotations({ description: "The approver changed the arguments" }),
  created_at: Timestamp.annotations({ description: "When it was asked" })
}).annotations({ identifier: "Approval", description: "A tool call that a person is asked to approve" })
export type Approval = typeof Approval.Type

/** The answers to choose from where a call needs a person's approval. Only the first one approves. */
export const approvalChoices = ["Approve", "Deny"] as const

/** The same where the call sends a mail. */
export const mailChoices = ["Send", "Don't send"] as const

const choices = [approvalChoices, mailChoices]

/** Around a word that was copied from the question. */
const marks = " \t\r\n\"'`*_“”„‘’‚«»"

const maxMarked = 40

const says = (answer: string, choice: string): boolean => {
  const text = visibleText(answer).trim()
  return text.length <= maxMarked && stripped(text, marks).replaceAll("’", "'").toLowerCase() === choice
}

/** Whether an answer approves: it says nothing else. */
export const approves = (answer: string): boolean =>
  choices.some(([approving]) => says(answer, approving.toLowerCase()))

/** Whether an answer approves or refuses. */
export const decides = (answer: string): boolean => choices.flat().some((choice) => says(answer, choice.toLowerCase()))

/** Whether a question offers the choices of an approval. */
export const asksApproval = (question: { readonly choices: ReadonlyArray<string> }): boolean =>
  choices.some((ours) =>
    question.choices.length === ours.length && ours.every((choice, at) => question.choices[at] === choice)
  )

const decodeIds = Schema.decodeUnknownOption(Schema.parseJson(Schema.Array(ToolCallId)))

/** The calls that a question is about, in its order: it has the id of one, or the JSON array of several. */
export const askedCalls = (call: string): ReadonlyArray<ToolCallId> =>
  Option.getOrElse(decodeIds(call), () => [ToolCallId.make(call)])

/** The result of a mail that was not approved, in a question of an earlier version. */
export const notApproved = (answer: string): string => `Nothing was sent. The user answered: ${answer}`

/** The result of a call that a person has denied. */
export const denied = (tool: string, who: string | null, reason: string | null): string =>
  `Error: ${tool} was not called: ${who ?? "a person"} denied it${
    reason === null || reason.trim() === "" ? "." : `: ${reason}`
  }${/[.!?]$/.test(reason ?? ".") ? "" : "."} Don't try the same in another way.`

/** Why a call asks, as a sentence. */
export const whyItAsks = ({ because, cause, preset, rule }: {
  readonly because: string | null
  readonly cause: AskCause | null
  readonly preset: Preset
  /** Place of the rule. */
  readonly rule: number | null
}): string =>
  rule !== null
    ? `Rule ${rule + 1} asks about it${because === null ? "." : `: ${because}`}`
    : cause === "mail"
    ? "It asks because nobody in this task has named all of the recipients."
    : cause === "leaves"
    ? "It asks because private things may leave the team by it."
    : `The preset ${preset} asks about it.`
