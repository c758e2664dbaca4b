import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { DeadRule, Policy } from "@troupe/domain/Policy"
import { Schema } from "effect"
import { AdminOnly, Authentication } from "./Authentication.ts"
import { checkedWhole, described, titled } from "./Fields.ts"
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
  .middlewareEndpoints(Authentication)
  .annotateContext(titled("Policy", "What tool calls may do."))
{}
