import type { TaskId } from "@troupe/domain/Ids"
import type { Claims } from "../../src/Task/Claim/Claims.ts"
import type { ClaimKind } from "../../src/Task/Row/ProcessDeaths.ts"

/** A row of `actors`, as far as claims read or write it. */
export interface Row {
  readonly id: TaskId
  readonly user: string
  readonly shard: number
  readonly status: "pending" | "running" | "failed"
  /** In seconds of the test's time; null: nothing but a command makes the task due. */
  readonly dueAt: number | null
  readonly epoch: number
  readonly seq: number
  readonly attempts: number
  readonly deaths: number
  readonly loneDeaths: number
  readonly kind: ClaimKind | null
  readonly runner: string | null
  readonly queuedBy: string | null
  /** Until when the runner ends a step of it, even without the shard. */
  readonly leasedUntil: number
  /** Last written before the current process of its runner started. */
  readonly isOld: boolean
}

export const atRest = {
  attempts: 0,
  deaths: 0,
  loneDeaths: 0,
  runner: null,
  queuedBy: null,
  leasedUntil: -Infinity
} as const

export const created = { ...atRest, status: "pending", epoch: 0, seq: 0, kind: null, isOld: false } as const

export const failed = { status: "failed", dueAt: null } as const

/** By a command. */
export const raised = ({ epoch, seq }: Row) =>
  ({ epoch: epoch + 1, seq: seq + 1, attempts: 0, deaths: 0, loneDeaths: 0, isOld: false }) as const

export interface Scan {
  readonly address: string
  /** Of the shards that the runner lists as its own, those whose locks it holds in the database. */
  readonly holds: (shard: number) => boolean
  readonly isAlive: (address: string) => boolean
  readonly now: number
  readonly wanted: Parameters<Claims["Type"]["take"]>[0]
}

/** The rules of claims, as a reference for the statement: the claimed rows in their order, and the queued ones. */
export const scanned = (
  rows: Iterable<Row>,
  { address, holds, isAlive, now, wanted: { active, after, asked, perUser, since, suspects = null } }: Scan
): { readonly claimed: ReadonlyArray<Row>; readonly queued: ReadonlyArray<Row> } => {
  const left = (user: string) => perUser - [...active.values()].filter((one) => one === user).length
  const due = [...rows]
    .filter(({ dueAt, id, shard }) => dueAt !== null && dueAt <= now && holds(shard) && !active.has(id))
    .toSorted((one, other) => age(other, now) - age(one, now))
  const isFree = ({ leasedUntil, runner }: Row) => runner === null || runner === address || leasedUntil <= now
  const unqueued = due.filter(({ queuedBy, ...row }) =>
    queuedBy === null
      ? since === undefined || age(row, now) < since
      : since === undefined && queuedBy !== "" && queuedBy !== address
  )
  const candidates = [
    ...suspectsOf(due.filter((row) => row.queuedBy === "" && left(row.user) > 0 && isFree(row)), suspects),
    ...due.filter((row) => isFree(row) && (row.queuedBy === address || unqueued.includes(row)))
  ]
  const chosen = candidates
    .map((row, place) => ({
      row,
      rank: 1 + candidates.slice(0, place).filter(({ user }) => user === row.user).length,
      isLater: row.user <= after
    }))
    .filter(({ rank, row }) => rank <= left(row.user))
    .toSorted((one, other) =>
      one.rank - other.rank || Number(one.isLater) - Number(other.isLater) || (one.row.user < other.row.user ? -1 : 1)
    )
    .slice(0, asked)
    .map(({ row }) => row)
  const recoversAny = chosen.some(({ runner }) => runner !== null)
  const isOnlySuspect = chosen.filter(({ queuedBy }) => queuedBy === "").length === 1

  const kindOf = ({ isOld, queuedBy, runner, seq, status }: Row): ClaimKind | null => {
    if (runner === null) {
      if (status === "pending" && seq > 0) return "retried"
      return queuedBy === "" && suspects?.isAlone === true && isOnlySuspect && !recoversAny ? "alone" : null
    }
    return runner === address ? (isOld ? "recovered" : "moved") : isAlive(runner) ? "moved" : "recovered"
  }
  return {
    claimed: chosen.map((row): Row => {
      const kind = kindOf(row)
      const died = kind === "recovered" ? 1 : 0
      const deaths = row.deaths + died
      return {
        ...row,
        status: "running",
        epoch: row.epoch + 1,
        seq: row.seq + 1,
        attempts: row.attempts + (row.runner === null ? 1 : 0),
        deaths,
        loneDeaths: row.loneDeaths + (row.kind === "alone" && row.deaths > 1 ? died : 0),
        kind,
        runner: address,
        leasedUntil: -Infinity,
        queuedBy: deaths > 1 ? "" : row.queuedBy,
        isOld: false
      }
    }),
    queued: unqueued.filter((row) => !chosen.includes(row)).map((row) => ({ ...row, queuedBy: address }))
  }
}

/** The oldest, but one with more than two deaths runs without others. */
const suspectsOf = (due: ReadonlyArray<Row>, room: Scan["wanted"]["suspects"]): ReadonlyArray<Row> => {
  const oldest = due.slice(0, room?.most ?? 0)
  const lone = oldest.findIndex(({ deaths }) => deaths > 2)
  if (lone === 0) return room?.isFirst === true ? oldest.slice(0, 1) : []
  return lone < 0 ? oldest : oldest.slice(0, lone)
}

export const age = ({ dueAt }: Pick<Row, "dueAt">, now: number): number => now - (dueAt ?? Infinity)
