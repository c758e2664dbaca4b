import { HttpApiClient, HttpClient, type HttpClientError, HttpClientResponse } from "@effect/platform"
import { Problem, ProblemError, problemMediaType } from "@troupe/api/Problem"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Effect } from "effect"

/** Problems that no endpoint declares, so that nothing derived would decode them. */
const failOnProblem = (
  response: HttpClientResponse.HttpClientResponse
): Effect.Effect<HttpClientResponse.HttpClientResponse, ProblemError | HttpClientError.ResponseError> =>
  response.status >= 400 && response.headers["content-type"]?.startsWith(problemMediaType) === true
    ? HttpClientResponse.schemaBodyJson(Problem)(response).pipe(
      Effect.catchTag("ParseError", () => Effect.succeed(null)),
      Effect.flatMap((problem) =>
        problem === null || problem.facts !== undefined ? Effect.succeed(response) : new ProblemError(problem)
      )
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
