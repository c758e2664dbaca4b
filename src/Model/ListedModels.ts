import { Option, Schema } from "effect"
import { names, type RemoteProvider } from "./ModelSettings.ts"
import { rejection } from "./ProviderFailure.ts"

/** Whose own API tells of one model by its name. Other hosts may lack that, or take names that they do not list. */
const ownHosts = {
  anthropic: "api.anthropic.com",
  gemini: "generativelanguage.googleapis.com",
  local: null,
  openai: "api.openai.com"
}

export const namesOneModel = ({ _tag, baseUrl }: RemoteProvider): boolean =>
  URL.canParse(baseUrl) && new URL(baseUrl).hostname === ownHosts[_tag]

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
    ({ data }) => provider._tag === "local" ? Option.some(data ?? []) : Option.none()
  )
  if (Option.isNone(listed)) return null
  const models = listed.value
  const isThere = models.some(({ id, owned_by }) =>
    !exactOwners.has(owned_by) || id === provider.model || id === `${provider.model}:latest`
  )
  if (isThere) return null
  const { model, title } = names[provider._tag]
  const found = models.slice(0, maxNamed).map(({ id }) => id).join(", ")
  const more = models.length > maxNamed ? ` and ${models.length - maxNamed} more` : ""
  return rejection(
    provider,
    404,
    `${title} does not have the model ${provider.model}; it has ${
      models.length === 0 ? "none" : `${found}${more}`
    }. Add the model to the server, or set ${model} to one that it has.`
  )
}
