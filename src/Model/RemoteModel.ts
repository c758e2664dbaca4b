import type { HttpClient, HttpClientResponse } from "@effect/platform"
import { Effect, type Either } from "effect"
import type { ModelSettings } from "../Runtime/Settings.ts"
import { type Answer, responseOf } from "./Answer.ts"
import type { Model, ModelError, ModelRequest, ModelResponse } from "./Model.ts"
import { isEventStream, makeProviderClient } from "./ProviderClient.ts"
import type { CallFailure, OptionalParameter, OptionRefused } from "./ProviderFailure.ts"
import type { RemoteProvider } from "./RemoteProvider.ts"

/** How a family of providers wants to be asked, and how it answers. */
export interface Dialect {
  readonly name: string
  readonly path: string
  /** The body of a call; `may` says which optional parameters the model has not refused yet. */
  readonly body: (request: ModelRequest, may: (option: OptionalParameter) => boolean) => string
  /** Reads an answer that came in one piece. */
  readonly read: (body: string) => Either.Either<Answer, CallFailure>
  readonly assembly: () => Assembly
}

/** Puts a streamed answer together. */
export interface Assembly {
  /** Takes in the data of one event and returns its piece of text. */
  readonly add: (data: string) => Either.Either<string, CallFailure>
  /** What the events so far come to; a failure if the end is missing. */
  readonly answer: () => Either.Either<Answer, CallFailure>
}

/** The model behind a provider that speaks `dialect`. */
export const makeRemoteModel = (
  http: HttpClient.HttpClient,
  settings: ModelSettings,
  provider: RemoteProvider,
  dialect: Dialect
): Model["Type"] => {
  const client = makeProviderClient(http, settings, provider)
  const refused = new Set<OptionalParameter>()
  const may = (option: OptionalParameter) => !refused.has(option)

  const answerOf = (
    response: HttpClientResponse.HttpClientResponse,
    onText: ModelRequest["onText"]
  ): Effect.Effect<Answer, CallFailure> => {
    if (onText === undefined) return Effect.flatMap(client.text(response), dialect.read)
    if (!isEventStream(response)) {
      return Effect.tap(Effect.flatMap(client.text(response), dialect.read), ({ text }) => onText(text))
    }
    return Effect.suspend(() => {
      const assembly = dialect.assembly()
      const take = (data: string) =>
        Effect.flatMap(assembly.add(data), (delta) => delta === "" ? Effect.void : onText(delta))
      return Effect.zipRight(client.events(response, take), Effect.suspend(assembly.answer))
    })
  }

  const once = (request: ModelRequest): Effect.Effect<ModelResponse, ModelError | OptionRefused> =>
    Effect.suspend(() => {
      const body = dialect.body(request, may)
      return client.post(dialect.path, body, (response) =>
        Effect.flatMap(
          answerOf(response, request.onText),
          (answer) => responseOf(provider, request, body.length, answer)
        ))
    })

  /** A model takes all optional parameters until it refuses one; then the call is made again without it. */
  const generate = (request: ModelRequest, again = 3): Effect.Effect<ModelResponse, ModelError> =>
    Effect.catchTag(once(request), "OptionRefused", ({ option, rejected }) => {
      refused.add(option)
      return again === 0 ? Effect.fail(rejected) : generate(request, again - 1)
    })

  return {
    provider: provider._tag,
    model: provider.model,
    generate: Effect.fn(`${dialect.name}.generate`)((request: ModelRequest) => generate(request)),
    probe: Effect.withSpan(client.probe, `${dialect.name}.probe`)
  }
}
