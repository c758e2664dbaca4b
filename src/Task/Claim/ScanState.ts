import { Duration } from "effect"
import type { ClaimResult, Turns } from "./Claims.ts"

/** How much later than its `wake_at` a due row may become visible: a statement's time-out, and some more. */
const commitLag = Duration.seconds(30)

/** A scan of all due rows is made this often in any case. */
const fullScanInterval = Duration.seconds(10)

/** A full scan also looks for tasks that a living runner queued when this one had just got their shard. */
const allQueuesInterval = Duration.minutes(1)

/** A process that ran nothing for so long, in milliseconds, scans less often: new tasks signal, and timers may be some seconds late. */
const idleAfter = 15_000
const idleFactor = 3

/** The pause before the next scan that nothing signals. */
export const pauseAfter = (pollInterval: Duration.Duration, idleMillis: number): Duration.Duration =>
  idleMillis < idleAfter ? pollInterval : Duration.times(pollInterval, idleFactor)

const maxVisits = 200
const maxNewest = 100

interface Scan extends Turns {
  readonly startedAt: bigint
  /** How many slots it may fill. */
  readonly asked: number
  /** The age in seconds beyond which it need not go; without one it must see everything. */
  readonly since: number | undefined
  /** Whether it looks into the queues of all other runners, not only of those that ended. */
  readonly allQueues: boolean
  /** A task was released meanwhile, which it may not have seen. */
  readonly isOutdated: boolean
}

/** What a runner knows of the due tasks of its shards. */
export interface ScanState {
  /** The scan under way. */
  readonly scan: Scan | null
  /** The shards of the last scan. */
  readonly shards: ReadonlySet<number>
  /** The user after whom the next scan begins. */
  readonly after: string
  /** Due tasks wait for a slot; new ones queue behind them. */
  readonly hasBacklog: boolean
  /**
   * More is due than a scan reads: until a full scan finds less, scans visit the users in turn and queue nothing. Every
   * second one takes tasks of new users first, so that neither these nor the others wait for all of the others.
   */
  readonly isLong: boolean
  readonly takesNew: boolean
  readonly fullScanAt: bigint
  readonly allQueuesAt: bigint
  /**
   * When everything due in these shards was seen: older due tasks belong to other runners or are queued here. Null: the
   * next scan must see everything.
   */
  readonly seen: { readonly at: bigint; readonly shards: ReadonlySet<number> } | null
}

export const beforeScans: ScanState = {
  scan: null,
  shards: new Set(),
  after: "",
  hasBacklog: true,
  isLong: false,
  takesNew: false,
  fullScanAt: 0n,
  allQueuesAt: 0n,
  seen: null
}

/** The scan leaves half of the free slots to new tasks, which would otherwise wait for it. */
export const beginScan = (state: ScanState, owned: ReadonlyArray<number>, free: number, now: bigint): ScanState => {
  const { allQueuesAt, fullScanAt, isLong, seen, takesNew } = state
  const hasSeen = seen !== null && owned.every((shard) => seen.shards.has(shard))
  const isCovered = hasSeen && now - fullScanAt <= nanos(fullScanInterval)
  return {
    ...state,
    shards: new Set(owned),
    takesNew: isLong && !takesNew,
    scan: {
      startedAt: now,
      asked: Math.ceil(free / 2),
      since: isCovered ? Number(now - seen.at + nanos(commitLag)) / 1e9 : undefined,
      allQueues: !hasSeen || now - allQueuesAt > nanos(allQueuesInterval),
      visits: isCovered && isLong ? maxVisits : 0,
      newest: isLong && !takesNew ? maxNewest : 0,
      isOutdated: false
    }
  }
}

/** `isFull`: with what the scan has claimed, no slot is left, or none of a user. */
export const endScan = (state: ScanState, result: ClaimResult, isFull: boolean): ScanState => {
  const { allQueuesAt, fullScanAt, scan, seen, shards } = state
  if (scan === null) return state
  const { after, claims, hasMore, hasOrphans } = result
  const isWhole = scan.since === undefined
  const isFilled = claims.length >= scan.asked
  const isLong = hasMore || hasOrphans || (state.isLong && !isWhole)
  // Where the turns of all users fill no slots, only a full scan can tell what is left.
  const isOver = scan.visits > 0 && !isFilled && !isFull
  return {
    ...state,
    scan: null,
    after,
    isLong,
    hasBacklog: isLong || isFull || isFilled,
    fullScanAt: isWhole ? scan.startedAt : fullScanAt,
    allQueuesAt: isWhole && scan.allQueues ? scan.startedAt : allQueuesAt,
    seen: scan.isOutdated || hasOrphans || isOver ? null : isLong && !isWhole ? seen : { at: scan.startedAt, shards }
  }
}

/** What earlier scans have seen still holds. */
export const failScan = (state: ScanState): ScanState => ({ ...state, scan: null })

/** A task was released here: the next scan must see everything. */
export const forget = (state: ScanState): ScanState => ({
  ...state,
  seen: null,
  scan: state.scan === null ? null : { ...state.scan, isOutdated: true }
})

const nanos = (duration: Duration.Duration): bigint => Duration.unsafeToNanos(duration)
