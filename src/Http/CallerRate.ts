import { ProblemError } from "@troupe/api/Problem"
import { type Caller, isSelfHosted } from "@troupe/domain/Caller"
import { plural } from "@troupe/domain/Plural"
import { Context, Effect } from "effect"
import type { Allowance, RateLimits } from "../Runtime/RateLimits.ts"

/** The rate limit applies to the user, or to the address if self-hosted. */
export const limitKey = (caller: Caller, address: string): string =>
  isSelfHosted(caller) ? `address ${address}` : `user ${caller.id}`

export interface RequestRate {
  readonly take: (caller: string) => Effect.Effect<void>
}

/** Counts the current request for the caller that authentication finds. */
export class CallerRate extends Context.Reference<CallerRate>()("troupe/Http/CallerRate", {
  defaultValue: (): RequestRate => ({ take: () => Effect.void })
}) {}

export const makeRequestRate = (limits: RateLimits["Type"]) => {
  let key: string | null = null
  let allowance: Allowance | null = null
  return {
    take: (caller: string): Effect.Effect<void> =>
      Effect.flatMap(limits.take(caller), (found) => {
        key = caller
        allowance = found
        if (found === null || found.retrySeconds === 0) return Effect.void
        return Effect.die(ProblemError.of("rate-limited", `Try again in ${plural(found.retrySeconds, "second")}.`))
      }),
    /** For whom the request was counted; null before. */
    key: () => key,
    headers: (): Readonly<Record<string, string>> => allowance === null ? {} : headersOf(allowance)
  }
}

/** The fields of draft-ietf-httpapi-ratelimit-headers-10. */
const headersOf = ({ perMinute, remaining, resetSeconds, retrySeconds }: Allowance) => ({
  "ratelimit-policy": `"caller";q=${perMinute};w=60`,
  ratelimit: `"caller";r=${remaining};t=${resetSeconds}`,
  ...(retrySeconds === 0 ? {} : { "retry-after": String(retrySeconds) })
})
