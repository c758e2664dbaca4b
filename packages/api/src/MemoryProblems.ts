import { MemoryNotFound } from "@troupe/domain/Memory"
import { problem } from "./Problem.ts"

/** The domain errors of memories, each with its problem. */
export const memoryNotFound = problem(MemoryNotFound, {
  slug: "memory-not-found",
  status: 404,
  title: "There is no such memory"
})
