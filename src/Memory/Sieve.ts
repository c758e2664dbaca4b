import type { MemoryId } from "@troupe/domain/Memory"
import { noise } from "./Vectors.ts"

/** A memory that may be among the nearest: its score is `most` at most. */
export interface Candidate {
  readonly id: MemoryId
  readonly most: number
}

/** Keeps of all memories those that may be among the `limit` nearest, of which only bounds of the scores are known. */
export interface Sieve {
  /** The score is within `slack` of `score`. What is added again counts as it was added last. */
  readonly add: (id: MemoryId, score: number, slack: number) => void
  /** What so many scores reach as make up the limit: none below it is among the nearest. */
  readonly threshold: () => number
  /** The most promising first. */
  readonly candidates: () => ReadonlyArray<Candidate>
}

export const makeSieve = (limit: number): Sieve => {
  const most = new Map<MemoryId, number>()
  /** The greatest lower bounds, least first. */
  const least: Array<number> = []
  let threshold = noise
  return {
    add: (id, score, slack) => {
      if (score + slack < threshold) return
      most.set(id, score + slack)
      const place = least.findIndex((bound) => bound > score - slack)
      least.splice(place === -1 ? least.length : place, 0, score - slack)
      if (least.length > limit) least.shift()
      if (least.length === limit) threshold = Math.max(noise, least[0] ?? noise)
    },
    threshold: () => threshold,
    candidates: () =>
      Array.from(most, ([id, most]) => ({ id, most }))
        .filter((candidate) => candidate.most >= threshold)
        .toSorted((one, other) => other.most - one.most)
  }
}
