import { Schema } from "effect"
import { ModelPrice } from "./ModelPrice.ts"
import { storedModelProviders } from "./ModelProvider.ts"

export const StoredModelProvider = Schema.Literal(...storedModelProviders)

/** The names of all, for an error or a description. */
export const providerNames = `${storedModelProviders.slice(0, -1).join(", ")} or ${storedModelProviders.at(-1)}`

/** The name of the model of the settings. */
export const settingsModel = "settings"

const reserved: ReadonlySet<string> = new Set(["default", settingsModel])

/** Why a stored model can't have the name; null: it can. */
export const nameMistake = (name: string): string | null =>
  reserved.has(name.toLowerCase())
    ? `the names ${[...reserved].join(" and ")} are reserved`
    : /^[A-Za-z0-9][A-Za-z0-9 ._:@-]{0,63}$/.test(name)
    ? null
    : "a name is 1 to 64 letters, digits, blanks or . _ : @ -, and begins with a letter or digit"

/** What the last call of a model showed. */
export const ModelStatus = Schema.Literal(
  "answers",
  "wrong_key",
  "unknown_model",
  "unavailable",
  "refused",
  "untested"
)
export type ModelStatus = typeof ModelStatus.Type

export const LanguageModelInfo = Schema.Struct({
  name: Schema.String.annotations({ description: "Its name: settings for the model of the settings" }),
  provider: Schema.Literal(...storedModelProviders, "offline").annotations({
    description: `${providerNames}; offline: the built-in model`
  }),
  model: Schema.String.annotations({ description: "The model's name at its provider" }),
  base_url: Schema.NullOr(Schema.String).annotations({ description: "Address of the provider; null: built in" }),
  has_key: Schema.Boolean.annotations({ description: "Whether it has a key, which is never shown" }),
  context_tokens: Schema.Int.annotations({ description: "Its context window" }),
  price: Schema.NullOr(ModelPrice).annotations({ description: "Per million tokens; null: not known" }),
  temperature: Schema.Number.annotations({ description: "Its sampling temperature" }),
  source: Schema.Literal("settings", "stored").annotations({ description: "Where it is defined" }),
  overrides: Schema.Array(Schema.Literal("base_url", "context_tokens", "price", "temperature")).annotations({
    description:
      "Which of these a stored model was given; the others are the usual ones of its provider and model, and follow these"
  }),
  status: ModelStatus.annotations({
    description:
      "What the last call that this process knows of showed: answers, wrong_key, unknown_model, unavailable, "
      + "refused (the provider refused the call for another reason); untested: none was made"
  }),
  detail: Schema.String.annotations({ description: "What the provider said, and how long ago" })
}).annotations({ identifier: "LanguageModel" })
export type LanguageModelInfo = typeof LanguageModelInfo.Type

export class ModelNotFound extends Schema.TaggedError<ModelNotFound>()("ModelNotFound", { name: Schema.String }) {
  override get message() {
    return `There is no model "${this.name.slice(0, 100)}".`
  }
}

export class ModelInvalid extends Schema.TaggedError<ModelInvalid>()("ModelInvalid", {
  field: Schema.String.annotations({ description: "The field of the request that is wrong" }),
  reason: Schema.String
}) {
  override get message() {
    return this.field === "" ? this.reason : `${this.field}: ${this.reason}`
  }
}

/** The default, a fallback, an agent's model and that of the settings can't be deleted. */
export class ModelInUse extends Schema.TaggedError<ModelInUse>()("ModelInUse", {
  name: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The model "${this.name}" can't be deleted: ${this.reason}.`
  }
}

/** Keys are stored only where they can be sealed. */
export class KeyNotSealable extends Schema.TaggedError<KeyNotSealable>()("KeyNotSealable", {}) {
  override get message() {
    return "A key can't be stored: it is sealed with SECRETS_KEY, which is not set. Set SECRETS_KEY to the same long, random "
      + "text for every process, and start them again."
  }
}
