import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { LanguageModelInfo, providerNames, StoredModelProvider } from "@troupe/domain/LanguageModel"
import { ModelPrice } from "@troupe/domain/ModelPrice"
import { Schema } from "effect"
import { AdminOnly, Authentication } from "./Authentication.ts"
import { checkedWhole, described, optional, pathParameter, text, titled } from "./Fields.ts"
import * as Problems from "./Problems.ts"

const provider = StoredModelProvider.annotations({
  description: `${providerNames}; openai-compatible: any server with /chat/completions`,
  message: () => providerNames
})

const baseUrl = optional(text(2_000, "Address of the provider, up to /v1; openai-compatible needs it"))

/** Its message never repeats what was given. */
const key = Schema.String.pipe(Schema.pattern(/^[\x21-\x7e]{1,1000}$/)).annotations({
  jsonSchema: { type: "string", minLength: 1, maxLength: 1_000, pattern: "^[!-~]*$" },
  message: () => ({ message: "1 to 1000 letters, digits and signs without a space", override: true })
})

export const ModelEntry = Schema.Struct({
  provider,
  model: text(200, "The model's name at its provider"),
  base_url: baseUrl,
  api_key: Schema.optionalWith(
    Schema.NullOr(key).annotations({
      description: "Key of the provider; never shown again. Left out: the stored one stays; null: it is deleted"
    }),
    { exact: true }
  ),
  context_tokens: optional(
    Schema.Int.pipe(Schema.between(1_000, 100_000_000)).annotations({
      description: "Its context window; default: the usual one of the provider",
      message: () => "a whole number from 1000 to 100000000"
    })
  ),
  price: optional(
    ModelPrice.annotations({
      description: "Per million tokens, as MODEL_PRICES",
      message: () => ({
        message: "an object such as {\"input\": 1.25, \"output\": 10, \"cached_input\": 0.13}",
        override: true
      })
    })
  ),
  temperature: optional(
    Schema.Number.pipe(Schema.between(0, 2)).annotations({
      description: "Sampling temperature; default: MODEL_TEMPERATURE, else the usual one of the provider",
      message: () => "a number from 0 to 2"
    })
  )
}).annotations({ identifier: "LanguageModelEntry" })
export type ModelEntry = typeof ModelEntry.Type

export const ModelsReport = Schema.Struct({
  default: Schema.String.annotations({ description: "The model that works where no other one is named" }),
  fallbacks: Schema.Array(Schema.String).annotations({
    description: "Called in this order where a model is unavailable"
  }),
  models: Schema.Array(LanguageModelInfo).annotations({
    description: "That of the settings, then the stored ones by name"
  })
}).annotations({ identifier: "LanguageModels" })
export type ModelsReport = typeof ModelsReport.Type

export const DefaultModel = Schema.Struct({
  default: Schema.String.annotations({ description: "Name of a model, or settings" }),
  fallbacks: optional(
    Schema.Array(Schema.String).annotations({
      description: "Names of models in the order in which they are tried; left out: as before"
    })
  )
}).annotations({ identifier: "DefaultLanguageModel" })
export type DefaultModel = typeof DefaultModel.Type

export const ModelTested = Schema.Struct({
  ok: Schema.Boolean.annotations({ description: "Whether the model answered" }),
  detail: Schema.String.annotations({ description: "What it answered with, or why it did not" }),
  latency_ms: Schema.Number.annotations({ description: "Milliseconds that the call took" })
}).annotations({ identifier: "LanguageModelTested" })
export type ModelTested = typeof ModelTested.Type

const nameOfKey = optional(
  Schema.String.annotations({
    description: "A stored model at the same address, whose key is used where none is given"
  })
)

export const ModelTrial = Schema.Struct({ ...ModelEntry.fields, name: nameOfKey })
  .annotations({ identifier: "LanguageModelTrial" })
export type ModelTrial = typeof ModelTrial.Type

export const CatalogueRequest = Schema.Struct({
  provider,
  base_url: baseUrl,
  api_key: Schema.optionalWith(
    Schema.NullOr(key).annotations({ description: "Key of the provider; left out: that of the model `name`" }),
    { exact: true }
  ),
  name: nameOfKey
}).annotations({ identifier: "LanguageModelCatalogueRequest" })
export type CatalogueRequest = typeof CatalogueRequest.Type

export const Catalogue = Schema.Struct({
  models: Schema.Array(Schema.String).annotations({ description: "Names of models, as the provider lists them" }),
  detail: Schema.NullOr(Schema.String).annotations({ description: "Why there is no list; null: there is one" })
}).annotations({ identifier: "LanguageModelCatalogue" })
export type Catalogue = typeof Catalogue.Type

export const LocalServer = Schema.Struct({
  title: Schema.String.annotations({ description: "What answers there" }),
  base_url: Schema.String.annotations({ description: "Its address for a model" }),
  models: Schema.Array(Schema.String).annotations({ description: "The models that it has" })
}).annotations({ identifier: "LocalModelServer" })
export type LocalServer = typeof LocalServer.Type

const modelName = pathParameter("name", "Name of the model, URL-encoded")

/** The language models that the service calls. */
export class ModelsApi extends HttpApiGroup.make("models")
  .add(
    HttpApiEndpoint.get("list", "/api/models")
      .addSuccess(ModelsReport)
      .middleware(AdminOnly)
      .annotateContext(described("The models with what their last calls showed; keys are never shown"))
  )
  .add(
    HttpApiEndpoint.get("servers", "/api/models/servers")
      .addSuccess(Schema.Array(LocalServer))
      .middleware(AdminOnly)
      .annotateContext(described("Model servers that answer on the machine of the service; none on a hosted instance"))
  )
  .add(
    HttpApiEndpoint.post("catalogue", "/api/models/catalogue")
      .setPayload(checkedWhole(CatalogueRequest))
      .addSuccess(Catalogue)
      .addError(Problems.modelInvalid)
      .middleware(AdminOnly)
      .annotateContext(described("The names of the models that a provider lists"))
  )
  .add(
    HttpApiEndpoint.post("trial", "/api/models/trial")
      .setPayload(checkedWhole(ModelTrial))
      .addSuccess(ModelTested)
      .addError(Problems.modelInvalid)
      .middleware(AdminOnly)
      .annotateContext(described("Makes a real call of a model that is not saved, as small as it can be"))
  )
  .add(
    HttpApiEndpoint.put("choose", "/api/models/default")
      .setPayload(checkedWhole(DefaultModel))
      .addSuccess(ModelsReport)
      .addError(Problems.modelInvalid)
      .middleware(AdminOnly)
      .annotateContext(described(
        "Chooses the default model and the fallbacks, in every process within a second. Calls under way are not cut; the "
          + "embeddings of stored memories stay"
      ))
  )
  .add(
    HttpApiEndpoint.put("save")`/api/models/${modelName}`
      .setPayload(checkedWhole(ModelEntry))
      .addSuccess(LanguageModelInfo)
      .addError(Problems.modelInvalid)
      .addError(Problems.keyNotSealable)
      .middleware(AdminOnly)
      .annotateContext(described("Adds a model, or replaces the one of this name"))
  )
  .add(
    HttpApiEndpoint.del("remove")`/api/models/${modelName}`
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Problems.modelNotFound)
      .addError(Problems.modelInUse)
      .middleware(AdminOnly)
      .annotateContext(described("Deletes a stored model that is neither the default, nor a fallback, nor an agent's"))
  )
  .add(
    HttpApiEndpoint.post("test")`/api/models/${modelName}/test`
      .addSuccess(ModelTested)
      .addError(Problems.modelNotFound)
      .middleware(AdminOnly)
      .annotateContext(described("Makes a real call of the model, as small as it can be"))
  )
  .middlewareEndpoints(Authentication)
  .annotateContext(titled("Models", "The language models, their default and fallbacks."))
{}
