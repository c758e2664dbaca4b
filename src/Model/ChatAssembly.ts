import { modelProviders } from "@troupe/domain/ModelProvider"
import { Either, Predicate, Schema } from "effect"
import { type CallFragment, gatherCalls } from "./CallFragments.ts"
import { type Completion, memberOf } from "./Completion.ts"
import { type Assembly, maybe } from "./Dialect.ts"
import type { ModelRequest } from "./Model.ts"
import type { RemoteProvider } from "./ModelSettings.ts"
import { brokenOff, failureInside } from "./ProviderFailure.ts"
import {
  type Fields,
  fieldsAfter,
  isThinkingPart,
  storedParts,
  textOfPart,
  thinkingIn,
  unknownFields,
  withPart
} from "./ReturnedParts.ts"
import { heldBackOf, splitThinking } from "./Thinking.ts"

const anyField = Schema.Record({ key: Schema.String, value: Schema.Unknown })

const Called = Schema.Struct({ name: maybe(Schema.String), arguments: Schema.optional(Schema.Unknown) }, anyField)

const Call = Schema.Struct({
  ...Called.fields,
  id: maybe(Schema.Union(Schema.String, Schema.Number)),
  index: maybe(Schema.Union(Schema.String, Schema.Number)),
  function: maybe(Called)
}, anyField)

const Said = Schema.Struct({
  content: maybe(Schema.Union(Schema.String, Schema.Array(Schema.Unknown), anyField)),
  refusal: maybe(Schema.String),
  tool_calls: maybe(Schema.Array(Call)),
  function_call: maybe(Called)
}, anyField)
type Said = typeof Said.Type

/** A whole reply or one chunk of a stream: they differ in `message` and `delta` only. */
export const ChatReply = Schema.Struct({
  object: maybe(Schema.String),
  choices: maybe(Schema.Array(Schema.Struct({
    message: maybe(Said),
    delta: maybe(Said),
    finish_reason: maybe(Schema.String),
    error: Schema.optional(Schema.Unknown)
  }))),
  usage: Schema.optional(Schema.Unknown),
  error: Schema.optional(Schema.Unknown),
  message: Schema.optional(Schema.Unknown),
  code: Schema.optional(Schema.Unknown)
})
export type ChatReply = typeof ChatReply.Type

const callFields = new Set(["id", "index", "type", "function", "name", "arguments"])

/** Known, or about the answer: none is a part that its model requires in later calls. */
const messageFields = new Set(
  ("role content refusal tool_calls function_call name type id index status channel annotations audio citations context "
    + "executed_tools images logprobs metadata prefix search_results service_tier stop_reason token_ids usage").split(
      " "
    )
)

const fragmentOf = (call: typeof Call.Type): CallFragment => {
  const called = call.function ?? call
  const inner = call.function ? unknownFields(call.function, callFields) : {}
  return {
    id: String(call.id ?? ""),
    index: call.index,
    name: called.name ?? "",
    arguments: called.arguments ?? "",
    fields: {
      ...unknownFields(call, callFields),
      ...(Object.keys(inner).length === 0 ? {} : { function: inner })
    }
  }
}

/** A call by the protocol's earlier form, of which there is one at most. */
const legacyFragment = ({ arguments: given, name }: typeof Called.Type): CallFragment => ({
  id: "",
  index: "function_call",
  name: name ?? "",
  arguments: given ?? "",
  fields: {}
})

const fragmentsIn = ({ function_call, tool_calls }: Said): ReadonlyArray<CallFragment> =>
  tool_calls && tool_calls.length > 0
    ? tool_calls.map(fragmentOf)
    : function_call
    ? [legacyFragment(function_call)]
    : []

const partsOf = (content: unknown): ReadonlyArray<unknown> =>
  content === undefined || content === null ? [] : Array.isArray(content) ? content : [content]

const isAnswerPart = (part: unknown): boolean => !isThinkingPart(part) && !isRefusalPart(part)

const isRefusalPart = (part: unknown) => Predicate.hasProperty(part, "refusal")

/** What servers call the end of an answer that is not whole, besides the protocol's `length` and `content_filter`. */
const endings: ReadonlyArray<readonly [Completion["ending"] | "broken", RegExp]> = [
  ["complete", /^(?:stop|tool_calls|function_call)$/],
  ["cut", /length|max_?(?:output_?|new_?)?tokens|token_?limit|context_?window/i],
  ["filtered", /filter|safety|sensitive|recitation|blocklist|prohibited|spii|guardrail|moderation/i],
  ["broken", /error|abort|cancel|timeout|insufficient_system_resource/i]
]

const endingOf = (reason: string): Completion["ending"] | "broken" =>
  endings.find(([, words]) => words.test(reason))?.[0] ?? "unknown"

export const makeChatAssembly = (provider: RemoteProvider, { tools }: ModelRequest): Assembly<ChatReply> => {
  const gathered = gatherCalls(new Set(tools.tools.map(({ name }) => name)))
  let text = ""
  let refusal = ""
  let parts: ReadonlyArray<unknown> = []
  let fields: Fields = {}
  let reason: string | null = null
  let usage: ChatReply["usage"] = null
  let isWhole = false

  const taken = (said: Said, isFragment: boolean): string => {
    const content = partsOf(said.content)
    const delta = content.filter(isAnswerPart).map(textOfPart).join("")
    text += delta
    refusal += (said.refusal ?? "") + content.filter(isRefusalPart).map((part) => memberOf(part, "refusal")).join("")
    if (Array.isArray(said.content)) parts = isFragment ? content.reduce(withPart, parts) : content
    else if (parts.length > 0 && delta !== "") parts = withPart(parts, { type: "text", text: delta })
    fields = fieldsAfter(fields, unknownFields(said, messageFields))
    const fragments = fragmentsIn(said)
    fragments.forEach((fragment, position) =>
      isFragment ? gathered.take(fragment, position, fragments.length) : gathered.add(fragment)
    )
    return delta
  }

  const grown = (reply: ChatReply): string => {
    usage = reply.usage ?? usage
    return (reply.choices ?? []).map(({ delta, finish_reason, message }) => {
      reason = reason !== null && endingOf(reason) === "broken" ? reason : finish_reason ?? reason
      if (message) isWhole = true
      // Some streams end with the whole message once more.
      const isRepeated = text !== "" || gathered.calls.length > 0
      if (delta) return taken(delta, true)
      return message && !(reply.object === "chat.completion.chunk" && isRepeated) ? taken(message, false) : ""
    }).join("")
  }

  const apart = () => thinkingIn(fields) || parts.filter(isThinkingPart).map(textOfPart).join("")

  return {
    heldBack: () => modelProviders[provider._tag].separatesThinking || apart() !== "" ? 0 : heldBackOf(provider.model),
    take: (event) => {
      const failed = event.object === "error" ? event : event.error ?? event.choices?.find(({ error }) => error)?.error
      return failed === undefined || failed === null
        ? Either.right(grown(event))
        : Either.left(failureInside(provider, failed))
    },
    completion: (end) => {
      if (!isWhole && (end === "whole" || end === "unmarked" && reason === null)) return null
      const ending = reason === null ? "complete" : endingOf(reason)
      if (ending === "broken") return Either.left(brokenOff(provider))
      const split = splitThinking(text)
      const isMixed = parts.some((part) => !isAnswerPart(part))
      const isMarked = split.text !== text && gathered.calls.length > 0
      const shown = [apart().trim(), split.thinking.trim()].filter((one) => one !== "")
      return Either.right({
        text: split.text,
        marks: split.marks,
        thinking: [...new Set(shown)].join("\n\n"),
        refusal,
        calls: gathered.calls,
        ending,
        opaque: storedParts(provider, {
          fields,
          calls: gathered.calls.map((call) => call.fields),
          ...(isMixed ? { content: parts } : isMarked ? { content: text } : {})
        }),
        inputTokens: memberOf(usage, "prompt_tokens"),
        outputTokens: writtenTokens(usage),
        cachedTokens: cachedTokens(usage)
      })
    }
  }
}

/** OpenAI and Google report them in the details; DeepSeek and Moonshot beside the other counts. */
const cachedTokens = (usage: unknown): unknown =>
  memberOf(memberOf(usage, "prompt_tokens_details"), "cached_tokens")
    ?? memberOf(usage, "prompt_cache_hit_tokens")
    ?? memberOf(usage, "cached_tokens")

/** Google counts what the model thought in the total alone. */
const writtenTokens = (usage: unknown): unknown => {
  const written = memberOf(usage, "completion_tokens")
  const total = memberOf(usage, "total_tokens")
  const read = memberOf(usage, "prompt_tokens")
  return Predicate.isNumber(written) && Predicate.isNumber(total) && Predicate.isNumber(read)
    ? Math.max(written, total - read)
    : written
}
