import { modelProviders } from "@troupe/domain/ModelProvider"
import { Option, Schema } from "effect"
import { namesOf, type RemoteProvider } from "./ModelSettings.ts"
import { rejection } from "./ProviderFailure.ts"

export const namesOneModel = ({ _tag, baseUrl }: RemoteProvider): boolean =>
  URL.canParse(baseUrl) && new URL(baseUrl).hostname === modelProviders[_tag].ownHost

export const pathOfModel = ({ model }: RemoteProvider): string => encodeURIComponent(model.replace(/^models\//, ""))

const Listed = Schema.parseJson(Schema.Struct({
  data: Schema.NullOr(Schema.Array(Schema.Struct({ id: Schema.String, owned_by: Schema.optional(Schema.Unknown) })))
}))
const decode = Schema.decodeOption(Listed)

/** Ollama and vLLM answer for the models that they list, and no others; some servers answer under any name. */
const exactOwners: ReadonlySet<unknown> = new Set(["library", "vllm"])

const maxNamed = 5

/** The failure of a call, where the server's list of models shows that it lacks the model; null: it has it, or may have it. */
export const missingIn = (provider: RemoteProvider, text: string) => {
  const listed = Option.flatMap(
    decode(text),
    ({ data }) => modelProviders[provider._tag].isOwnServer ? Option.some(data ?? []) : Option.none()
  )
  if (Option.isNone(listed)) return null
  const models = listed.value
  const isThere = models.some(({ id, owned_by }) =>
    !exactOwners.has(owned_by) || id === provider.model || id === `${provider.model}:latest`
  )
  if (isThere) return null
  const { model, title } = namesOf(provider)
  const found = models.slice(0, maxNamed).map(({ id }) => id).join(", ")
  const more = models.length > maxNamed ? ` and ${models.length - maxNamed} more` : ""
  return rejection(
    provider,
    404,
    `${title} does not have the model ${provider.model}; it has ${
      models.length === 0 ? "none" : `${found}${more}`
    }. Add the model to the server, or set ${model} to one that it has.`,
    { wrong: "model" }
  )
}
