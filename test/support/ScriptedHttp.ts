import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { Effect, Layer } from "effect"
import type { Fault } from "../../src/Model/IncomingBody.ts"
import { described } from "../../src/Model/ModelHttpClient.ts"

export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

/** An HTTP client that answers each request by `answer`: with a reply, or with what went wrong on the way. */
export const scriptedHttp = (
  answer: (request: HttpClientRequest.HttpClientRequest) => Fault | Reply
): Layer.Layer<HttpClient.HttpClient> =>
  Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request) =>
      Effect.suspend(() => {
        const given = answer(request)
        return "kind" in given
          ? new HttpClientError.RequestError({ request, reason: "Transport", description: described(given) })
          : Effect.succeed(HttpClientResponse.fromWeb(request, new Response(given.body, given)))
      })
    )
  )

/** The text of a request's body. */
export const bodyOf = ({ body }: HttpClientRequest.HttpClientRequest): string =>
  body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""
