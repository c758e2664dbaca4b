import { counter, gauge, histogram, open } from "../Runtime/Telemetry/Metrics.ts"

export const callsDecided = counter(
  "troupe_policy_decisions",
  "Decisions about tool calls by effect and cause.",
  { effect: ["allow", "ask", "deny"], cause: open }
)

export const approvalWaitSeconds = histogram(
  "troupe_approval_wait_seconds",
  "From the question about a call to a person's decision.",
  [1, 10, 60, 300, 1_800, 3_600, 14_400, 86_400, 259_200, 604_800],
  { decision: ["approved", "denied"] }
)

export const deadRulesSaved = gauge("troupe_policy_dead_rules", "Saved rules that never apply, as the tools are now.")
