import type { UserId } from "@troupe/domain/Ids"
import type { MemoryId } from "@troupe/domain/Memory"
import type { SearchUnfinished } from "@troupe/domain/Search"
import { Context, type Effect } from "effect"

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

/** Finds a user's memories most similar to a vector, exactly, among all in that space: best first, then newest first. */
export class MemoryIndex extends Context.Tag("troupe/Memory/MemoryIndex")<MemoryIndex, {
  readonly kind: "pgvector" | "scan"
  /** `vector` has length 1. Memories with a cosine of 0 or less are never found. */
  readonly nearest: (
    userId: UserId,
    space: Space,
    vector: Float32Array,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Neighbour>, SearchUnfinished>
}>() {}

/** The vector at length 1, so that a dot product is a cosine; one without direction becomes zero, similar to nothing. */
export const normalised = (vector: Float32Array): Float32Array => {
  let sum = 0
  for (const value of vector) sum += value * value
  const length = Math.sqrt(sum)
  return Number.isFinite(length) && length > 0 ? vector.map((value) => value / length) : new Float32Array(vector.length)
}

/** The largest cosine that rounding gives to vectors without anything in common. */
export const roundingError = 0.00001

export const dot = (one: Float32Array, other: Float32Array): number => {
  let sum = 0
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0)
  return sum
}
