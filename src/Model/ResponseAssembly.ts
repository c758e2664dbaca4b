import { Either, Option, Schema } from "effect"
import { type AskedCall, type Completion, memberOf } from "./Completion.ts"
import { type Assembly, maybe } from "./Dialect.ts"
import type { RemoteProvider } from "./ModelSettings.ts"
import { brokenOff, type CallFailure, failureInside, malformed } from "./ProviderFailure.ts"
import { textOfPart } from "./ReturnedParts.ts"
import { splitThinking } from "./Thinking.ts"

/** Kept with a message for its provider: reasoning, encrypted or in words, and which tool call it precedes. */
const ResponsesOpaque = Schema.Struct({
  dialect: Schema.Literal("responses"),
  /** Left out for the provider of the settings. */
  provider: Schema.optional(Schema.String),
  model: Schema.String,
  reasoning: Schema.Array(Schema.Struct({ before: Schema.Number, item: Schema.Unknown }))
})
const isResponsesOpaque = Schema.is(ResponsesOpaque)

/** The reasoning of a message, for the model that wrote it. */
export const keptReasoning = ({ model, owner }: RemoteProvider, opaque: unknown) =>
  isResponsesOpaque(opaque) && opaque.model === model && opaque.provider === owner ? opaque.reasoning : []

const Part = Schema.Struct({ text: maybe(Schema.String), refusal: maybe(Schema.String) })

const Item = Schema.Union(
  Schema.Struct({ type: Schema.Literal("message"), content: maybe(Schema.Union(Schema.String, Schema.Array(Part))) }),
  Schema.Struct({
    type: Schema.Literal("function_call"),
    call_id: maybe(Schema.String),
    id: maybe(Schema.String),
    name: maybe(Schema.String),
    arguments: Schema.optional(Schema.Unknown)
  }),
  Schema.Struct({
    type: Schema.Literal("reasoning"),
    id: maybe(Schema.String),
    summary: maybe(Schema.Array(Schema.Unknown)),
    content: maybe(Schema.Array(Schema.Unknown)),
    encrypted_content: maybe(Schema.String)
  })
)

const Reply = Schema.Struct({
  status: maybe(Schema.String),
  output: maybe(Schema.Array(Schema.Unknown)),
  incomplete_details: maybe(Schema.Struct({ reason: maybe(Schema.String) })),
  usage: Schema.optional(Schema.Unknown),
  error: Schema.optional(Schema.Unknown)
})
type Reply = typeof Reply.Type

/** An event of a stream, or the whole response, which has no type. */
export const ResponseEvent = Schema.Struct({
  ...Reply.fields,
  type: maybe(Schema.String),
  delta: Schema.optional(Schema.Unknown),
  item: Schema.optional(Schema.Unknown),
  response: Schema.optional(Schema.Unknown),
  message: Schema.optional(Schema.Unknown),
  code: Schema.optional(Schema.Unknown)
})
export type ResponseEvent = typeof ResponseEvent.Type

const decodeItem = Schema.decodeUnknownOption(Item)
const decodeReply = Schema.decodeUnknownEither(Reply)

/** Makes the answer of a response. Items of a kind that is not known here are passed over. */
const completionOf = (
  provider: RemoteProvider,
  reply: Reply,
  output: ReadonlyArray<unknown>
): Either.Either<Completion, CallFailure> => {
  if (reply.error !== undefined && reply.error !== null) return Either.left(failureInside(provider, reply.error))
  if (reply.status === "failed" || reply.status === "cancelled") return Either.left(brokenOff(provider))
  const texts: Array<string> = []
  const refusals: Array<string> = []
  const calls: Array<AskedCall> = []
  const reasoning: Array<typeof ResponsesOpaque.Type["reasoning"][number]> = []
  const thoughts: Array<string> = []
  for (const item of output.flatMap((raw) => Option.toArray(decodeItem(raw)))) {
    switch (item.type) {
      case "message": {
        const parts = typeof item.content === "string" ? [{ text: item.content }] : item.content ?? []
        texts.push(parts.map((part) => part.text ?? "").join(""))
        refusals.push(parts.map((part) => "refusal" in part ? part.refusal ?? "" : "").join(""))
        break
      }
      case "function_call":
        calls.push({ id: item.call_id ?? item.id ?? "", name: item.name ?? "", arguments: item.arguments })
        break
      case "reasoning": {
        const { content, encrypted_content, summary, ...rest } = item
        const hasContent = content !== undefined && content !== null && content.length > 0
        thoughts.push(...[...summary ?? [], ...content ?? []].map(textOfPart))
        // Without either, there is only an id, and the provider has not stored what it stands for.
        if (!hasContent && !encrypted_content) break
        reasoning.push({
          before: calls.length,
          item: {
            ...rest,
            summary: summary ?? [],
            ...(hasContent ? { content } : {}),
            ...(encrypted_content ? { encrypted_content } : {})
          }
        })
      }
    }
  }
  const split = splitThinking(texts.filter((text) => text !== "").join("\n\n"))
  return Either.right({
    ...split,
    thinking: [...thoughts, split.thinking].filter((thought) => thought !== "").join("\n\n"),
    refusal: refusals.join(""),
    calls,
    ending: endingOf(reply),
    opaque: reasoning.length === 0 ? undefined : {
      dialect: "responses",
      ...(provider.owner === undefined ? {} : { provider: provider.owner }),
      model: provider.model,
      reasoning
    },
    inputTokens: memberOf(reply.usage, "input_tokens"),
    outputTokens: memberOf(reply.usage, "output_tokens"),
    cachedTokens: memberOf(memberOf(reply.usage, "input_tokens_details"), "cached_tokens")
  })
}

const endingOf = ({ incomplete_details, status }: Reply): Completion["ending"] => {
  if (status !== "incomplete") return "complete"
  switch (incomplete_details?.reason) {
    case "max_output_tokens":
      return "cut"
    case "content_filter":
      return "filtered"
    default:
      return "unknown"
  }
}

/** The last event has the whole response; finished items are collected for servers whose last event lacks them. */
export const makeResponseAssembly = (provider: RemoteProvider): Assembly<ResponseEvent> => {
  const items: Array<unknown> = []
  let last: Either.Either<Completion, CallFailure> | null = null

  const take = (event: ResponseEvent): Either.Either<string, CallFailure> => {
    switch (event.type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        return Either.right(typeof event.delta === "string" ? event.delta : "")
      case "response.output_item.done":
        items.push(event.item)
        break
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        last = Either.flatMap(
          Either.mapLeft(decodeReply(event.response), () => malformed(provider)),
          (reply) => completionOf(provider, reply, reply.output?.length ? reply.output : items)
        )
        break
      case undefined:
      case null:
        if (!event.output && !event.error) break
        last = completionOf(provider, event, event.output ?? [])
        return Either.map(last, ({ refusal, text }) => text === "" ? refusal : text)
      case "error":
        return Either.left(failureInside(provider, event.error ?? { code: event.code, message: event.message }))
    }
    return Either.right("")
  }

  return { take, completion: () => last, heldBack: () => 0 }
}
