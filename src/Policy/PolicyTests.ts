import type { PolicyTestReport } from "@troupe/api/PolicyApi"
import type { Policy } from "@troupe/domain/Policy"
import type { SearchUnfinished } from "@troupe/domain/Search"
import { Context, type Effect } from "effect"

/** The back-test of rules: what they would have decided about the calls of past tasks. Its layer is in `Task`. */
export class PolicyTests extends Context.Tag("troupe/Policy/PolicyTests")<PolicyTests, {
  /** Reads the tasks of so many days, newest first, and of many only the newest. */
  readonly run: (
    policy: Pick<Policy, "classes" | "preset" | "rules">,
    days: number
  ) => Effect.Effect<PolicyTestReport, SearchUnfinished>
}>() {}
