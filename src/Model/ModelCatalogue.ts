import * as HttpClient from "@effect/platform/HttpClient"
import type { Catalogue, LocalServer } from "@troupe/api/ModelsApi"
import { modelProviders } from "@troupe/domain/ModelProvider"
import { Duration, Effect, Option, Schema } from "effect"
import type { ModelError } from "./Model.ts"
import type { RemoteProvider } from "./ModelSettings.ts"
import { listText, orRejected } from "./ProviderCalls.ts"
import { malformed } from "./ProviderFailure.ts"

const timeout = Duration.seconds(10)

/** OpenAI's form, which Anthropic, Ollama and vLLM have too. */
const Listed = Schema.parseJson(Schema.Struct({
  data: Schema.NullOr(Schema.Array(Schema.Struct({ id: Schema.String })))
}))
const decode = Schema.decodeOption(Listed)

const maxListed = 1_000

/** What a provider lists beside models that talk: of embeddings, pictures, speech and moderation. */
const others = /embed|whisper|tts|dall-e|image|moderation|transcribe|realtime|audio|sora|veo|imagen|rerank/i

const namesFrom = (
  provider: RemoteProvider,
  limit: Duration.Duration
): Effect.Effect<ReadonlyArray<string>, ModelError, HttpClient.HttpClient> =>
  Effect.flatMap(HttpClient.HttpClient, (client) =>
    orRejected(Effect.gen(function*() {
      const query = modelProviders[provider._tag].protocol === "anthropic" ? "?limit=1000" : ""
      const text = yield* listText(provider, client, `/models${query}`, limit)
      const listed = yield* Option.match(decode(text), {
        onNone: () => Effect.fail(malformed(provider)),
        onSome: ({ data }) => Effect.succeed(data ?? [])
      })
      const names = listed.map(({ id }) => id.replace(/^models\//, ""))
      const talking = names.filter((name) => !others.test(name))
      return (talking.length === 0 ? names : talking).slice(0, maxListed).toSorted()
    })))

/** The models that the provider lists, or why there is no list. */
export const catalogueOf = (provider: RemoteProvider): Effect.Effect<Catalogue, never, HttpClient.HttpClient> =>
  Effect.match(namesFrom(provider, timeout), {
    onSuccess: (models) => ({ models, detail: models.length === 0 ? noneOf(provider, "is empty") : null }),
    onFailure: (error) => {
      const isMissing = error._tag === "ModelRejected" && error.isAddressMissing === true
      return { models: [], detail: isMissing ? noneOf(provider, `is not there (${error.status})`) : error.message }
    }
  })

const noneOf = ({ baseUrl }: RemoteProvider, what: string): string =>
  `The list of models at ${baseUrl}/models ${what}: check the address, or type the name of a model.`

/** Where Ollama listens by default. */
const ollama = "http://127.0.0.1:11434/v1"

/** Model servers on the machine of the service. */
export const localServers = (
  address: string = ollama
): Effect.Effect<ReadonlyArray<LocalServer>, never, HttpClient.HttpClient> =>
  Effect.match(
    namesFrom({ _tag: "local", baseUrl: address, apiKey: Option.none(), model: "" }, Duration.seconds(1)),
    {
      onSuccess: (models) => [{ title: "Ollama", base_url: address, models }],
      onFailure: () => []
    }
  )
