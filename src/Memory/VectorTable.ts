import type { MemoryId } from "@troupe/domain/Memory"
import { Effect } from "effect"
import type { Near } from "./MemoryIndex.ts"
import { dotAt, noise } from "./Vectors.ts"

/** Numbers that a block of vectors holds at most: what is compared between two looks at other work, some 1 ms. */
const blockSize = 262_144

/** Vectors of one user and one space, side by side, for one reader or writer at a time. */
export interface VectorTable {
  readonly bytes: () => number
  readonly size: () => number
  /** A vector of other dimensions takes part in nothing. */
  readonly put: (id: MemoryId, vector: Float32Array) => void
  readonly remove: (id: MemoryId) => void
  /** As `MemoryIndex.nearest`, with other work let in between the blocks. */
  readonly nearest: (vector: Float32Array, limit: number) => Effect.Effect<ReadonlyArray<Near>>
}

export const makeVectorTable = (dimensions: number): VectorTable => {
  const rowsPerBlock = Math.max(1, Math.floor(blockSize / dimensions))
  const blocks: Array<Float32Array> = []
  const ids: Array<MemoryId> = []
  const places = new Map<MemoryId, number>()

  const offsetOf = (place: number) => (place % rowsPerBlock) * dimensions
  const blockFor = (place: number): Float32Array => {
    const number = Math.floor(place / rowsPerBlock)
    const block = blocks[number] ?? new Float32Array()
    if (block.length > offsetOf(place)) return block
    // Most users have a handful: a block begins small and doubles.
    const grown = new Float32Array(Math.min(rowsPerBlock, Math.max(4, 2 * block.length / dimensions)) * dimensions)
    grown.set(block)
    blocks[number] = grown
    return grown
  }
  const vectorAt = (place: number) => blockFor(place).subarray(offsetOf(place), offsetOf(place) + dimensions)

  const put = (id: MemoryId, vector: Float32Array) => {
    if (vector.length !== dimensions) return
    const place = places.get(id) ?? ids.length
    if (place === ids.length) ids.push(id)
    places.set(id, place)
    vectorAt(place).set(vector)
  }

  /** The last vector takes the place of the one that goes. */
  const remove = (id: MemoryId) => {
    const place = places.get(id)
    const last = place === undefined ? undefined : ids.pop()
    if (place === undefined || last === undefined) return
    places.delete(id)
    if (last === id) return
    vectorAt(place).set(vectorAt(ids.length))
    ids[place] = last
    places.set(last, place)
  }

  const nearest = Effect.fnUntraced(function*(vector: Float32Array, limit: number) {
    const best = makeBest(limit)
    for (const [number, block] of blocks.entries()) {
      const first = number * rowsPerBlock
      const count = Math.min(rowsPerBlock, ids.length - first)
      for (let row = 0; row < count; row++) {
        const score = dotAt(block, row * dimensions, vector)
        if (score >= best.least()) best.add(ids[first + row], score)
      }
      yield* letOthersRun
    }
    return best.all()
  })

  return {
    bytes: () => blocks.reduce((sum, block) => sum + block.byteLength, 0) + ids.length * 200,
    size: () => ids.length,
    put,
    remove,
    nearest
  }
}

/** Puts what waits on the event loop first. */
const letOthersRun: Effect.Effect<void> = Effect.async((resume) => {
  const turn = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(turn))
})

/** The order of results: best first, of equal ones the newest. */
export const byNearness = (one: Near, other: Near): number =>
  other.score - one.score || (one.id < other.id ? 1 : one.id > other.id ? -1 : 0)

/** The `limit` best of what is added and more than noise. */
const makeBest = (limit: number) => {
  const found: Array<Near> = []
  let least = noise
  return {
    /** What a score must reach to count. */
    least: () => least,
    add: (id: MemoryId | undefined, score: number) => {
      if (id === undefined || score <= noise) return
      found.push({ id, score })
      found.sort(byNearness)
      if (found.length > limit) found.pop()
      if (found.length === limit) least = found.at(-1)?.score ?? 0
    },
    all: (): ReadonlyArray<Near> => found
  }
}
