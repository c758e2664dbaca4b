import * as HttpApiClient from "@effect/platform/HttpApiClient"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { Problem, ProblemError, problemMediaType } from "@troupe/api/Problem"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Context, Effect, Layer, Option, type Redacted, Schema } from "effect"

const decode = Schema.decodeOption(Schema.parseJson(Problem))

/** Problems that no endpoint declares, so that nothing derived would decode them, fail here. */
const failOnProblem = (
  response: HttpClientResponse.HttpClientResponse
): Effect.Effect<HttpClientResponse.HttpClientResponse, ProblemError | HttpClientError.ResponseError> =>
  response.status >= 400 && response.headers["content-type"]?.startsWith(problemMediaType) === true
    ? Effect.flatMap(
      response.text,
      (text) =>
        Option.match(Option.filter(decode(text), ({ facts }) => facts === undefined), {
          onSome: (problem) => new ProblemError(problem),
          // A body can be read once, so what decodes it next gets a copy.
          onNone: () =>
            Effect.sync(() =>
              HttpClientResponse.fromWeb(
                response.request,
                new Response(text, { status: response.status, headers: response.headers })
              )
            )
        })
    )
    : Effect.succeed(response)

export interface TroupeClientOptions {
  readonly baseUrl?: string | URL
  /** An ID token, for a service in hosted mode. */
  readonly token?: Redacted.Redacted
}

/**
 * A client with one method per endpoint, typed by the same contract as the server. An endpoint's own errors come
 * back as themselves, every other problem as a `ProblemError`.
 */
export const make = Effect.fn("TroupeClient.make")(function*({ baseUrl, token }: TroupeClientOptions = {}) {
  const client = yield* HttpClient.HttpClient
  const signedIn = token === undefined
    ? client
    : HttpClient.mapRequest(client, HttpClientRequest.bearerToken(token))
  return yield* HttpApiClient.makeWith(TroupeApi, {
    httpClient: HttpClient.transformResponse(signedIn, Effect.flatMap(failOnProblem)),
    ...(baseUrl === undefined ? {} : { baseUrl })
  })
})

/** The client of one service, as a dependency. */
export class TroupeClient extends Context.Tag("@troupe/client/TroupeClient")<
  TroupeClient,
  Effect.Effect.Success<ReturnType<typeof make>>
>() {
  static layer(options: TroupeClientOptions): Layer.Layer<TroupeClient, never, HttpClient.HttpClient> {
    return Layer.effect(TroupeClient, make(options))
  }
}
