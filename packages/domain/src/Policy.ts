import { Schema } from "effect"
import { ArgumentTest, JsonPointer } from "./ArgumentTest.ts"
import { Role } from "./User.ts"

/** What a tool changes: nothing, the person's own files and memories, anything else, or so that it can't be undone. */
export const ToolClass = Schema.Literal("read", "own", "outside", "destructive")
export type ToolClass = typeof ToolClass.Type

/** Whether the model has seen only what the task's people and the service wrote. */
export const ContextKind = Schema.Literal("trusted", "outside")
export type ContextKind = typeof ContextKind.Type

/** What decides where no rule does. */
export const Preset = Schema.Literal("quiet", "balanced", "strict")
export type Preset = typeof Preset.Type

/** Who asked for the task. */
export const Requester = Schema.Literal(...Role.literals, "guest", "unknown", "system")
export type Requester = typeof Requester.Type

/** Where the request came from. */
export const CallSource = Schema.Literal("api", "chat", "email", "schedule", "webhook")
export type CallSource = typeof CallSource.Type

export const PolicyEffect = Schema.Literal("allow", "ask", "deny")
export type PolicyEffect = typeof PolicyEffect.Type

/** One value, or a list of which one must fit. */
const oneOf = <A, I>(schema: Schema.Schema<A, I>) => Schema.Union(schema, Schema.NonEmptyArray(schema))

const strict = { parseOptions: { onExcessProperty: "error" } } as const

/** What must hold of a call, all of it. */
export const RuleCondition = Schema.Struct({
  args: Schema.optional(
    Schema.Record({ key: JsonPointer, value: ArgumentTest }).annotations({
      description: "Tests of arguments, by their JSON pointers"
    })
  ),
  class: Schema.optional(oneOf(ToolClass).annotations({ description: "Class of the tool" })),
  context: Schema.optional(oneOf(ContextKind).annotations({ description: "Context of the call" })),
  source: Schema.optional(oneOf(CallSource).annotations({ description: "Where the request came from" })),
  requester: Schema.optional(oneOf(Requester).annotations({ description: "Who asked for the task" })),
  agent: Schema.optional(oneOf(Schema.NonEmptyString).annotations({ description: "The agent, by its name" })),
  project: Schema.optional(oneOf(Schema.NonEmptyString).annotations({ description: "The channel or project" })),
  schedule: Schema.optional(oneOf(Schema.NonEmptyString).annotations({ description: "The schedule, by its id" }))
}).annotations({ identifier: "RuleCondition", description: "What must hold of a call, all of it", ...strict })
export type RuleCondition = typeof RuleCondition.Type

/** `requester`: creator or assignee. `admin`: owner and admins. All else is the id of a user. */
export const Approvers = Schema.NonEmptyArray(Schema.NonEmptyString).annotations({
  description: "Who may approve: requester, admin, or ids of users. Default: requester and admin"
})
export type Approvers = typeof Approvers.Type

export const defaultApprovers: Approvers = ["requester", "admin"]

/** What calls of some tools may do. */
export const Rule = Schema.Struct({
  effect: PolicyEffect.annotations({ description: "allow, ask or deny" }),
  tool: Schema.NonEmptyString.annotations({
    description: "The tool's name as the model sees it; * is any text, ? one character"
  }),
  when: Schema.optional(RuleCondition),
  who: Schema.optional(Approvers),
  because: Schema.optional(
    Schema.String.pipe(Schema.maxLength(1_000)).annotations({
      description: "Why; shown to the approver and, where it denies, to the agent"
    })
  )
}).annotations({ identifier: "Rule", ...strict })
export type Rule = typeof Rule.Type

/** The classes that an admin gives tools of tool servers, by globs of their names; of several that fit, the longest decides. */
export const ToolClasses = Schema.Record({ key: Schema.NonEmptyString, value: ToolClass }).annotations({
  description: "Classes of tools of tool servers, by globs of their names"
})
export type ToolClasses = typeof ToolClasses.Type

/** The rules of the service, as one saved revision has them. Revision 0: none were ever saved. */
export const Policy = Schema.Struct({
  revision: Schema.Int.annotations({ description: "Rises with each change" }),
  preset: Preset.annotations({ description: "What decides where no rule does" }),
  rules: Schema.Array(Rule).annotations({ description: "Deny beats ask beats allow, wherever they stand" }),
  classes: ToolClasses
})
export type Policy = typeof Policy.Type

export const defaultPolicy: Policy = { revision: 0, preset: "balanced", rules: [], classes: {} }

/** A rule that never applies, as the tools are now. */
export const DeadRule = Schema.Struct({
  index: Schema.Int.annotations({ description: "Place of the rule, from 0" }),
  reason: Schema.String.annotations({ description: "Why it never applies" })
}).annotations({ identifier: "DeadRule" })
export type DeadRule = typeof DeadRule.Type

/** Somebody else has saved a policy since this one was read. */
export class PolicyChanged extends Schema.TaggedError<PolicyChanged>()("PolicyChanged", {
  revision: Schema.Int.annotations({ description: "The newest revision" })
}) {
  override get message() {
    return `The policy was changed meanwhile: its revision is ${this.revision}. Read it again, then make the change anew.`
  }
}

/** POLICY is set in the environment. */
export class PresetLocked extends Schema.TaggedError<PresetLocked>()("PresetLocked", {
  preset: Preset.annotations({ description: "The preset that POLICY sets" })
}) {
  override get message() {
    return `The preset is ${this.preset} because POLICY is set in the environment. Unset POLICY and restart the service to change it here.`
  }
}

/** A rule can't be saved as it is. */
export class PolicyInvalid extends Schema.TaggedError<PolicyInvalid>()("PolicyInvalid", {
  path: Schema.String.annotations({ description: "Dotted path into the body" }),
  reason: Schema.String.annotations({ description: "What is wrong" })
}) {
  override get message() {
    return `${this.path}: ${this.reason}`
  }
}
