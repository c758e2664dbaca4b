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

/** The largest cosine that rounding gives to vectors without anything in common. */
export const roundingError = 0.00001
