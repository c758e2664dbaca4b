import * as Tool from "@effect/ai/Tool"
import { maxMemoryLength, maxMemoryTags, type MemoryRefused } from "@troupe/domain/Memory"
import { Effect, Schema } from "effect"
import type { Memories } from "../Memory/Memories.ts"
import type { ModelError } from "../Model/Model.ts"
import { type AgentTool, ToolFailed } from "./AgentTool.ts"
import { implement } from "./ToolHandler.ts"
import { idempotent } from "./ToolHints.ts"

const parameters = {
  content: Schema.String.annotations({
    description: `What to remember, understandable on its own, at most ${maxMemoryLength} characters`
  }),
  tags: Schema.optionalWith(
    Schema.Array(Schema.String).annotations({ description: `Up to ${maxMemoryTags} short tags. Default: none` }),
    { default: () => [] }
  )
}

const MemorySave = Tool.make("memory_save", {
  description:
    "Remember something for later tasks of this user: a fact, a preference, a decision. The outcome of a task is "
    + "remembered automatically. A memory that says nearly the same as an earlier one replaces it and keeps the tags "
    + "of both.",
  parameters
}).annotateContext(idempotent)

export const memorySave = (memories: Memories["Type"]): AgentTool =>
  implement(MemorySave, {
    timeout: "30 seconds",
    run: ({ content, tags }, { userId }) =>
      Effect.map(
        orMemoryFailed(memories.save(userId, { content, tags })),
        ({ merged }) => merged ? "Saved. It replaces an earlier memory that said nearly the same." : "Saved."
      )
  })

export const orMemoryFailed = <A>(work: Effect.Effect<A, MemoryRefused | ModelError>): Effect.Effect<A, ToolFailed> =>
  Effect.mapError(work, (error) =>
    new ToolFailed({
      reason: error._tag === "MemoryRefused"
        ? error.reason
        : `the memory can't be used now: ${error.message} Go on without it.`
    }))
