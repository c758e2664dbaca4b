import { Schema } from "effect"

/** The number of a text that many tasks have in common, as `prompt_texts` keeps it. */
const TextNumber = Schema.Int

/**
 * What a call of the model was sent besides the messages, as far as nothing else in the task's rows says it. `text`: the system
 * prompt with a blank for each part that differs between tasks; `at`, `zone`: its time, in epoch milliseconds; `tools`: the
 * definitions of all tools, of which `only` those with these names were bound. What the prompt had of other people, such as messages
 * of a channel, is left out: it would outlive the deletion of their data.
 */
export const SentPrompt = Schema.Struct({
  text: TextNumber,
  at: Schema.Finite,
  zone: Schema.optional(Schema.String),
  requester: Schema.optional(Schema.String),
  skills: Schema.optional(Schema.Array(TextNumber)),
  tools: TextNumber,
  only: Schema.optional(Schema.Array(Schema.String))
})
export type SentPrompt = typeof SentPrompt.Type

/** Stored, so that later changes of the memory do not change the prompt. */
export const PromptMemory = Schema.Struct({
  content: Schema.String,
  date: Schema.String,
  score: Schema.Number,
  /** It was saved by a task that had seen something from outside. */
  origin: Schema.optional(Schema.Literal("outside"))
})
export type PromptMemory = typeof PromptMemory.Type
