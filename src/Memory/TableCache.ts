import { Effect } from "effect"
import type { Place } from "./SketchReads.ts"
import type { SketchTable } from "./SketchTable.ts"

/** A user's sketches, as far as they are read and as they stood after so many removals. */
export interface Kept {
  readonly table: SketchTable
  at: Place
  removals: number
}

interface Entry {
  readonly kept: Kept
  /** What it takes once it is read to the end. */
  bytes: number
  /** How many search in it, or wait to. */
  searches: number
  readonly alone: Effect.Semaphore
}

/**
 * Tables of the users who asked last, which never take more than `capacity` bytes together: whoever comes when those in
 * use leave no room gets none.
 */
export interface TableCache {
  /**
   * Gives what is kept under the key to `work`, and to nobody else meanwhile. `bytes` is what it will take; without room
   * for it `otherwise` runs.
   */
  readonly use: <A, E>(key: string, options: {
    readonly bytes: number
    readonly make: () => Kept
    readonly work: (kept: Kept) => Effect.Effect<A, E>
    readonly otherwise: Effect.Effect<A, E>
  }) => Effect.Effect<A, E>
}

export const makeTableCache = (capacity: number): TableCache => {
  /** The one asked for last is the last. */
  const entries = new Map<string, Entry>()

  /** Bytes of all of them, and of those in use. */
  let taken = 0
  let inUse = 0

  const count = (entry: Entry, sign: 1 | -1) => {
    taken += sign * entry.bytes
    if (entry.searches > 0) inUse += sign * entry.bytes
  }

  const put = (key: string, entry: Entry) => {
    entries.set(key, entry)
    count(entry, 1)
  }

  const drop = (key: string, entry: Entry) => {
    entries.delete(key)
    count(entry, -1)
  }

  /** Drops what was longest without use, until no more than so many bytes are taken. */
  const shrink = (most: number) => {
    for (const [key, entry] of entries) {
      if (taken <= most) return
      if (entry.searches === 0) drop(key, entry)
    }
  }

  return {
    use: (key, { bytes, make, otherwise, work }) =>
      // An interruption that falls between taking room and working would otherwise leave the room taken.
      Effect.uninterruptibleMask((restore) => {
        const known = entries.get(key)
        const needed = Math.max(bytes, known?.kept.table.bytes() ?? 0)
        if (known !== undefined) drop(key, known)
        if (inUse + needed > capacity) {
          // Others still use it, so it still takes its bytes.
          if (known !== undefined && known.searches > 0) put(key, known)
          return restore(otherwise)
        }
        shrink(capacity - needed)
        const entry = known ?? { kept: make(), bytes: 0, searches: 0, alone: Effect.unsafeMakeSemaphore(1) }
        entry.bytes = needed
        entry.searches += 1
        put(key, entry)
        return restore(entry.alone.withPermits(1)(work(entry.kept))).pipe(
          Effect.ensuring(Effect.sync(() => {
            count(entry, -1)
            entry.searches -= 1
            count(entry, 1)
          }))
        )
      })
  }
}
