import { ToolCallId } from "@troupe/domain/Ids"
import type { ToolCall } from "@troupe/domain/Message"
import { Effect, Option, Predicate, Random, Schema } from "effect"
import { imageUrlsOf, type ModelRequest, type ModelResponse, type SentMessage, type UsedTokens } from "./Model.ts"
import { namesOf, type RemoteProvider } from "./ModelSettings.ts"
import { type CallFailure, rejection, unavailable } from "./ProviderFailure.ts"
import type { SplitText } from "./Thinking.ts"

export interface Completion {
  readonly text: string
  /** The part of its thinking that the model shows to people. */
  readonly thinking: string
  /** The marks around thinking within the text. Until the closing mark, thinking without an opening one looks like the answer. */
  readonly marks: SplitText["marks"]
  readonly refusal: string
  readonly calls: ReadonlyArray<AskedCall>
  readonly ending: "complete" | "cut" | "filtered" | "unknown"
  /** Kept with the message for its provider; undefined: nothing. */
  readonly opaque: unknown
  /** As the provider wrote it, which may be no number. */
  readonly inputTokens: unknown
  readonly outputTokens: unknown
  /** How many input tokens the provider had cached; this may be no number either. */
  readonly cachedTokens: unknown
}

export interface AskedCall {
  readonly id: string
  readonly name: string
  /** Text by the protocols; some servers send the object itself. */
  readonly arguments: unknown
}

/** Characters a token has on average; used where a provider counts nothing. */
const charactersPerToken = 4

export const estimatedTokens = (characters: number): number => Math.ceil(characters / charactersPerToken)

/** The message of an answer, also of one that was cut off, or why there is none. Ids are made unique. */
export const responseOf = (
  provider: RemoteProvider,
  request: ModelRequest,
  sentCharacters: number,
  completion: Completion
): Effect.Effect<ModelResponse, CallFailure> => {
  const said = completion.text === "" ? completion.refusal : completion.text
  const { ending } = completion
  const isEmpty = said.trim() === "" && completion.calls.length === 0
  const isLimited = request.maxOutputTokens !== undefined
  // A task with a token budget asks again itself, if the budget pays for it.
  const cut = ending === "cut"
    ? cutOf(provider)
    : isEmpty && isLimited && ending === "unknown"
    ? emptyOf(provider)
    : !isEmpty && ending === "filtered"
    ? filteredOf(provider)
    : null
  const inputTokens = counted(completion.inputTokens, sentCharacters)
  const outputTokens = counted(completion.outputTokens, charactersOf(completion))
  const cachedTokens = Math.min(countOf(completion.cachedTokens) ?? 0, inputTokens)
  if (isEmpty && cut === null && (ending === "filtered" || ending === "unknown")) {
    return Effect.fail(nothingOf(provider, ending, [inputTokens, outputTokens]))
  }
  const response = (tool_calls: ReadonlyArray<ToolCall>): ModelResponse => ({
    message: {
      role: "assistant",
      content: said,
      tool_calls,
      ...(completion.opaque === undefined ? {} : { opaque: completion.opaque })
    },
    inputTokens,
    outputTokens,
    ...(cachedTokens === 0 ? {} : { cachedTokens }),
    ...(completion.thinking === "" ? {} : { thinking: completion.thinking }),
    ...(cut === null ? {} : { cut }),
    ...(cut !== null && ending === "filtered" ? { isFiltered: true as const } : {})
  })
  const { calls } = completion
  const isFit = fitIds(request.messages, calls)
  return isFit.every((fit) => fit)
    ? Effect.succeed(response(calls.map((call) => toolCall(call, call.id))))
    : Effect.map(
      Effect.forEach(
        calls,
        (call, index) =>
          Effect.map(isFit[index] === true ? Effect.succeed(call.id) : freshId, (id) => toolCall(call, id))
      ),
      response
    )
}

export const memberOf = (value: unknown, name: string): unknown =>
  Predicate.hasProperty(value, name) ? value[name] : undefined

const tokensPerImage = 1_000

/** The length of `body` with images counted by their tokens, not by their bytes. */
export const charactersSent = (messages: ReadonlyArray<SentMessage>, body: string): number =>
  messages.reduce(
    (sum, message) =>
      imageUrlsOf(message).reduce((rest, url) => rest - url.length + tokensPerImage * charactersPerToken, sum),
    body.length
  )

export const requestCharacters = ({ messages, system }: ModelRequest): number =>
  messages.reduce(
    (sum, message) =>
      sum + messageCharacters(message) + imageUrlsOf(message).length * tokensPerImage * charactersPerToken,
    system.length
  )

/** The tokens of a request with its tools, by estimate. */
export const estimatedInput = (request: ModelRequest): number => {
  const { tools } = request.tools
  return estimatedTokens(requestCharacters(request) + (tools.length === 0 ? 0 : JSON.stringify(tools).length))
}

export const messageCharacters = (message: SentMessage): number =>
  message.role === "assistant"
    ? message.tool_calls.reduce((sum, call) => sum + call.name.length + call.arguments.length, message.content.length)
    : message.content.length

/** What the provider counted, where that is a number of tokens; else an estimate. */
const counted = (reported: unknown, characters: number): number => countOf(reported) ?? estimatedTokens(characters)

const countOf = (reported: unknown): number | undefined => {
  const isText = typeof reported === "string" && /^\s*\d+(\.\d+)?\s*$/.test(reported)
  const tokens = isText ? Number(reported) : reported
  return typeof tokens === "number" && tokens >= 0 && tokens <= maxTokens
    ? Math.round(tokens)
    : undefined
}

/** More than any model takes; a larger figure is a mistake of the provider. */
const maxTokens = 100_000_000

const cutOf = (provider: RemoteProvider): string =>
  `${provider.model} reached its output limit before it wrote an answer: ask for less at once, or set ${
    namesOf(provider).model
  }.`

const emptyOf = (provider: RemoteProvider): string =>
  `${namesOf(provider).title} answered with nothing. Retry the task later, or set ${namesOf(provider).model}.`

const filteredOf = (provider: RemoteProvider): string =>
  `${namesOf(provider).title}'s content filter withheld the answer: put the request in other words.`

const nothingOf = (provider: RemoteProvider, ending: "filtered" | "unknown", tokens: UsedTokens) => {
  const { model, title } = namesOf(provider)
  return ending === "filtered"
    ? rejection(provider, 200, filteredOf(provider), { tokens })
    : unavailable(provider, `${title} answered with nothing`, `Retry the task later, or set ${model}.`, { tokens })
}

const charactersOf = ({ calls, refusal, text, thinking }: Completion) =>
  calls.reduce(
    (sum, call) => sum + call.name.length + argumentsOf(call).length,
    text.length + thinking.length + refusal.length
  )

const argumentsOf = ({ arguments: given }: AskedCall): string => {
  if (typeof given === "string") return given.trim() === "" ? "{}" : given
  return given === undefined || given === null ? "{}" : JSON.stringify(given)
}

/** Providers refuse a conversation with any other name in it, even one that they wrote themselves. */
export const sendableName = (name: string): string => name.trim().replaceAll(/[^\w-]/g, "_").slice(0, 64) || "unnamed"

const maxIdLength = 64

/** For each call, whether it keeps its id: an id that is empty, too long, or that of an earlier call is replaced. */
const fitIds = (messages: ReadonlyArray<SentMessage>, calls: ReadonlyArray<AskedCall>): ReadonlyArray<boolean> => {
  if (calls.length === 0) return []
  const taken = new Set<string>()
  for (const message of messages) {
    if (message.role === "assistant") { for (const call of message.tool_calls) taken.add(call.id) }
  }
  return calls.map(({ id }) => {
    const isNew = id !== "" && id.length <= maxIdLength && !taken.has(id)
    taken.add(id)
    return isNew
  })
}

const toolCall = (call: AskedCall, id: string): ToolCall => ({
  id: ToolCallId.make(id),
  name: sendableName(call.name),
  arguments: argumentsOf(call)
})

/** Nine letters and digits: the one form that every known chat template accepts. */
const freshId = Effect.map(
  Random.nextIntBetween(36 ** 4, 36 ** 5).pipe(Effect.zip(Random.nextIntBetween(36 ** 3, 36 ** 4))),
  ([head, tail]) => head.toString(36) + tail.toString(36)
)

export const parseObject = Schema.decodeUnknownOption(
  Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
)

/** Arguments as they may be sent back: several servers refuse a conversation that holds anything but an object. */
export const sendableArguments = (text: string): string =>
  Option.isSome(parseObject(text)) ? text : JSON.stringify({ unreadable: text })

export const sendableObject = (text: string): Readonly<Record<string, unknown>> =>
  Option.getOrElse(parseObject(text), () => ({ unreadable: text }))
