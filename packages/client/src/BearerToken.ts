import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { Effect, type Redacted } from "effect"

/** An ID token, or what reads a fresh one for each request or connection. */
export type BearerToken = Redacted.Redacted | Effect.Effect<Redacted.Redacted, Error>

export const readToken = (token: BearerToken): Effect.Effect<Redacted.Redacted, Error> =>
  Effect.isEffect(token) ? token : Effect.succeed(token)

export const signedIn = (client: HttpClient.HttpClient, token: BearerToken | undefined): HttpClient.HttpClient =>
  token === undefined ? client : HttpClient.mapRequestEffect(client, (request) =>
    Effect.mapBoth(readToken(token), {
      onSuccess: (value) => HttpClientRequest.bearerToken(request, value),
      onFailure: (cause) =>
        new HttpClientError.RequestError({
          request,
          reason: "Transport",
          cause,
          description: "Reading the token failed"
        })
    }))
