import { makeUndici } from "@effect/platform-node/NodeHttpClient"
import { Agent } from "@effect/platform-node/Undici"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import type { HttpClientError } from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { oneLine } from "@troupe/domain/Text"
import { Duration, Effect, Schema, Stream } from "effect"
import { errorCode } from "../Runtime/ErrorText.ts"
import { isPublicHost, publicLookup } from "../Runtime/NetworkAddress.ts"

/** An answer of any status; a redirect is not followed. */
export interface WebhookAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** How the body begins, on one line. */
  readonly excerpt: string
}

/** `refused`: the address may not be used from here, so another attempt fails too. */
export class WebhookFailed extends Schema.TaggedError<WebhookFailed>()("WebhookFailed", {
  kind: Schema.Literal("refused", "unreachable"),
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

export interface WebhookClientOptions {
  /** Only addresses of the public internet, whatever a name resolves to. */
  readonly publicOnly: boolean
  readonly timeout?: Duration.DurationInput
}

/** Posts JSON to addresses that users chose. A call is one attempt. */
export const makeWebhookClient = ({ publicOnly, timeout = "10 seconds" }: WebhookClientOptions) =>
  Effect.gen(function*() {
    const agent = yield* Effect.acquireRelease(
      Effect.sync(() =>
        new Agent({
          connect: { timeout: 5_000, ...(publicOnly ? { lookup: publicLookup } : {}) },
          keepAliveTimeout: 1_000
        })
      ),
      (agent) => Effect.promise(() => agent.destroy())
    )
    const client = HttpClient.withTracerPropagation(makeUndici(agent), false)

    const post = (url: string, body: string, headers: Readonly<Record<string, string>>) =>
      client.execute(
        HttpClientRequest.post(url, {
          headers: { "user-agent": "Troupe", ...headers },
          body: HttpBody.text(body, "application/json")
        })
      ).pipe(
        Effect.flatMap((response) =>
          Effect.map(beginOf(response.stream), (excerpt) => ({
            status: response.status,
            headers: response.headers,
            excerpt
          }))
        ),
        Effect.mapError((error) => new WebhookFailed({ kind: "unreachable", reason: reasonOf(url, error) })),
        Effect.timeoutFail({
          duration: timeout,
          onTimeout: () =>
            new WebhookFailed({
              kind: "unreachable",
              reason: `${hostOf(url)} did not respond within ${Duration.format(Duration.decode(timeout))}.`
            })
        }),
        Effect.withTracerEnabled(false)
      )

    return (
      url: string,
      body: string,
      headers: Readonly<Record<string, string>>
    ): Effect.Effect<WebhookAnswer, WebhookFailed> =>
      // The lookup sees names only.
      publicOnly && !isPublicHost(new URL(url).hostname)
        ? new WebhookFailed({ kind: "refused", reason: `${hostOf(url)} is no public address of the internet.` })
        : post(url, body, headers)
  })

const hostOf = (url: string): string => new URL(url).host

const maxBytes = 64 * 1_024
const maxExcerpt = 200

/** Of a longer body the rest is not read, and its connection is closed. */
const beginOf = <E>(body: Stream.Stream<Uint8Array, E>): Effect.Effect<string, E> =>
  body.pipe(
    Stream.runFoldWhile(
      Buffer.alloc(0),
      (read) => read.length <= maxBytes,
      (read, piece) => Buffer.concat([read, piece])
    ),
    Effect.map((read) => oneLine(read.subarray(0, 4 * maxExcerpt).toString("utf8"), maxExcerpt))
  )

const reasonOf = (url: string, { cause }: HttpClientError): string => {
  const code = errorCode(cause) === "" ? "" : ` (${errorCode(cause)})`
  const detail = cause instanceof Error && cause.message.includes("may be connected to") ? `: ${cause.message}` : ""
  return `Could not reach ${hostOf(url)}${code}${detail}.`
}
