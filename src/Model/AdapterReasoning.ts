import * as Prompt from "@effect/ai/Prompt"
import type * as Response from "@effect/ai/Response"
import type { AssistantMessage } from "@troupe/domain/Message"
import { Schema } from "effect"
import { ownerOf, type RemoteProvider } from "./ModelSettings.ts"

/** Thinking with the signature that proves it, or encrypted. */
const Proof = Schema.Union(
  Schema.Struct({ type: Schema.Literal("thinking"), signature: Schema.String }),
  Schema.Struct({ type: Schema.Literal("redacted_thinking"), redactedData: Schema.String })
)

/** `before`: the tool call that it precedes. */
const Reasoning = Schema.Struct({ before: Schema.Number, text: Schema.String, proof: Proof })

/** Kept with a message for its provider. */
const Stored = Schema.Struct({
  dialect: Schema.Literal("messages"),
  provider: Schema.String,
  model: Schema.String,
  reasoning: Schema.Array(Reasoning)
})
const isStored = Schema.is(Stored)

/** The reasoning that led to a tool call of the message, or to its text; none where another model wrote it. */
export const reasoningOf = (provider: RemoteProvider, { opaque }: AssistantMessage) => {
  const kept = isStored(opaque) && opaque.provider === ownerOf(provider) && opaque.model === provider.model
    ? opaque.reasoning
    : []
  return (call: number): ReadonlyArray<Prompt.ReasoningPart> =>
    kept.filter(({ before }) => before === call)
      .map(({ proof, text }) => Prompt.reasoningPart({ text, options: { anthropic: proof } }))
}

type ReasoningPart = Response.ReasoningStartPart | Response.ReasoningDeltaPart

/** Collects the reasoning of a streamed answer. */
export const gatherReasoning = (provider: RemoteProvider) => {
  const parts = new Map<string, { before: number; text: string; proof: typeof Proof.Type }>()
  return {
    take: ({ id, metadata: { anthropic: proof }, ...part }: ReasoningPart, calls: number): void => {
      const one = parts.get(id) ?? { before: calls, text: "", proof: { type: "thinking" as const, signature: "" } }
      parts.set(id, one)
      if (part.type === "reasoning-delta") one.text += part.delta
      if (proof !== undefined) one.proof = proof
    },
    thinking: (): string => [...parts.values()].map(({ text }) => text).filter((text) => text !== "").join("\n\n"),
    stored: (): typeof Stored.Type | undefined =>
      parts.size === 0 ? undefined : {
        dialect: "messages",
        provider: ownerOf(provider),
        model: provider.model,
        reasoning: [...parts.values()]
      }
  }
}
