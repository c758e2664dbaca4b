import type { AssistantMessage } from "@troupe/domain/Message"
import { Either, Predicate, Schema } from "effect"
import { type Completion, memberOf, sendableArguments } from "./Completion.ts"
import {
  type Assembly,
  type Dialect,
  elementsOnce,
  encodeBody,
  listOf,
  maybe,
  noteText,
  parametersOf,
  toolList
} from "./Dialect.ts"
import { imageUrlsOf, type SentMessage } from "./Model.ts"
import type { ModelSettings, OpenAiCompatible } from "./ModelSettings.ts"
import { failureInside } from "./ProviderFailure.ts"

/** The chat-completions dialect: Google's compatible endpoint, and what local servers speak. */
export const makeChatCompletions = (
  { temperature }: ModelSettings,
  provider: OpenAiCompatible
): Dialect<Reply> => {
  const { model } = provider
  const messageOf = elementsOnce((message: SentMessage) => [chatMessage(model, message)])
  return {
    path: "/chat/completions",
    body: ({ maxOutputTokens, messages, onText, system, tools }, may) =>
      encodeBody({
        model,
        messages: listOf([systemMessage(system), ...messages.map(messageOf)]),
        tools: toolsOf(tools),
        temperature: may("temperature") ? temperature : undefined,
        max_tokens: maxOutputTokens,
        stream: onText === undefined ? undefined : true,
        stream_options: onText !== undefined && may("streamUsage") ? { include_usage: true } : undefined
      }),
    event: Reply,
    assembly: () => makeChatAssembly(provider)
  }
}

const toolsOf = toolList((tool) => ({
  type: "function",
  function: { name: tool.name, description: tool.description, parameters: parametersOf(tool) }
}))

const systemMessage = (content: string) => encodeBody({ role: "system", content })

const chatMessage = (model: string, message: SentMessage): object => {
  switch (message.role) {
    case "user":
      return { role: "user", content: contentOf(message) }
    case "system":
      return { role: "user", content: noteText(message.content) }
    case "tool":
      return { role: "tool", tool_call_id: message.tool_call_id, content: message.content }
    case "assistant":
      return assistantMessage(model, message)
  }
}

const contentOf = (message: SentMessage) => {
  const imageUrls = imageUrlsOf(message)
  return imageUrls.length === 0
    ? message.content
    : [{ type: "text", text: message.content }, ...imageUrls.map((url) => ({ type: "image_url", image_url: { url } }))]
}

const assistantMessage = (model: string, { content, opaque, tool_calls }: AssistantMessage) => {
  const kept = isOpaque(opaque) && opaque.model === model ? opaque : { message: null, calls: [] }
  const calls = tool_calls.map((call, index) => ({
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: sendableArguments(call.arguments) },
    extra_content: kept.calls[index] ?? undefined
  }))
  return {
    role: "assistant",
    content: content === "" && calls.length > 0 ? null : content,
    tool_calls: calls.length === 0 ? undefined : calls,
    extra_content: kept.message ?? undefined
  }
}

/** Kept with a message for its provider: Google's thought signatures, of the message and of each call. */
const ChatOpaque = Schema.Struct({
  dialect: Schema.Literal("chat"),
  model: Schema.String,
  message: Schema.Unknown,
  calls: Schema.Array(Schema.Unknown)
})
const isOpaque = Schema.is(ChatOpaque)

const Call = Schema.Struct({
  id: maybe(Schema.String),
  index: maybe(Schema.Number),
  function: maybe(Schema.Struct({ name: maybe(Schema.String), arguments: Schema.optional(Schema.Unknown) })),
  extra_content: Schema.optional(Schema.Unknown)
})
type Call = typeof Call.Type

const TextPart = Schema.Struct({ text: maybe(Schema.String) })

const Said = Schema.Struct({
  content: maybe(Schema.Union(Schema.String, Schema.Array(TextPart))),
  refusal: maybe(Schema.String),
  tool_calls: maybe(Schema.Array(Call)),
  extra_content: Schema.optional(Schema.Unknown)
})
type Said = typeof Said.Type

/** A whole reply or one chunk of a stream: they differ in `message` and `delta` only. Nothing else is read. */
const Reply = Schema.Struct({
  choices: maybe(Schema.Array(Schema.Struct({
    message: maybe(Said),
    delta: maybe(Said),
    finish_reason: maybe(Schema.String)
  }))),
  usage: Schema.optional(Schema.Unknown),
  error: Schema.optional(Schema.Unknown)
})
type Reply = typeof Reply.Type

const textIn = ({ content }: Said): string =>
  typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("")

const endingOf = (reason: string): Completion["ending"] => {
  switch (reason) {
    case "stop":
    case "tool_calls":
    case "function_call":
      return "complete"
    case "length":
      return "cut"
    case "content_filter":
      return "filtered"
    default:
      return "unknown"
  }
}

interface Slot {
  readonly index: number | null | undefined
  id: string
  name: string
  arguments: unknown
  extra: unknown
}

const makeChatAssembly = (provider: OpenAiCompatible): Assembly<Reply> => {
  const slots: Array<Slot> = []
  let text = ""
  let refusal = ""
  let reason: string | null = null
  let extra: unknown = null
  let usage: Reply["usage"] = null
  let isWhole = false

  const grown = (reply: Reply): string => {
    usage = reply.usage ?? usage
    const choice = reply.choices?.[0]
    if (choice === undefined) return ""
    reason = choice.finish_reason ?? reason
    if (choice.message) isWhole = true
    const said = choice.delta ?? choice.message
    if (said === undefined || said === null) return ""
    const delta = textIn(said)
    text += delta
    refusal += said.refusal ?? ""
    extra = said.extra_content ?? extra
    for (const call of said.tool_calls ?? []) if (call.function) grow(slotOf(slots, call), call)
    return delta
  }

  return {
    take: (event) =>
      event.error === undefined || event.error === null
        ? Either.right(grown(event))
        : Either.left(failureInside(provider, event.error)),
    completion: (end) =>
      !isWhole && (end === "whole" || end === "unmarked" && reason === null) ? null : Either.right({
        text,
        refusal,
        calls: slots,
        ending: reason === null ? "complete" : endingOf(reason),
        opaque: opaqueOf(provider, extra, slots),
        inputTokens: memberOf(usage, "prompt_tokens"),
        outputTokens: writtenTokens(usage)
      })
  }
}

/** Google counts what the model thought in the total alone. */
const writtenTokens = (usage: unknown): unknown => {
  const written = memberOf(usage, "completion_tokens")
  const total = memberOf(usage, "total_tokens")
  const read = memberOf(usage, "prompt_tokens")
  return Predicate.isNumber(written) && Predicate.isNumber(total) && Predicate.isNumber(read)
    ? Math.max(written, total - read)
    : written
}

/** Fragments belong together by index; Google numbers all calls 0, and tells them apart by their ids. */
const slotOf = (slots: Array<Slot>, call: Call): Slot => {
  const known = call.index === undefined || call.index === null
    ? call.id || call.function?.name ? undefined : slots.at(-1)
    : slots.findLast((slot) => slot.index === call.index)
  if (known !== undefined && (!call.id || known.id === "" || known.id === call.id)) return known
  const slot: Slot = { index: call.index, id: "", name: "", arguments: "", extra: null }
  slots.push(slot)
  return slot
}

const grow = (slot: Slot, call: Call): void => {
  slot.id ||= call.id ?? ""
  slot.name ||= call.function?.name ?? ""
  slot.extra = call.extra_content ?? slot.extra
  const more = call.function?.arguments
  slot.arguments = typeof more === "string" && typeof slot.arguments === "string"
    ? slot.arguments + more
    : more ?? slot.arguments
}

const opaqueOf = (provider: OpenAiCompatible, message: unknown, slots: ReadonlyArray<Slot>): unknown =>
  message === null && slots.every((slot) => slot.extra === null)
    ? undefined
    : { dialect: "chat", model: provider.model, message, calls: slots.map((slot) => slot.extra) }
