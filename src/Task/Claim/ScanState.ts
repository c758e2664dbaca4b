import { Duration } from "effect"
import type { ClaimResult } from "./Claims.ts"

/** How much later than its `wake_at` a due row may become visible: a statement's time-out, and some more. */
const commitLag = Duration.seconds(30)

/** A scan of all due rows is made this often in any case. */
const fullScanInterval = Duration.seconds(10)

interface Scan {
  readonly startedAt: bigint
  /** How many slots it may fill. */
  readonly asked: number
  /** The age in seconds beyond which it need not go; without one it must see everything. */
  readonly since: number | undefined
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
  readonly fullScanAt: bigint
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
  fullScanAt: 0n,
  seen: null
}

/** The scan leaves half of the free slots to new tasks, which would otherwise wait for it. */
export const beginScan = (state: ScanState, owned: ReadonlyArray<number>, free: number, now: bigint): ScanState => {
  const { fullScanAt, seen } = state
  const isCovered = seen !== null && now - fullScanAt <= nanos(fullScanInterval)
    && owned.every((shard) => seen.shards.has(shard))
  const since = isCovered ? Number(now - seen.at + nanos(commitLag)) / 1e9 : undefined
  return {
    ...state,
    shards: new Set(owned),
    scan: { startedAt: now, asked: Math.ceil(free / 2), since, isOutdated: false }
  }
}

/** `isFull`: with what the scan has claimed, no slot is left, or none of a user. */
export const endScan = (state: ScanState, { claims, hasMore }: ClaimResult, isFull: boolean): ScanState => {
  const { after, fullScanAt, scan, seen, shards } = state
  if (scan === null) return state
  const isWhole = scan.since === undefined
  return {
    ...state,
    scan: null,
    after: claims.at(-1)?.creator ?? after,
    hasBacklog: hasMore || isFull || claims.length >= scan.asked,
    fullScanAt: isWhole ? scan.startedAt : fullScanAt,
    seen: scan.isOutdated || (hasMore && isWhole) ? null : hasMore ? seen : { at: scan.startedAt, shards }
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
