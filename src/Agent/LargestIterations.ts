import { defaultMaxIterations } from "@troupe/domain/Limits"
import { Context } from "effect"

/** The largest `max_iterations` of a request or an agent (AGENT_MAX_ITERATIONS) at the time. */
export class LargestIterations extends Context.Reference<LargestIterations>()("troupe/Agent/LargestIterations", {
  defaultValue: (): () => number => () => defaultMaxIterations
}) {}
