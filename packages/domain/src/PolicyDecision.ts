import { Option } from "effect"
import { allOf, fitsGlob, passes, valueAt } from "./ArgumentTest.ts"
import { isSameJson } from "./CanonicalJson.ts"
import { defaultUser, systemUser } from "./Ids.ts"
import {
  type Approvers,
  type CallSource,
  type ContextKind,
  defaultApprovers,
  type Policy,
  type Preset,
  type Requester,
  type Rule,
  type ToolClass,
  type ToolClasses
} from "./Policy.ts"
import type { TaskSourceKind, ToolAccess } from "./Task.ts"

/** A call as rules see it. */
export interface PolicyCall {
  readonly tool: string
  readonly class: ToolClass
  /** Parsed; undefined where they are no JSON. */
  readonly args: unknown
  /** Digest of what the tool is: its schema, and the address and credentials of its server. */
  readonly binding: string
  /**
   * A message to people, about which the rules for mail decide in the place of the preset. `isUnexpected`: nobody with a right
   * to the task has named all of them. `leaves`: some are outside of the team, and no trusted text names them and all files.
   */
  readonly message: { readonly isUnexpected: boolean; readonly leaves: boolean } | null
  /** A tool of a server whose accepted hints do not say that it stays in a closed world. */
  readonly isOpenWorld: boolean
}

export interface PolicyContext {
  readonly kind: ContextKind
  /** The model has seen the person's own files, memories or mailbox, or data that nobody named. */
  readonly isPrivate: boolean
}

/** Whom a call is made for. */
export interface CallRequester {
  readonly requester: Requester
  readonly source: CallSource
  readonly task: string
  readonly person: string
  readonly agent: string | null
  readonly project: string | null
  readonly schedule: string | null
}

/**
 * Which kind of requester a task's creator is; `role` is the one in the team. A chat message that only forwards has the access
 * `read`, whoever sent it.
 */
export const requesterKind = (
  { creator, isOfGuest, source, toolAccess }: {
    readonly creator: string
    readonly isOfGuest: boolean
    readonly source: TaskSourceKind | null
    readonly toolAccess: ToolAccess
  },
  role: string | undefined
): Requester => {
  if (creator === systemUser) return "system"
  if (isOfGuest) return "guest"
  if (toolAccess === "own") return source === "chat" ? "guest" : "unknown"
  if (toolAccess === "read" && source !== "chat") return "unknown"
  if (creator === defaultUser) return "owner"
  return role === "owner" || role === "admin" ? role : "member"
}

/** Calls that need no approval any more, because a person said so. */
export interface CallGrant {
  readonly id: string
  readonly tool: string
  readonly binding: string
  /** `agent` without one: the tasks of this person in that project. */
  readonly covers:
    | { readonly scope: "task"; readonly task: string }
    | { readonly scope: "schedule"; readonly schedule: string }
    | {
      readonly scope: "agent"
      readonly agent: string | null
      readonly person: string | null
      readonly project: string | null
    }
  /** Arguments by JSON pointer that must have these values. */
  readonly values: Readonly<Record<string, unknown>>
  /** Who granted it, and whether that person is an owner or admin now. */
  readonly by: string
  readonly isByAdmin: boolean
}

export type Decision =
  | {
    readonly effect: "allow"
    readonly cause: "rule" | "preset" | "grant"
    /** Place of the rule that decided. */
    readonly rule: number | null
    readonly grant: string | null
  }
  | {
    readonly effect: "ask"
    /** `mail`: recipients whom nobody with a right named; `leaves`: private things to people outside of the team. */
    readonly cause: "rule" | "preset" | "mail" | "leaves"
    readonly rule: number | null
    readonly who: Approvers
  }
  | { readonly effect: "deny"; readonly cause: "rule"; readonly rule: number }

/**
 * What a call may do: denied by a rule, else asked by one, else allowed by one, else what the preset says. An allowing rule
 * opens the mail to strangers only if it names the tool without wildcards. A grant lifts an ask that its giver might answer, never of
 * a destructive call.
 */
export const decide = (
  { preset, rules }: Pick<Policy, "preset" | "rules">,
  call: PolicyCall,
  context: PolicyContext,
  requester: CallRequester,
  grants: ReadonlyArray<CallGrant> = []
): Decision => {
  const firstOf = (effect: Rule["effect"]) =>
    rules.findIndex((rule) => rule.effect === effect && applies(rule, call, context, requester))
  const denied = firstOf("deny")
  if (denied >= 0) return { effect: "deny", cause: "rule", rule: denied }
  const asked = firstOf("ask")
  const allowed = firstOf("allow")
  const names = rules.some((rule) =>
    rule.effect === "allow" && rule.tool === call.tool && applies(rule, call, context, requester)
  )
  const cause: (Decision & { readonly effect: "ask" })["cause"] | null = asked >= 0
    ? "rule"
    : names
    ? null
    : call.message?.isUnexpected === true
    ? "mail"
    : doesLeave(preset, call, context)
    ? "leaves"
    : allowed < 0 && call.message === null && asks(preset, call, context)
    ? "preset"
    : null
  if (cause === null) {
    return {
      effect: "allow",
      cause: allowed >= 0 ? "rule" : "preset",
      rule: allowed >= 0 ? allowed : null,
      grant: null
    }
  }
  const rule = asked >= 0 ? asked : null
  const who = (rule === null ? undefined : rules[rule]?.who) ?? defaultApprovers
  const grant = call.class === "destructive"
    ? undefined
    : grants.find((one) => covers(one, call, requester) && mayLift(one, who))
  return grant === undefined
    ? { effect: "ask", cause, rule, who }
    : { effect: "allow", cause: "grant", rule, grant: grant.id }
}

/** The class that an admin gave a tool of a server, if any. */
export const givenClass = (classes: ToolClasses, tool: string): ToolClass | undefined => {
  let found = ""
  for (const glob of Object.keys(classes)) if (glob.length > found.length && fitsGlob(tool, glob)) found = glob
  return classes[found]
}

/** The same, else its own. */
export const classIn = (classes: ToolClasses, tool: string, own: ToolClass): ToolClass =>
  givenClass(classes, tool) ?? own

/** Whether a rule is about a call. What can't be said counts as true for `deny` and `ask`, as false for `allow`. */
export const applies = (
  { effect, tool, when = {} }: Rule,
  call: PolicyCall,
  { kind }: PolicyContext,
  by: CallRequester
): boolean => {
  if (!fitsGlob(call.tool, tool)) return false
  const found = allOf([
    isOne(when.class, call.class),
    isOne(when.context, kind),
    isOne(when.source, by.source),
    isOne(when.requester, by.requester),
    isOne(when.agent, by.agent),
    isOne(when.project, by.project),
    isOne(when.schedule, by.schedule),
    ...Object.entries(when.args ?? {}).map(([pointer, test]) => passes(call.args, pointer, test))
  ])
  return found ?? effect !== "allow"
}

const isOne = <A>(wanted: A | ReadonlyArray<A> | undefined, value: A | null): boolean =>
  wanted === undefined || (Array.isArray(wanted) ? wanted.includes(value) : wanted === value)

/** Without regard to what leaves. */
const asks = (
  preset: Preset,
  { class: ofTool, isOpenWorld }: PolicyCall,
  { isPrivate, kind }: PolicyContext
): boolean => {
  if (preset === "quiet" || ofTool === "own") return false
  // What a tool is asked can carry out what the model has seen.
  if (ofTool === "read") return preset === "strict" && isOpenWorld && isPrivate && kind === "outside"
  return ofTool === "destructive" || preset === "strict" || kind === "outside"
}

const doesLeave = (preset: Preset, { message }: PolicyCall, { isPrivate, kind }: PolicyContext): boolean =>
  preset !== "quiet" && message?.leaves === true && isPrivate && kind === "outside"

/** Whether a grant is for a call: same tool, as it was, in its scope, and with the values that were to stay. */
export const covers = (grant: CallGrant, call: PolicyCall, by: CallRequester): boolean =>
  grant.tool === call.tool && grant.binding === call.binding && isInScope(grant.covers, by)
  && Object.entries(grant.values).every(([pointer, value]) =>
    Option.exists(valueAt(call.args, pointer), (given) => isSameJson(given, value))
  )

/** A grant is an approval in advance: of a call about which only others may decide, it counts for nothing. */
const mayLift = ({ by, isByAdmin }: CallGrant, who: Approvers): boolean =>
  who.includes("requester") || who.includes(by) || (isByAdmin && who.includes("admin"))

const isInScope = (covered: CallGrant["covers"], by: CallRequester): boolean => {
  switch (covered.scope) {
    case "task":
      return covered.task === by.task
    case "schedule":
      return covered.schedule === by.schedule
    case "agent":
      return covered.agent === null
        ? by.agent === null && covered.person === by.person && covered.project === by.project
        : covered.agent === by.agent
  }
}
