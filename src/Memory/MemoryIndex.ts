import type { UserId } from "@troupe/domain/Ids"
import type { MemoryId } from "@troupe/domain/Memory"
import type { SearchUnfinished } from "@troupe/domain/Search"
import { Context, Effect } from "effect"

/** Vectors are comparable within a space: those of one model with the same number of dimensions. */
export interface Space {
  readonly model: string
  readonly dimensions: number
}

/** A memory found by similarity; `score` is the cosine of its vector and the query's. */
export interface Neighbour {
  readonly id: MemoryId
  readonly score: number
}

/** Of each of these vectors, which have length 1. Memories with a cosine of 0 or less are never found. */
export type NearestOfEach = (
  userId: UserId,
  space: Space,
  vectors: ReadonlyArray<Float32Array>,
  limit: number
) => Effect.Effect<ReadonlyArray<ReadonlyArray<Neighbour>>, SearchUnfinished>

/** Finds a user's memories most similar to a vector, exactly, among all in that space: best first, then newest first. */
export class MemoryIndex extends Context.Tag("troupe/Memory/MemoryIndex")<MemoryIndex, {
  readonly kind: "pgvector" | "scan"
  /** Reads the user's memories once for all of the vectors. */
  readonly nearestOfEach: NearestOfEach
  readonly nearest: (
    userId: UserId,
    space: Space,
    vector: Float32Array,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Neighbour>, SearchUnfinished>
}>() {
  static readonly make = (kind: MemoryIndex["Type"]["kind"], nearestOfEach: NearestOfEach): MemoryIndex["Type"] => ({
    kind,
    nearestOfEach,
    nearest: (userId, space, vector, limit) =>
      Effect.map(nearestOfEach(userId, space, [vector], limit), ([found = []]) => found)
  })
}

/** The largest cosine that rounding gives to vectors without anything in common. */
export const roundingError = 0.00001
