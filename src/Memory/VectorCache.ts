import type { MemoryId } from "@troupe/domain/Memory"
import { Effect } from "effect"

/** A place in the order of a user's memories by their last change. */
export interface VectorPosition {
  readonly version: number
  readonly id: string
}

export const endOf = (version: number): VectorPosition => ({ version, id: "ffffffff-ffff-ffff-ffff-ffffffffffff" })

export const beginning: VectorPosition = endOf(0)

/** A user's vectors of one space, read up to a place in the order of changes and after so many removals. */
export interface CachedVectors {
  readonly vectors: Map<MemoryId, Float32Array>
  place: VectorPosition
  removals: number
}

interface Entry extends CachedVectors {
  readonly lock: Effect.Semaphore
  /** What the vectors take once all are read. */
  bytes: number
  searches: number
}

/** Keeps vectors of the users who searched last, in at most `capacity` bytes. */
export interface VectorCache {
  /** Gives the vectors of the key to `cached`, one search at a time; `uncached` runs where `bytes` don't fit. */
  readonly use: <A, E>(key: string, bytes: number, search: {
    readonly cached: (vectors: CachedVectors) => Effect.Effect<A, E>
    readonly uncached: Effect.Effect<A, E>
  }) => Effect.Effect<A, E>
}

export const makeVectorCache = (capacity: number): VectorCache => {
  /** In the order of their last use. */
  const entries = new Map<string, Entry>()

  const bytesOf = (which: (entry: Entry) => boolean) =>
    [...entries.values()].filter(which).reduce((sum, { bytes }) => sum + bytes, 0)

  const evict = () => {
    let bytes = bytesOf(() => true)
    for (const [key, entry] of entries) {
      if (bytes <= capacity) return
      if (entry.searches > 0) continue
      entries.delete(key)
      bytes -= entry.bytes
    }
  }

  const acquire = (key: string, bytes: number): Entry | null => {
    const known = entries.get(key)
    if (bytes + bytesOf((entry) => entry !== known && entry.searches > 0) > capacity) return null
    const entry = known ?? emptyEntry()
    entry.bytes = bytes
    entry.searches += 1
    entries.delete(key)
    entries.set(key, entry)
    evict()
    return entry
  }

  return {
    use: (key, bytes, { cached, uncached }) =>
      Effect.acquireUseRelease(
        Effect.sync(() => acquire(key, bytes)),
        (entry) => entry === null ? uncached : entry.lock.withPermits(1)(cached(entry)),
        (entry) =>
          Effect.sync(() => {
            if (entry !== null) entry.searches -= 1
          })
      )
  }
}

const emptyEntry = (): Entry => ({
  vectors: new Map(),
  place: beginning,
  removals: 0,
  lock: Effect.unsafeMakeSemaphore(1),
  bytes: 0,
  searches: 0
})
