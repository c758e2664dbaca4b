import { Duration, Effect } from "effect"

/** How much later than its `wake_at` a due row may become visible: a statement's time-out, and some more. */
const commitLag = Duration.seconds(30)

/** A scan of all due rows is made this often in any case. */
const fullScanInterval = Duration.seconds(10)

export type ScanResult = "exhaustive" | "partial"

/**
 * How far back a scan has to go: once one has seen everything, older due tasks belong to other runners or are queued
 * here, until this runner gains shards or releases a task.
 */
export const makeClaimWindow = () => {
  let exhaustedAt = 0n
  let fullScanAt = 0n
  let scannedShards: ReadonlySet<number> | null = null
  let resets = 0
  return {
    /** Runs a scan with the age in seconds beyond which it need not go; without one it must see everything. */
    scan: <E>(
      owned: ReadonlyArray<number>,
      scan: (since: number | undefined) => Effect.Effect<ScanResult, E>
    ): Effect.Effect<void, E> =>
      Effect.clockWith((clock) => {
        const now = clock.unsafeCurrentTimeNanos()
        const isFull = scannedShards === null || now - fullScanAt > nanos(fullScanInterval) ||
          !owned.every((shard) => scannedShards?.has(shard))
        const resetsBefore = resets
        return Effect.map(
          scan(isFull ? undefined : Number(now - exhaustedAt + nanos(commitLag)) / 1e9),
          (result) => {
            if (isFull) fullScanAt = now
            if (resetsBefore !== resets || (isFull && result === "partial")) {
              scannedShards = null
            } else if (result === "exhaustive") {
              exhaustedAt = now
              scannedShards = new Set(owned)
            }
          }
        )
      }),
    reset: () => {
      resets += 1
      scannedShards = null
    }
  }
}

const nanos = (duration: Duration.Duration): bigint => Duration.unsafeToNanos(duration)
