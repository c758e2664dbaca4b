import * as HttpApiClient from "@effect/platform/HttpApiClient"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { Problem, ProblemError, problemMediaType } from "@troupe/api/Problem"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Effect, Option, Schema } from "effect"

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

/**
 * A client with one method per endpoint, typed by the same contract as the server. An endpoint's own errors come
 * back as themselves, every other problem as a `ProblemError`.
 */
export const make = Effect.fn("TroupeClient.make")(function*(options: { readonly baseUrl?: string | URL } = {}) {
  const client = yield* HttpClient.HttpClient
  return yield* HttpApiClient.makeWith(TroupeApi, {
    httpClient: HttpClient.transformResponse(client, Effect.flatMap(failOnProblem)),
    ...(options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl })
  })
})
