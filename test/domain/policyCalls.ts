import type { Preset } from "@troupe/domain/Policy"
import { Rule } from "@troupe/domain/Policy"
import {
  type CallGrant,
  type CallRequester,
  decide,
  type Decision,
  type PolicyCall,
  type PolicyContext
} from "@troupe/domain/PolicyDecision"
import { Schema } from "effect"

export const call: PolicyCall = {
  tool: "github__merge",
  class: "outside",
  args: {},
  binding: "b",
  message: null,
  isOpenWorld: true
}

export const trusted: PolicyContext = { kind: "trusted", isPrivate: false }

export const outside: PolicyContext = { kind: "outside", isPrivate: false }

const alice: CallRequester = {
  requester: "member",
  source: "api",
  task: "t1",
  person: "alice",
  agent: null,
  project: "apollo",
  schedule: null
}

export const effectOf = (
  preset: Preset,
  rules: ReadonlyArray<Rule>,
  of: Partial<PolicyCall> = {},
  context = trusted,
  by: Partial<CallRequester> = {},
  grants: ReadonlyArray<CallGrant> = []
): Decision => decide({ preset, rules }, { ...call, ...of }, context, { ...alice, ...by }, grants)

export const rule = (given: unknown): Rule => Schema.decodeUnknownSync(Rule)(given)
