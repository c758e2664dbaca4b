import * as HttpApiClient from "@effect/platform/HttpApiClient"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { Problem, ProblemError, problemMediaType } from "@troupe/api/Problem"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { type BearerToken, signedIn } from "./BearerToken.ts"

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
  /** For a service in hosted mode: an ID token, or what reads a fresh one for each request. */
  readonly token?: BearerToken
}

/**
 * A client with one method per endpoint, typed by the same contract as the server. An endpoint's own errors come
 * back as themselves, every other problem as a `ProblemError`.
 */
export const make = Effect.fn("TroupeClient.make")(function*({ baseUrl, token }: TroupeClientOptions = {}) {
  const client = signedIn(yield* HttpClient.HttpClient, token)
  return yield* HttpApiClient.makeWith(TroupeApi, {
    httpClient: HttpClient.transformResponse(client, Effect.flatMap(failOnProblem)),
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
