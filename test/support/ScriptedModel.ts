import { ToolCallId } from "@troupe/domain/Ids"
import type { ToolCall } from "@troupe/domain/Message"
import { Effect, Layer, Option, Schema } from "effect"
import { makeChatCompletions } from "../../src/Model/ChatCompletions.ts"
import { Model, type ModelError, type ModelRequest, type ModelResponse } from "../../src/Model/Model.ts"
import { makeResponses } from "../../src/Model/Responses.ts"
import { refusalOf } from "./modelDemands.mjs"

/** What the model does when it is called: answers, fails, dies, hangs. */
export type Turn = (request: ModelRequest) => Effect.Effect<ModelResponse, ModelError>

export interface ScriptedModel {
  readonly model: Model["Type"]
  readonly layer: Layer.Layer<Model>
  /** Appends turns. Once all are played, the model answers `Done.`. */
  readonly script: (...turns: ReadonlyArray<Turn>) => void
  /** Every request so far. */
  readonly requests: ReadonlyArray<ModelRequest>
}

const provider = {
  _tag: "local" as const,
  baseUrl: "http://127.0.0.1:9/v1",
  apiKey: Option.none(),
  model: "scripted",
  embeddingModel: "scripted"
}
const settings = { temperature: 1, provider }
const dialects = {
  chat: makeChatCompletions(settings, provider),
  responses: makeResponses(settings, provider)
}
const parse = Schema.decodeUnknownSync(Schema.parseJson())

/** Why a strict provider refuses the request as one of the adapters writes it. */
const refusalByStrict = (request: ModelRequest): string | null =>
  refusalOf("chat", parse(dialects.chat.body(request, () => true)))
    ?? refusalOf("responses", parse(dialects.responses.body(request, () => true)))

/**
 * A model that plays its turns one after the other, whoever calls. Each call counts 10 tokens in and 5 out. A request that a
 * strict provider refuses is a defect.
 */
export const scriptedModel = (...turns: ReadonlyArray<Turn>): ScriptedModel => {
  const left = [...turns]
  const requests: Array<ModelRequest> = []
  const model = Model.of({
    provider: "offline",
    model: "scripted",
    sees: (mediaType) => mediaType === "image/png",
    generate: (request) =>
      Effect.suspend(() => {
        requests.push(request)
        const refusal = refusalByStrict(request)
        return refusal === null
          ? (left.shift() ?? says("Done."))(request)
          : Effect.dieMessage(`A strict provider refuses the request: ${refusal}`)
      }),
    probe: Effect.void
  })
  return { model, layer: Layer.succeed(Model, model), script: (...more) => void left.push(...more), requests }
}

const response = (content: string, toolCalls: ReadonlyArray<ToolCall>): ModelResponse => ({
  message: { role: "assistant", content, tool_calls: toolCalls },
  inputTokens: 10,
  outputTokens: 5
})

/** Ends the task, unless the text is beside tool calls. */
export const says = (content: string): Turn => () => Effect.succeed(response(content, []))

/** A tool call with arguments as the model would write them. */
export const call = (id: string, name: string, args: unknown = {}): ToolCall => ({
  id: ToolCallId.make(id),
  name,
  arguments: typeof args === "string" ? args : JSON.stringify(args)
})

export const asks = (...calls: ReadonlyArray<ToolCall>): Turn => () => Effect.succeed(response("", calls))

export const asksSaying = (content: string, ...calls: ReadonlyArray<ToolCall>): Turn => () =>
  Effect.succeed(response(content, calls))

/** The same turn, at the price of this many tokens in. */
export const costing = (tokens: number, turn: Turn): Turn => (request) =>
  Effect.map(turn(request), (answer) => ({ ...answer, inputTokens: tokens, outputTokens: 0 }))

export const fails = (error: ModelError): Turn => () => Effect.fail(error)

export const dies = (message: string): Turn => () => Effect.die(new Error(message))

/** A turn that hangs, and counts how often it began and was interrupted. */
export const hanging = () => {
  const seen = { begun: 0, interrupted: 0 }
  const turn: Turn = () =>
    Effect.suspend(() => {
      seen.begun += 1
      return Effect.never
    }).pipe(Effect.onInterrupt(() => Effect.sync(() => void (seen.interrupted += 1))))
  return { seen, turn }
}
