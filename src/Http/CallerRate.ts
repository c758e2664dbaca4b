import { ProblemError } from "@troupe/api/Problem"
import { plural } from "@troupe/domain/Plural"
import { Context, Effect } from "effect"
import type { Allowance, RateLimits } from "./RateLimits.ts"

export interface RequestRate {
  readonly take: (caller: string) => Effect.Effect<void>
}

/** Counts the current request for the caller that authentication finds. */
export class CallerRate extends Context.Reference<CallerRate>()("troupe/Http/CallerRate", {
  defaultValue: (): RequestRate => ({ take: () => Effect.void })
}) {}

export const makeRequestRate = (limits: RateLimits["Type"]) => {
  let isCounted = false
  let allowance: Allowance | null = null
  return {
    take: (caller: string): Effect.Effect<void> =>
      Effect.flatMap(limits.take(caller), (found) => {
        isCounted = true
        allowance = found
        if (found === null || found.retrySeconds === 0) return Effect.void
        return Effect.die(ProblemError.of("rate-limited", `Try again in ${plural(found.retrySeconds, "second")}.`))
      }),
    isCounted: () => isCounted,
    headers: (): Readonly<Record<string, string>> => allowance === null ? {} : headersOf(allowance)
  }
}

/** The fields of draft-ietf-httpapi-ratelimit-headers-10. */
const headersOf = ({ perMinute, remaining, resetSeconds, retrySeconds }: Allowance) => ({
  "ratelimit-policy": `"caller";q=${perMinute};w=60`,
  ratelimit: `"caller";r=${remaining};t=${resetSeconds}`,
  ...(retrySeconds === 0 ? {} : { "retry-after": String(retrySeconds) })
})
