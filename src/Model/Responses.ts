import type { AssistantMessage } from "@troupe/domain/Message"
import { Either, Option, Schema } from "effect"
import { type AskedCall, type Completion, memberOf, sendableArguments, sendableName } from "./Completion.ts"
import {
  type Assembly,
  type Dialect,
  elementsOnce,
  encodeBody,
  listOf,
  maybe,
  parametersOf,
  toolList
} from "./Dialect.ts"
import { imageUrlsOf } from "./Model.ts"
import type { ModelSettings, OpenAiCompatible } from "./ModelSettings.ts"
import { brokenOff, type CallFailure, failureInside, malformed } from "./ProviderFailure.ts"
import { textOfPart } from "./ReturnedParts.ts"
import { anyIds, inRoleOrder, type OrderedMessage, shortIds } from "./RoleOrder.ts"
import { splitThinking } from "./Thinking.ts"

/** OpenAI's Responses dialect. The provider stores nothing: encrypted reasoning is sent with the conversation. */
export const makeResponses = (
  { temperature }: ModelSettings,
  provider: OpenAiCompatible
): Dialect<ResponseEvent> => {
  const { model } = provider
  const itemsOf = elementsOnce((message: OrderedMessage) => inputItems(model, message))
  return {
    path: "/responses",
    body: ({ maxOutputTokens, messages, onText, system, tools }, may) => {
      const rules = { isAssistantAfterTool: true, ids: may("long_ids") ? anyIds : shortIds }
      return encodeBody({
        model,
        instructions: system.trim() === "" ? undefined : system,
        input: listOf(inRoleOrder(messages, rules).map(itemsOf)),
        tools: toolsOf(tools, may),
        parallel_tool_calls: tools.tools.length > 0 && may("parallel_tool_calls") ? true : undefined,
        store: may("store") ? false : undefined,
        temperature: may("temperature") ? temperature : undefined,
        include: may("include") ? ["reasoning.encrypted_content"] : undefined,
        max_output_tokens: may("max_output_tokens") ? maxOutputTokens : undefined,
        stream: onText !== undefined && may("stream") ? true : undefined
      })
    },
    event: ResponseEvent,
    assembly: () => makeResponseAssembly(provider),
    mayThinkUnopened: false,
    refused: () => undefined
  }
}

const toolsOf = toolList((tool, may) => ({
  type: "function",
  name: tool.name,
  description: tool.description,
  parameters: parametersOf(tool),
  ...(may("strict") ? { strict: false } : {})
}))

const inputItems = (model: string, message: OrderedMessage): ReadonlyArray<unknown> => {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: contentOf(message) }]
    case "tool":
      return [{ type: "function_call_output", call_id: message.tool_call_id, output: message.content }]
    case "assistant":
      return assistantItems(model, message)
  }
}

const contentOf = (message: OrderedMessage) => {
  const imageUrls = imageUrlsOf(message)
  return imageUrls.length === 0
    ? message.content
    : [
      { type: "input_text", text: message.content },
      ...imageUrls.map((url) => ({ type: "input_image", detail: "auto", image_url: url }))
    ]
}

/** Reasoning goes back to the place it came from: in front of the message, or of the call that it led to. */
const assistantItems = (
  model: string,
  { content, opaque, tool_calls }: AssistantMessage
): ReadonlyArray<unknown> => {
  if (content === "" && tool_calls.length === 0) return []
  const kept = isOpaque(opaque) && opaque.model === model ? opaque.reasoning : []
  const before = (call: number) => kept.filter((one) => one.before === call).map(({ item }) => item)
  return [
    ...before(0),
    ...(content === "" ? [] : [{ role: "assistant", content }]),
    ...tool_calls.flatMap((call, index) => [
      ...(index === 0 ? [] : before(index)),
      {
        type: "function_call",
        call_id: call.id,
        name: sendableName(call.name),
        arguments: sendableArguments(call.arguments)
      }
    ])
  ]
}

/** Kept with a message for its provider: reasoning, encrypted or in words, and which tool call it precedes. */
const ResponsesOpaque = Schema.Struct({
  dialect: Schema.Literal("responses"),
  model: Schema.String,
  reasoning: Schema.Array(Schema.Struct({ before: Schema.Number, item: Schema.Unknown }))
})
const isOpaque = Schema.is(ResponsesOpaque)

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
const ResponseEvent = Schema.Struct({
  ...Reply.fields,
  type: maybe(Schema.String),
  delta: Schema.optional(Schema.Unknown),
  item: Schema.optional(Schema.Unknown),
  response: Schema.optional(Schema.Unknown),
  message: Schema.optional(Schema.Unknown),
  code: Schema.optional(Schema.Unknown)
})
type ResponseEvent = typeof ResponseEvent.Type

const decodeItem = Schema.decodeUnknownOption(Item)
const decodeReply = Schema.decodeUnknownEither(Reply)

/** Makes the answer of a response. Items of a kind that is not known here are passed over. */
const completionOf = (
  provider: OpenAiCompatible,
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
    opaque: reasoning.length === 0 ? undefined : { dialect: "responses", model: provider.model, reasoning },
    inputTokens: memberOf(reply.usage, "input_tokens"),
    outputTokens: memberOf(reply.usage, "output_tokens")
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
const makeResponseAssembly = (provider: OpenAiCompatible): Assembly<ResponseEvent> => {
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

  return { take, completion: () => last }
}
