import * as HttpApiClient from "@effect/platform/HttpApiClient"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { Problem, ProblemError, problemMediaType } from "@troupe/api/Problem"
import { TroupeApi } from "@troupe/api/TroupeApi"
import { Context, Effect, Layer, Option, Record, Schema } from "effect"
import { type BearerToken, signedIn } from "./BearerToken.ts"
import { inCallersTrace } from "./TraceContext.ts"

const decode = Schema.decodeOption(Schema.parseJson(Problem))

/** A problem that no endpoint declares fails here, since no derived decoder knows it. */
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

interface Options {
  readonly httpClient: HttpClient.HttpClient.With<HttpClientError.HttpClientError | ProblemError>
  readonly baseUrl?: string | URL
}

const makeWhole = (options: Options) => HttpApiClient.makeWith(TroupeApi, options)

/** Makes each group when it is first used: all of them take a tenth of a second, and most programs use few. */
const makeByGroup = (options: Options): Effect.Effect.Success<ReturnType<typeof makeWhole>> =>
  Object.create(
    null,
    Record.map(TroupeApi.groups, ({ identifier }) => {
      const group = Effect.runSync(Effect.cached(HttpApiClient.group(TroupeApi, { ...options, group: identifier })))
      return { enumerable: true, get: () => Effect.runSync(group) }
    })
  )

/** One method per endpoint. Declared errors are typed errors, every other problem is a `ProblemError`. */
export const make = Effect.fn("TroupeClient.make")(function*({ baseUrl, token }: TroupeClientOptions = {}) {
  const client = inCallersTrace(signedIn(yield* HttpClient.HttpClient, token))
  return makeByGroup({
    httpClient: HttpClient.transformResponse(client, Effect.flatMap(failOnProblem)),
    ...(baseUrl === undefined ? {} : { baseUrl })
  })
})

export class TroupeClient extends Context.Tag("@troupe/client/TroupeClient")<
  TroupeClient,
  Effect.Effect.Success<ReturnType<typeof make>>
>() {
  static layer(options: TroupeClientOptions): Layer.Layer<TroupeClient, never, HttpClient.HttpClient> {
    return Layer.effect(TroupeClient, make(options))
  }
}
