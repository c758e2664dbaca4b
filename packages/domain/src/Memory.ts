import { Schema } from "effect"
import { recordId, TaskId, UserId } from "./Ids.ts"
import { headOf } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

export const MemoryId = recordId("MemoryId", "Memory id")
export type MemoryId = typeof MemoryId.Type

/** The task that saved it had seen something from outside. */
export const MemoryOrigin = Schema.Literal("outside")
export type MemoryOrigin = typeof MemoryOrigin.Type

/** Which memories enter the prompts of new tasks. */
export const MemoryInjection = Schema.Literal("all", "trusted", "none")
export type MemoryInjection = typeof MemoryInjection.Type

export interface Memory {
  readonly id: MemoryId
  readonly content: string
  readonly tags: ReadonlyArray<string>
  readonly origin?: MemoryOrigin | null | undefined
  readonly createdAt: string
  readonly updatedAt: string
}

/** A memory as its user sees it. */
export const MemoryRecord = Schema.Struct({
  id: MemoryId,
  user_id: UserId.annotations({ description: "The user whose agents remember it" }),
  content: Schema.String.annotations({ description: "What is remembered" }),
  tags: Schema.Array(Schema.String).annotations({ description: "Words to find it by" }),
  task_id: Schema.NullOr(TaskId).annotations({
    description: "The task whose end it tells; null if an agent saved it"
  }),
  created_at: Timestamp,
  updated_at: Timestamp
}).annotations({ identifier: "Memory" })
export type MemoryRecord = typeof MemoryRecord.Type

/** `score` is the cosine similarity to the query, in -1..1. */
export interface FoundMemory extends Memory {
  readonly score: number
}

export const maxMemoryLength = 8_000
export const maxMemoryTags = 20
export const maxTagLength = 64
export const maxMemoryQueryLength = 8_000
export const maxMemoriesFound = 50

/** Above this cosine two memories of a user are merged. */
export const duplicateScore = 0.97

/** Above this cosine a memory enters the prompt of a new task. */
export const minRecallScore = 0.3
export const maxRecalledMemories = 3

export class MemoryRefused extends Schema.TaggedError<MemoryRefused>()("MemoryRefused", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

export class MemoryNotFound extends Schema.TaggedError<MemoryNotFound>()("MemoryNotFound", {
  user_id: Schema.String,
  id: Schema.String
}) {
  override get message() {
    return `User ${this.user_id} has no memory ${this.id}.`
  }
}

export const normalisedTags = (tags: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(tags.map((tag) => tag.trim().toLowerCase()).filter((tag) => tag !== ""))
]

export const mergedTags = (newer: ReadonlyArray<string>, older: ReadonlyArray<string>): ReadonlyArray<string> =>
  normalisedTags([...newer, ...older]).slice(0, maxMemoryTags)

export const memoryProblem = (content: string, tags: ReadonlyArray<string>): string | null => {
  if (content.trim() === "") return "The memory is empty. Give \"content\" that says something."
  if (content.length > maxMemoryLength) {
    return `The memory has ${content.length} characters; at most ${maxMemoryLength} are kept. Save its gist.`
  }
  const kept = normalisedTags(tags)
  if (kept.length > maxMemoryTags) return `There are ${kept.length} tags; at most ${maxMemoryTags} are kept.`
  const long = kept.find((tag) => tag.length > maxTagLength)
  return long === undefined ? null : `The tag ${JSON.stringify(long.slice(0, maxTagLength))}... has more than `
    + `${maxTagLength} characters. Use short tags.`
}

export const taskMemory = (asked: string, outcome: string): string =>
  `Task: ${clipped(asked, 1_000)}\nOutcome: ${clipped(outcome, 2_000)}`

const clipped = (text: string, length: number): string => {
  const whole = text.trim()
  return whole.length <= length ? whole : `${headOf(whole, length)}...`
}
