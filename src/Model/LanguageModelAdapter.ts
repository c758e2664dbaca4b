import type * as LanguageModel from "@effect/ai/LanguageModel"
import * as Prompt from "@effect/ai/Prompt"
import * as Tool from "@effect/ai/Tool"
import type * as Toolkit from "@effect/ai/Toolkit"
import { Chunk, Effect, Mailbox, Schema, Stream } from "effect"
import { memoized } from "../Runtime/Memoized.ts"
import { requestCharacters, responseOf, sendableObject } from "./Answer.ts"
import { wellFormed } from "./EncodedJson.ts"
import { type Model, type ModelError, type ModelRequest, picturesOf, type SentMessage, type ToolSet } from "./Model.ts"
import type { ModelSettings, RemoteProvider } from "./ModelSettings.ts"
import { type MaySend, negotiated } from "./Negotiation.ts"
import { gatherParts, type Part } from "./ResponseParts.ts"
import { parametersOf } from "./ToolParameters.ts"
import { seesPictures } from "./Vision.ts"

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
  /** Go with the system prompt and the last message, up to which the provider caches the conversation. */
  readonly cacheOptions: Prompt.SystemMessageOptions
  readonly probe: Effect.Effect<void, ModelError>
}

/** Any language model of `@effect/ai` as the model of this service. Tool calls are returned, not carried out. */
export const fromLanguageModel = (
  { cacheOptions, languageModel, maxOutputTokens, probe, provider, settings }: AdapterOptions
): Model["Type"] => {
  const call = (request: ModelRequest, may: MaySend, asked: ModelRequest) =>
    Effect.gen(function*() {
      const service = yield* languageModel({
        maxOutputTokens: request.maxOutputTokens ?? maxOutputTokens,
        temperature: may("temperature") ? settings.temperature : undefined
      })
      const gathering = gatherParts(provider)
      const parts = service.streamText({
        prompt: promptOf(request, cacheOptions),
        toolkit: toolkitOf(request.tools),
        disableToolCallResolution: true
      })
      const take = (parts: Chunk.Chunk<Part>) => {
        const text = Chunk.toReadonlyArray(parts).map(gathering.take).join("")
        return text === "" || request.onText === undefined ? Effect.void : request.onText(text)
      }
      // Parts that come together become one piece of text: each piece costs its readers far more than a part.
      const arrived = yield* Mailbox.fromStream(parts, { capacity: 256 })
      yield* Effect.catchAll(Stream.runForEachChunk(Mailbox.toStream(arrived), take), gathering.failed)
      return yield* responseOf(provider, asked, requestCharacters(request), yield* gathering.answer())
    }).pipe(Effect.scoped)
  const generate = negotiated(call)
  return {
    provider: provider._tag,
    model: provider.model,
    sees: (mediaType) => seesPictures(settings.vision ?? "auto", provider, mediaType),
    generate: (request) =>
      generate({ ...request, maxOutputTokens: request.maxOutputTokens ?? maxOutputTokens }, request),
    probe
  }
}

const promptOf = ({ messages, system }: ModelRequest, options: Prompt.SystemMessageOptions): Prompt.Prompt => {
  const sent = messages.flatMap(promptMessagesOf)
  return Prompt.fromMessages([
    Prompt.systemMessage({ content: system, options }),
    ...sent.slice(0, -1),
    ...sent.slice(-1).map((last) => ({ ...last, options }))
  ])
}

const promptMessagesOf = memoized((message: SentMessage): ReadonlyArray<Prompt.Message> => {
  switch (message.role) {
    case "user":
      return [Prompt.userMessage({ content: [textPart(message.content), ...picturesOf(message).flatMap(picturePart)] })]
    case "system":
      return [Prompt.userMessage({ content: [textPart(`[Note from the system]\n${message.content}`)] })]
    case "tool":
      return [Prompt.toolMessage({
        content: [Prompt.toolResultPart({
          id: message.tool_call_id,
          name: message.name,
          result: wellFormed(message.content),
          isFailure: false,
          providerExecuted: false
        })]
      })]
    case "assistant": {
      const calls = message.tool_calls.map(({ arguments: text, id, name }) =>
        Prompt.toolCallPart({ id, name, params: sendableObject(text), providerExecuted: false })
      )
      const content = [...(message.content === "" ? [] : [textPart(message.content)]), ...calls]
      return content.length === 0 ? [] : [Prompt.assistantMessage({ content })]
    }
  }
})

const textPart = (text: string) => Prompt.textPart({ text: wellFormed(text) })

const picturePart = (url: string): ReadonlyArray<Prompt.FilePart> => {
  const [, mediaType, data] = /^data:([^;]+);base64,(.*)$/s.exec(url) ?? []
  return mediaType === undefined || data === undefined ? [] : [Prompt.filePart({ mediaType, data })]
}

const Parameters = Schema.Struct({}, Schema.Record({ key: Schema.String, value: Schema.Unknown }))

/** Tools whose parameters are the JSON Schema that they are defined by; what is sent for them is checked later. */
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
