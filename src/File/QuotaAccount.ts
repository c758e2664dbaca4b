import type { DiskUsage } from "./DiskUsage.ts"

/** A reservation of this process. */
export interface Growing {
  readonly id: string
  held: DiskUsage
  isLost: boolean
  isFixed: boolean
  isSettled: boolean
  /** What the other processes count for it; null: it is not shared. */
  shared: DiskUsage | null
  sharedAt: number
}

/** What this process knows of a user's files. */
export interface QuotaAccount {
  stored: DiskUsage
  /** When the measurement began from which `stored` comes. */
  measuredAt: string
  /** All that was settled: a measurement under way may have missed it. */
  added: DiskUsage
  /** Those that are fixed, in the order in which they were; then the others, in the order in which they were made. */
  readonly growing: Array<Growing>
  /** Reserved without the other processes since then. */
  unshared: DiskUsage
  unsharedSince: number
}

export const nothing: DiskUsage = { bytes: 0, files: 0 }

export const plus = (one: DiskUsage, other: DiskUsage): DiskUsage => ({
  bytes: one.bytes + other.bytes,
  files: one.files + other.files
})

export const times = ({ bytes, files }: DiskUsage, factor: number): DiskUsage => ({
  bytes: bytes * factor,
  files: files * factor
})

export const minus = (one: DiskUsage, other: DiskUsage): DiskUsage => plus(one, times(other, -1))

export const atLeastNothing = ({ bytes, files }: DiskUsage): DiskUsage => ({
  bytes: Math.max(0, bytes),
  files: Math.max(0, files)
})

export const isWithin = ({ bytes, files }: DiskUsage, limit: DiskUsage): boolean =>
  bytes <= limit.bytes && files <= limit.files

export const sum = (growing: ReadonlyArray<Growing>): DiskUsage => growing.map(({ held }) => held).reduce(plus, nothing)

/** What a reservation has to fit beside, with itself: what is stored or fixed before it, and what was made before it. */
export const countedFor = ({ growing, stored }: QuotaAccount, one: Growing): DiskUsage => {
  const at = growing.indexOf(one)
  return plus(stored, sum(growing.filter((other, index) => index <= at || (!other.isFixed && other.id < one.id))))
}
