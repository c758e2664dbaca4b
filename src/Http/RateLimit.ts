/** A bounded set of token buckets, one per caller: `perMinute` requests at once, refilled evenly over a minute. */
export interface RateLimit {
  /** Seconds after which the caller may try again; 0: the call is allowed, and takes one token. */
  readonly take: (caller: string, nowMillis: number) => number
}

interface Bucket {
  tokens: number
  at: number
}

/** Beyond `maxCallers`, the bucket that was unused for longest is removed. */
export const makeRateLimit = (perMinute: number, maxCallers = 10_000): RateLimit => {
  const buckets = new Map<string, Bucket>()
  const perMilli = perMinute / 60_000
  return {
    take: (caller, nowMillis) => {
      const bucket = buckets.get(caller) ?? { tokens: perMinute, at: nowMillis }
      buckets.delete(caller)
      bucket.tokens = Math.min(perMinute, bucket.tokens + Math.max(0, nowMillis - bucket.at) * perMilli)
      bucket.at = nowMillis
      buckets.set(caller, bucket)
      if (buckets.size > maxCallers) {
        for (const oldest of buckets.keys()) {
          buckets.delete(oldest)
          break
        }
      }
      if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / perMilli / 1000))
      bucket.tokens -= 1
      return 0
    }
  }
}
