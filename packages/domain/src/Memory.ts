import { Schema } from "effect"

/** A memory's id: a UUIDv7, so ids sort by the time of creation. */
export const MemoryId = Schema.String.pipe(
  Schema.pattern(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/),
  Schema.brand("MemoryId")
)
export type MemoryId = typeof MemoryId.Type

/** Something a user's agents shall know later on. Times are ISO 8601, UTC. */
export interface Memory {
  readonly id: MemoryId
  readonly content: string
  readonly tags: ReadonlyArray<string>
  readonly createdAt: string
  readonly updatedAt: string
}

/** A memory and how near it is to what was asked: the cosine of their vectors, in -1..1. */
export interface FoundMemory extends Memory {
  readonly score: number
}

export const maxMemoryLength = 8_000
export const maxMemoryTags = 20
export const maxTagLength = 64
export const maxMemoryQueryLength = 8_000
export const maxMemoriesFound = 50

/** Above this cosine two memories of a user are one (contract.md 12). */
export const sameMemory = 0.97

/** Above this cosine a memory is told to the agent of a new task, and how many of them (contract.md 12). */
export const relevantMemory = 0.3
export const memoriesTold = 3

/** Nothing was saved or asked; `reason` is plain words that a model understands. */
export class MemoryRefused extends Schema.TaggedError<MemoryRefused>()("MemoryRefused", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** Tags as they are kept: trimmed, in lower case, each once, in the order given. */
export const tagsOf = (tags: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(tags.map((tag) => tag.trim().toLowerCase()).filter((tag) => tag !== ""))
]

/** The tags of two memories that became one; where they are too many, the older ones go. */
export const unitedTags = (newer: ReadonlyArray<string>, older: ReadonlyArray<string>): ReadonlyArray<string> =>
  tagsOf([...newer, ...older]).slice(0, maxMemoryTags)

/** Why a memory can't be kept as it is given, or null when it can. */
export const memoryMistake = (content: string, tags: ReadonlyArray<string>): string | null => {
  if (content.trim() === "") return "The memory is empty. Give \"content\" that says something."
  if (content.length > maxMemoryLength) {
    return `The memory has ${content.length} characters; at most ${maxMemoryLength} are kept. Save its gist.`
  }
  const kept = tagsOf(tags)
  if (kept.length > maxMemoryTags) return `There are ${kept.length} tags; at most ${maxMemoryTags} are kept.`
  const long = kept.find((tag) => tag.length > maxTagLength)
  return long === undefined ? null : `The tag ${JSON.stringify(long.slice(0, maxTagLength))}... has more than `
    + `${maxTagLength} characters. Use short tags.`
}

/** What is remembered of a completed task: what was asked, and how it ended. */
export const taskMemory = (asked: string, outcome: string): string =>
  `Task: ${clipped(asked, 1_000)}\nOutcome: ${clipped(outcome, 2_000)}`

const clipped = (text: string, length: number): string => {
  const whole = text.trim()
  // Not between the halves of a surrogate pair.
  return whole.length <= length ? whole : `${whole.slice(0, length).replace(/[\uD800-\uDBFF]$/, "")}...`
}
