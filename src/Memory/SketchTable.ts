import type { MemoryId } from "@troupe/domain/Memory"
import { Effect } from "effect"
import type { Kernel } from "./Kernel.ts"
import type { Sieve } from "./Sieve.ts"
import { type SketchQuery, type SketchShape, sketchSlack } from "./Sketch.ts"

/** Bytes that a block of sketches holds at most: what is compared between two looks at other work, some 0.1 ms. */
const blockSize = 524_288

/** Bytes that a table takes besides, and a memory in it besides its sketch: its id, and its place by that. */
const overhead = { table: 2_000, memory: 200 }

/** Sketches of one user and one space, side by side, for one reader or writer at a time. */
export interface SketchTable {
  readonly bytes: () => number
  readonly size: () => number
  /** A sketch of another shape takes part in nothing. */
  readonly put: (id: MemoryId, sketch: Uint8Array) => void
  readonly remove: (id: MemoryId) => void
  /** Removes all but these. */
  readonly retain: (wanted: ReadonlySet<MemoryId>) => void
  /** Puts all into the sieve, with other work let in between the blocks. */
  readonly sift: (query: SketchQuery, sieve: Sieve) => Effect.Effect<void>
}

export const makeSketchTable = (kernel: Kernel, shape: SketchShape): SketchTable => {
  const { size } = shape
  const blocks: Array<Uint8Array> = []
  const ids: Array<MemoryId> = []
  const places = new Map<MemoryId, number>()
  const perBlock = rowsPerBlock(shape)

  const sketchAt = (place: number): Uint8Array => {
    const number = Math.floor(place / perBlock)
    const row = place % perBlock
    const block = blocks[number] ?? new Uint8Array()
    if (row * size < block.length) return block.subarray(row * size, (row + 1) * size)
    const grown = new Uint8Array(roomFor(row + 1, perBlock) * size)
    grown.set(block)
    blocks[number] = grown
    return grown.subarray(row * size, (row + 1) * size)
  }

  const put = (id: MemoryId, sketch: Uint8Array) => {
    if (sketch.length !== size) return
    const place = places.get(id) ?? ids.length
    if (place === ids.length) ids.push(id)
    places.set(id, place)
    sketchAt(place).set(sketch)
  }

  /** The last one takes the place of the one that goes. A block that this leaves empty goes too. */
  const remove = (id: MemoryId) => {
    const place = places.get(id)
    const last = place === undefined ? undefined : ids.pop()
    if (place === undefined || last === undefined) return
    places.delete(id)
    if (last !== id) {
      sketchAt(place).set(sketchAt(ids.length))
      ids[place] = last
      places.set(last, place)
    }
    blocks.length = Math.ceil(ids.length / perBlock)
  }

  const siftBlock = (query: SketchQuery, sieve: Sieve, block: Uint8Array, first: number) => {
    const count = Math.min(perBlock, ids.length - first)
    const scores = kernel.scores(query, shape, block, count)
    const view = new DataView(block.buffer)
    for (let row = 0; row < count; row++) {
      const id = ids[first + row]
      if (id !== undefined) sieve.add(id, scores[row] ?? 0, sketchSlack(query, view.getFloat32(row * size, true)))
    }
  }

  return {
    bytes: () => blocks.reduce((sum, block) => sum + block.length, overhead.table) + ids.length * overhead.memory,
    size: () => ids.length,
    put,
    remove,
    retain: (wanted) => {
      for (const id of ids.filter((id) => !wanted.has(id))) remove(id)
    },
    sift: Effect.fnUntraced(function*(query, sieve) {
      for (const [number, block] of blocks.entries()) {
        siftBlock(query, sieve, block, number * perBlock)
        yield* letOthersRun
      }
    })
  }
}

/** The bytes of a table into which so many were put. */
export const tableBytes = (shape: SketchShape, count: number): number => {
  const perBlock = rowsPerBlock(shape)
  const room = Math.floor(count / perBlock) * perBlock + roomFor(count % perBlock, perBlock)
  return overhead.table + room * shape.size + count * overhead.memory
}

const rowsPerBlock = ({ size }: SketchShape) => Math.max(1, Math.floor(blockSize / size))

/** Most users have a handful: a block begins small and doubles. */
const roomFor = (count: number, most: number) =>
  count === 0 ? 0 : Math.min(most, 2 ** Math.ceil(Math.log2(Math.max(4, count))))

/** Puts what waits on the event loop first. */
const letOthersRun: Effect.Effect<void> = Effect.async((resume) => {
  const turn = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(turn))
})
