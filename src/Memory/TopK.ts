import type { MemoryId } from "@troupe/domain/Memory"
import type { Neighbour } from "./MemoryIndex.ts"
import { roundingError } from "./Vectors.ts"

/** Keeps the best `limit` scores: best first, the newest first of equal ones. */
export interface TopK {
  readonly add: (id: MemoryId, score: number) => void
  readonly neighbours: () => ReadonlyArray<Neighbour>
}

export const makeTopK = (limit: number): TopK => {
  const best: Array<Neighbour> = []
  let threshold = roundingError
  return {
    add: (id, score) => {
      if (score <= roundingError || score < threshold) return
      const place = best.findIndex((other) => score > other.score || score === other.score && id > other.id)
      best.splice(place === -1 ? best.length : place, 0, { id, score })
      if (best.length > limit) best.pop()
      if (best.length === limit) threshold = best.at(-1)?.score ?? threshold
    },
    neighbours: () => [...best]
  }
}
