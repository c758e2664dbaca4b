import { ToolClass } from "@troupe/domain/Policy"
import { Schema } from "effect"

export const ToolTest = Schema.Struct({
  arguments: Schema.optionalWith(
    Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({
      description: "The arguments of the call, as the tool's input schema describes them; default: none",
      message: () => ({ message: "an object with the arguments of the tool", override: true })
    }),
    { default: () => ({}) }
  ),
  approved: Schema.optionalWith(
    Schema.Boolean.annotations({
      description: "true: the caller approves the call with these arguments, if the policy asks about it",
      message: () => "true or false"
    }),
    { default: () => false }
  )
}).annotations({ identifier: "ToolTest" })
export type ToolTest = typeof ToolTest.Type

/** What became of a call that a person made to test a tool. */
export const ToolTested = Schema.Struct({
  ok: Schema.Boolean.annotations({ description: "Whether the tool answered without an error" }),
  outcome: Schema.Literal("answered", "failed", "asks", "denied", "needs_sign_in").annotations({
    description:
      "answered or failed: the call was made, or tried. Else it was not made. asks: the policy wants an approval, and "
      + "the same request with approved gives it. denied: by a rule. needs_sign_in: somebody has to connect the server first"
  }),
  detail: Schema.String.annotations({
    description: "The same in words: why it failed, which rule asks or denies; empty for an answer"
  }),
  class: ToolClass.annotations({ description: "What the policy takes the tool to change" }),
  may_approve: Schema.Boolean.annotations({ description: "asks: whether the caller may approve it; else false" }),
  text: Schema.NullOr(Schema.String).annotations({
    description: "The result as agents read it, shortened; pictures by their type and size. null: none"
  }),
  structured: Schema.Unknown.annotations({ description: "The structured content of the result; null: none" }),
  latency_ms: Schema.NullOr(Schema.Int).annotations({
    description: "How long the call took, with the connection that it opened; null: it was not made"
  })
}).annotations({ identifier: "ToolTested" })
export type ToolTested = typeof ToolTested.Type
