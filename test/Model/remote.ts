import type { Message } from "@troupe/domain/Message"
import { Effect, Layer } from "effect"
import * as LanguageModels from "../../src/Model/LanguageModels.ts"
import { Model, type ModelRequest } from "../../src/Model/Model.ts"
import { Transport } from "../../src/Model/Transport.ts"
import type { ModelSettings } from "../../src/Runtime/Settings.ts"

export const question: Message = { role: "user", content: "How many?" }

const tools = {
  tools: [{
    name: "count",
    description: "Counts",
    parameters: { $schema: "https://json-schema.org/draft/2020-12/schema", type: "object", properties: {} }
  }]
}

export const request: ModelRequest = { system: "Be brief.", messages: [question], tools }

export const generate = (settings: ModelSettings, given: ModelRequest = request) =>
  Effect.flatMap(Model, (model) => model.generate(given)).pipe(Effect.provide(modelLayer(settings)))

export const modelLayer = (settings: ModelSettings) => Layer.provide(LanguageModels.layer(settings), Transport.layer)
