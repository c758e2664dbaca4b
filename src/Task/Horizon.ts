import { Clock, Duration, Effect } from "effect"

/** How much later than its `wake_at` a due row may come to be seen: a statement's time-out, and some more. */
const commitLag = Duration.seconds(30)

/** How often a look goes all the way back in any case, should something have become ours without our hearing of it. */
const wholeEvery = Duration.seconds(10)

/** What a look saw: all there is for this runner, or as much as it sees at a time. */
export type Look = "exhaustive" | "partial"

/**
 * How far back a look for due tasks has to go. Once a look has seen everything, what was due before it is for other
 * runners, however much that is, or in this runner's line, until it gains shards or gives a task back.
 */
export interface Horizon {
  /** Runs a look with the age in seconds beyond which it need not go; without one it must see everything. */
  readonly look: <E>(
    owned: ReadonlyArray<number>,
    look: (since: number | undefined) => Effect.Effect<Look, E>
  ) => Effect.Effect<void, E>
  /** Something older may be for this runner again. */
  readonly forget: () => void
}

export const makeHorizon = (): Horizon => {
  let exhaustedAt = 0n
  let wholeAt = 0n
  let known: ReadonlySet<number> | null = null
  let forgotten = 0
  return {
    look: (owned, look) =>
      Effect.gen(function*() {
        const now = yield* Clock.currentTimeNanos
        const isWhole = known === null || now - wholeAt > nanos(wholeEvery) ||
          !owned.every((shard) => known?.has(shard))
        const before = forgotten
        const found = yield* look(isWhole ? undefined : Number(now - exhaustedAt + nanos(commitLag)) / 1e9)
        if (isWhole) wholeAt = now
        if (before !== forgotten || (isWhole && found === "partial")) {
          known = null
        } else if (found === "exhaustive") {
          exhaustedAt = now
          known = new Set(owned)
        }
      }),
    forget: () => {
      forgotten += 1
      known = null
    }
  }
}

const nanos = (duration: Duration.Duration): bigint => Duration.unsafeToNanos(duration)
