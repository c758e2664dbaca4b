import { maxMemoryLength, maxMemoryTags, type MemoryRefused } from "@troupe/domain/Memory"
import { Effect, Schema } from "effect"
import type { Memories } from "../Memory/Memories.ts"
import type { ModelError } from "../Model/Model.ts"
import { define } from "./Definition.ts"
import { type Tool, ToolFailed } from "./Tool.ts"

const parameters = Schema.Struct({
  content: Schema.String.annotations({
    description: `What to remember, understandable on its own, at most ${maxMemoryLength} characters`
  }),
  tags: Schema.optionalWith(
    Schema.Array(Schema.String).annotations({ description: `Up to ${maxMemoryTags} short tags. Default: none` }),
    { default: () => [] }
  )
})

/** memory_save: something that later tasks of the user shall know. Saving it twice leaves it once. */
export const memorySave = (memories: Memories["Type"]): Tool =>
  define({
    name: "memory_save",
    description:
      "Remember something for later tasks of this user: a fact, a preference, a decision. How a task ends is "
      + "remembered by itself. A memory that says nearly the same as an earlier one replaces it; the tags of both stay.",
    parameters,
    effect: "idempotent",
    timeout: "30 seconds",
    run: ({ content, tags }, { userId }) =>
      Effect.map(
        orWithoutMemory(memories.save(userId, { content, tags })),
        ({ merged }) => merged ? "Saved. It replaces an earlier memory that said nearly the same." : "Saved."
      )
  })

/** Without embeddings there is no memory, but the agent can do its work. */
export const orWithoutMemory = <A>(work: Effect.Effect<A, MemoryRefused | ModelError>): Effect.Effect<A, ToolFailed> =>
  Effect.mapError(work, (error) =>
    new ToolFailed({
      reason: error._tag === "MemoryRefused"
        ? error.reason
        : `the memory can't be used now: ${error.message} Go on without it.`
    }))
