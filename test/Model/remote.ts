import type { AssistantMessage, Message } from "@troupe/domain/Message"
import { Effect, Layer, Schema } from "effect"
import * as LanguageModel from "../../src/apps/LanguageModel.ts"
import { Model, type ModelRequest } from "../../src/Model/Model.ts"
import * as ModelHttpClient from "../../src/Model/ModelHttpClient.ts"
import { StoredModels } from "../../src/Model/StoredModels.ts"
import type { CallSettings } from "../support/ModelServer.ts"

export const question: Message = { role: "user", content: "How many?" }

const tools = {
  tools: [{
    name: "count",
    description: "Counts",
    parameters: { $schema: "https://json-schema.org/draft/2020-12/schema", type: "object", properties: {} }
  }]
}

export const request: ModelRequest = { system: "Be brief.", messages: [question], tools }

export const generate = (settings: CallSettings, given: ModelRequest = request) =>
  Effect.flatMap(Model, (model) => model.generate(given)).pipe(Effect.provide(modelLayer(settings)))

export const modelLayer = (settings: CallSettings) =>
  Layer.provide(languageModel(settings), ModelHttpClient.layer({ timeout: settings.requestTimeout }))

/** The model of the settings alone. */
export const languageModel = (settings: CallSettings) =>
  LanguageModel.layer({ contextTokens: 128_000, prices: {}, recordsContent: false, ...settings }).pipe(
    Layer.provide(StoredModels.layerNone)
  )

export const callsOf = (
  message: { readonly tool_calls: ReadonlyArray<{ readonly name: string; readonly arguments: string }> }
) => message.tool_calls.map(({ arguments: args, name }) => [name, args])

/** The calls of a message, each with its result. */
export const resultsOf = (message: AssistantMessage, content: string): ReadonlyArray<Message> =>
  message.tool_calls.map(({ id, name }) => ({ role: "tool", tool_call_id: id, name, content }))

const bodyShape = Schema.Record({ key: Schema.String, value: Schema.Unknown })

export const isBody = Schema.is(bodyShape)

/** The headers of an answer in events. */
export const eventStream = { "content-type": "text/event-stream" }

/** The first event of a stream of Anthropic's. */
export const messageStart = [{
  type: "message_start",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-fake",
    content: [],
    stop_reason: null,
    usage: { input_tokens: 3, output_tokens: 1, cache_read_input_tokens: 500, cache_creation_input_tokens: 40 }
  }
}]

/** Its last events. */
export const messageEnd = (stop_reason: string) => [
  { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 2 } },
  { type: "message_stop" }
]
