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

/**
 * Finds a user's memories most similar to a vector: exactly, over all of the user's memories in that space as of the
 * call. Best first, the newest first of equal scores; never memories with a cosine of 0 or less.
 */
export class MemoryIndex extends Context.Tag("troupe/Memory/MemoryIndex")<MemoryIndex, {
  readonly kind: "pgvector" | "scan"
  /** `vector` has length 1. */
  readonly nearest: (
    userId: UserId,
    space: Space,
    vector: Float32Array,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Neighbour>, SearchUnfinished>
}>() {}
