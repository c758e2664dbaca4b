import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { makeExpiringMap } from "./Cache.ts"
import { asService } from "./Database/Isolation.ts"
import { prepared, PreparedStatements } from "./Database/PreparedStatements.ts"

export interface Allowance {
  readonly perMinute: number
  readonly remaining: number
  readonly resetSeconds: number
  /** 0: the request is allowed. Otherwise, after how many seconds the caller may try again. */
  readonly retrySeconds: number
}

export interface RateLimitOptions {
  /** Read at each request, so that it may change. 0: no limit. */
  readonly perMinute: number
  readonly maxCallers?: number
}

const windowMillis = 60_000

/** The requests that each caller may make: a number at once, which refills evenly over a minute. */
export class RateLimits extends Context.Tag("troupe/Runtime/RateLimits")<RateLimits, {
  /** Counts a request of the caller, if it is allowed. Null: there is no limit. */
  readonly take: (caller: string) => Effect.Effect<Allowance | null>
}>() {
  static readonly layerMemory = (options: RateLimitOptions): Layer.Layer<RateLimits> =>
    Layer.sync(this, () => memoryLimits(options))

  static readonly layer = (options: RateLimitOptions): Layer.Layer<RateLimits, never, PreparedStatements> =>
    Layer.effect(this, sharedLimits(options))
}

const memoryLimits = (options: RateLimitOptions): RateLimits["Type"] => {
  const fullAt = makeExpiringMap<string, number>({ capacity: options.maxCallers ?? 10_000, timeToLive: windowMillis })
  return {
    take: (caller) =>
      Effect.gen(function*() {
        const { perMinute } = options
        if (perMinute === 0) return null
        const cost = windowMillis / perMinute
        const now = yield* Clock.currentTimeMillis
        const used = Math.max(0, Option.getOrElse(yield* fullAt.get(caller), () => now) - now)
        const isAllowed = used + cost <= windowMillis
        if (isAllowed) yield* fullAt.set(caller, now + used + cost)
        return allowance(perMinute, { isAllowed, usedMillis: isAllowed ? used + cost : used })
      })
  }
}

/** Counts a request of the caller; after how many seconds it may be made, 0: now. */
export const memoryLimit = (perMinute: () => number): (caller: string) => Effect.Effect<number> => {
  const { take } = memoryLimits({
    get perMinute() {
      return perMinute()
    }
  })
  return (caller) => Effect.map(take(caller), (allowance) => allowance?.retrySeconds ?? 0)
}

/** Limits that all processes share: one statement a request; a refused caller needs none until it may retry. No limit while the database fails. */
const sharedLimits = (
  options: RateLimitOptions
): Effect.Effect<RateLimits["Type"], never, PreparedStatements> =>
  Effect.map(PreparedStatements, ({ execute }) => {
    const refused = makeExpiringMap<string, number>({
      capacity: options.maxCallers ?? 10_000,
      timeToLive: windowMillis
    })
    // A caller that one limit has refused is asked anew under another one.
    const keyOf = (caller: string, perMinute: number) => `${perMinute} ${caller}`

    const counted = Effect.fnUntraced(
      function*(caller: string, perMinute: number) {
        const cost = windowMillis / perMinute
        const [row] = yield* Effect.flatMap(asService(execute(take({ caller, cost }))), decodeTaken)
        const found = allowance(perMinute, row ?? { isAllowed: true, usedMillis: 0 })
        if (found.retrySeconds > 0) {
          const millis = found.retrySeconds * 1000
          yield* refused.set(keyOf(caller, perMinute), (yield* Clock.currentTimeMillis) + millis, millis)
        }
        return found
      },
      Effect.catchAll((cause) =>
        Effect.as(
          Effect.logWarning("Counting a request for its rate limit failed; the request is allowed", cause),
          null
        )
      )
    )

    return {
      take: (caller) =>
        Effect.suspend(() => {
          const { perMinute } = options
          return perMinute === 0 ? Effect.succeed(null) : Effect.flatMap(
            refused.get(keyOf(caller, perMinute)),
            Option.match({
              onNone: () => counted(caller, perMinute),
              onSome: (retryAt) =>
                Effect.map(Clock.currentTimeMillis, (now) =>
                  allowance(perMinute, {
                    isAllowed: false,
                    usedMillis: windowMillis - windowMillis / perMinute + (retryAt - now)
                  }))
            })
          )
        })
    }
  })

const Taken = Schema.Array(Schema.Struct({ isAllowed: Schema.Boolean, usedMillis: Schema.Number }))
const decodeTaken = Schema.decodeUnknown(Taken)

const seconds = (millis: number): number => Math.max(0, Math.ceil(millis / 1000))

const allowance = (perMinute: number, { isAllowed, usedMillis }: (typeof Taken.Type)[number]): Allowance => {
  const cost = windowMillis / perMinute
  return {
    perMinute,
    // Times are rounded, so a full minute's rest may be a little less than a whole request.
    remaining: Math.max(0, Math.floor((windowMillis - usedMillis) / cost + 0.001)),
    resetSeconds: seconds(usedMillis),
    retrySeconds: isAllowed ? 0 : Math.max(1, seconds(usedMillis + cost - windowMillis))
  }
}

/** Milliseconds (`$cost`) are what one request uses. Concurrent requests of a caller are ordered by the lock of its row. */
const take = prepared(
  "rate_limits_take",
  ["caller", "cost"],
  `with taken as (
  insert into rate_limits as r (caller, full_at) values ($caller::text, now() + $cost::float8 * interval '1 millisecond')
  on conflict (caller) do update set full_at = greatest(r.full_at, now()) + $cost::float8 * interval '1 millisecond'
  where greatest(r.full_at, now()) + $cost::float8 * interval '1 millisecond' <= now() + interval '1 minute'
  returning full_at
), found as (
  select full_at, true as allowed from taken
  union all
  select full_at, false from rate_limits where caller = $caller::text and not exists (select from taken)
)
select allowed as "isAllowed", greatest(extract(epoch from full_at - now()) * 1000, 0)::float8 as "usedMillis" from found`
)
