import type * as AiError from "@effect/ai/AiError"
import type * as LanguageModel from "@effect/ai/LanguageModel"
import * as Prompt from "@effect/ai/Prompt"
import type * as Response from "@effect/ai/Response"
import * as Tool from "@effect/ai/Tool"
import type * as Toolkit from "@effect/ai/Toolkit"
import { Chunk, Effect, Schema } from "effect"
import { memoized } from "../Runtime/Cache.ts"
import { gatherReasoning, reasoningOf } from "./AdapterReasoning.ts"
import { type Completion, requestCharacters, responseOf, sendableName, sendableObject } from "./Completion.ts"
import { parametersOf, wellFormed } from "./Dialect.ts"
import { imageUrlsOf, type Model, type ModelError, type ModelRequest, type ToolSet } from "./Model.ts"
import { type ModelSettings, type RemoteProvider, seesImages } from "./ModelSettings.ts"
import { negotiated } from "./Negotiation.ts"
import { takeTogether } from "./ProviderCalls.ts"
import { brokenOff, type CallFailure, failureInside, providerFailure } from "./ProviderFailure.ts"
import type { MaySend } from "./RequestOption.ts"
import { inRoleOrder, type OrderedMessage, wordIds } from "./RoleOrder.ts"
import { makeLiveAnswer, splitThinking } from "./Thinking.ts"

export interface CallOptions {
  readonly maxOutputTokens: number
  /** Undefined where the model refuses it. */
  readonly temperature: number | undefined
}

export interface AdapterOptions {
  readonly settings: ModelSettings
  readonly provider: RemoteProvider
  /** Tokens of an answer where the request sets no limit; lowered where the model allows less. */
  readonly maxOutputTokens: number
  readonly languageModel: (options: CallOptions) => Effect.Effect<LanguageModel.Service>
  /** For the system prompt and the last message, up to which the provider caches the conversation. */
  readonly cacheOptions: Prompt.SystemMessageOptions
  readonly probe: Effect.Effect<void, ModelError>
}

/** Any language model of `@effect/ai` as the model of this service. Tool calls are returned, not carried out. */
export const fromLanguageModel = (
  { cacheOptions, languageModel, maxOutputTokens, probe, provider, settings }: AdapterOptions
): Model["Type"] => {
  const promptMessageOf = memoized((message: OrderedMessage) => promptMessage(provider, message))
  const call = (request: ModelRequest, may: MaySend, asked: ModelRequest) =>
    Effect.gen(function*() {
      const service = yield* languageModel({
        maxOutputTokens: request.maxOutputTokens ?? maxOutputTokens,
        temperature: may("temperature") ? request.temperature ?? settings.temperature : undefined
      })
      const gathering = gatherParts(provider)
      const live = makeLiveAnswer(0)
      const parts = service.streamText({
        prompt: promptOf(request, promptMessageOf, cacheOptions),
        toolkit: toolkitOf(request.tools),
        disableToolCallResolution: true
      })
      const show = (text: string) => text === "" || request.onText === undefined ? Effect.void : request.onText(text)
      const take = (parts: Chunk.Chunk<Part>) =>
        show(live(Chunk.toReadonlyArray(parts).map(gathering.take).join(""), false))
      yield* Effect.catchAll(takeTogether(parts, take), gathering.failed)
      yield* show(live("", true))
      return yield* responseOf(provider, asked, requestCharacters(request), yield* gathering.completion())
    })
  const generate = negotiated(provider, call)
  return {
    provider: provider._tag,
    model: provider.model,
    sees: (mediaType) => seesImages(settings.vision, provider, mediaType),
    generate: (request) =>
      generate({ ...request, maxOutputTokens: request.maxOutputTokens ?? maxOutputTokens }, request),
    probe
  }
}

const promptOf = (
  { messages, system }: ModelRequest,
  promptMessageOf: (message: OrderedMessage) => Prompt.Message,
  options: Prompt.SystemMessageOptions
): Prompt.Prompt => {
  const sent = inRoleOrder(messages, rules).map(promptMessageOf)
  return Prompt.fromMessages([
    ...(system.trim() === "" ? [] : [Prompt.systemMessage({ content: system, options })]),
    ...sent.slice(0, -1),
    ...sent.slice(-1).map((last) => ({ ...last, options }))
  ])
}

/** Anthropic takes the user's message and the tool results before it as one. */
const rules = { isAssistantAfterTool: false, ids: wordIds }

const promptMessage = (provider: RemoteProvider, message: OrderedMessage): Prompt.Message => {
  switch (message.role) {
    case "user":
      return Prompt.userMessage({ content: [textPart(message.content), ...imageUrlsOf(message).flatMap(imagePart)] })
    case "tool":
      return Prompt.toolMessage({
        content: [Prompt.toolResultPart({
          id: message.tool_call_id,
          name: message.name,
          result: wellFormed(message.content),
          isFailure: false,
          providerExecuted: false
        })]
      })
    case "assistant": {
      const before = reasoningOf(provider, message)
      const calls = message.tool_calls.flatMap(({ arguments: text, id, name }, index) => [
        ...(index === 0 ? [] : before(index)),
        Prompt.toolCallPart({
          id,
          name: sendableName(name),
          params: sendableObject(text),
          providerExecuted: false
        })
      ])
      return Prompt.assistantMessage({
        content: [...before(0), ...(message.content === "" ? [] : [textPart(message.content)]), ...calls]
      })
    }
  }
}

const textPart = (text: string) => Prompt.textPart({ text: wellFormed(text) })

const imagePart = (url: string): ReadonlyArray<Prompt.FilePart> => {
  const [, mediaType, data] = /^data:([^;]+);base64,(.*)$/s.exec(url) ?? []
  return mediaType === undefined || data === undefined ? [] : [Prompt.filePart({ mediaType, data })]
}

const Parameters = Schema.Struct({}, Schema.Record({ key: Schema.String, value: Schema.Unknown }))

/** Arguments are not validated here: the toolbox does that. */
const toolkitOf = memoized(({ tools }: ToolSet): Toolkit.WithHandler<Record<string, Tool.Any>> => ({
  tools: Object.fromEntries(
    tools.map((tool) => [
      tool.name,
      Tool.make(tool.name, { description: tool.description })
        .setParameters(Parameters.annotations({ jsonSchema: parametersOf(tool) }))
    ])
  ),
  handle: () => Effect.dieMessage("Tool calls are carried out by the agent")
}))

type Part = Response.StreamPart<Record<string, Tool.Any>>

const endings: Readonly<Record<Response.FinishReason, Completion["ending"]>> = {
  "stop": "complete",
  "tool-calls": "complete",
  "length": "cut",
  "content-filter": "filtered",
  "pause": "unknown",
  "error": "unknown",
  "other": "unknown",
  "unknown": "unknown"
}

/** Anthropic counts apart what its cache holds or takes in. */
const inputTokensOf = ({ metadata, usage }: Pick<Response.FinishPart, "metadata" | "usage">): number | undefined => {
  const counts = metadata.anthropic?.usage
  return usage.inputTokens === undefined
    ? undefined
    : usage.inputTokens + (counts?.cache_read_input_tokens ?? 0) + (counts?.cache_creation_input_tokens ?? 0)
}

const gatherParts = (provider: RemoteProvider) => {
  let text = ""
  const calls: Array<{ id: string; name: string; arguments: unknown }> = []
  const reasoning = gatherReasoning(provider)
  let finish: Pick<Response.FinishPart, "metadata" | "reason" | "usage"> | null = null
  let failure: CallFailure | null = null
  let isUnreadable = false

  const callOf = (id: string) => calls.findLast((call) => call.id === id)

  return {
    take: (part: Part): string => {
      switch (part.type) {
        case "text-delta":
          text += part.delta
          return part.delta
        case "reasoning-start":
        case "reasoning-delta":
          reasoning.take(part, calls.length)
          break
        case "tool-params-start":
          calls.push({ id: part.id, name: part.name, arguments: "" })
          break
        case "tool-params-delta": {
          const call = callOf(part.id)
          if (call !== undefined) call.arguments = `${call.arguments}${part.delta}`
          break
        }
        case "tool-call":
          if (callOf(part.id) === undefined) calls.push({ id: part.id, name: part.name, arguments: part.params })
          break
        case "finish":
          finish = part
          break
        case "error":
          failure = failureInside(provider, part.error)
      }
      return ""
    },
    /** The package refuses unknown tools and arguments that are not JSON; the agent answers such calls with an error. */
    failed: (error: AiError.AiError): Effect.Effect<void, CallFailure> => {
      const isAboutCalls = error._tag === "MalformedOutput" && error.module.endsWith("LanguageModel")
      if (!isAboutCalls || calls.length === 0) return providerFailure(provider, error)
      isUnreadable = true
      return Effect.void
    },
    completion: (): Effect.Effect<Completion, CallFailure> => {
      if (failure !== null) return Effect.fail(failure)
      if (finish === null && !isUnreadable) return Effect.fail(brokenOff(provider))
      const split = splitThinking(text)
      return Effect.succeed({
        ...split,
        thinking: [reasoning.thinking(), split.thinking].filter((thought) => thought !== "").join("\n\n"),
        refusal: "",
        calls,
        ending: finish === null ? "complete" : endings[finish.reason],
        opaque: reasoning.stored(),
        inputTokens: finish === null ? undefined : inputTokensOf(finish),
        outputTokens: finish?.usage.outputTokens,
        cachedTokens: finish?.metadata.anthropic?.usage?.cache_read_input_tokens
      })
    }
  }
}
