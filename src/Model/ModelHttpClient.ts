import { Agent, type Dispatcher } from "@effect/platform-node/Undici"
import * as Cookies from "@effect/platform/Cookies"
import * as Headers from "@effect/platform/Headers"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as HttpIncomingMessage from "@effect/platform/HttpIncomingMessage"
import * as UrlParams from "@effect/platform/UrlParams"
import { Context, Duration, Effect, Either, identity, Inspectable, Layer, Option, Schema, Stream } from "effect"
import { CallTimeLeft } from "../Runtime/CallTimeLeft.ts"
import { errorCode } from "../Runtime/ErrorText.ts"
import { publicLookup } from "../Runtime/NetworkAddress.ts"
import { eventFrames, eventLine } from "./EventStream.ts"
import { type Fault, IncomingBody } from "./IncomingBody.ts"

/**
 * The platform's client over undici adds 0.06 to 0.17 ms of CPU to the 0.11 to 0.18 ms of a call (`modelcall` of the
 * benchmarks, in turns). The description of a failure is a fault as text (`faultOf`). `stream` yields server-sent events, any
 * other response as one.
 */
export const layer = (options: {
  readonly timeout: Duration.Duration
  /** Names are resolved to public addresses only. */
  readonly publicOnly?: boolean
}): Layer.Layer<HttpClient.HttpClient> =>
  Layer.scoped(
    HttpClient.HttpClient,
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => new Agent(options.publicOnly === true ? { connect: { lookup: publicLookup } } : {})),
        (agent) => Effect.promise(() => agent.destroy())
      ),
      (agent) => {
        const execute = send(agent, Duration.toMillis(options.timeout))
        const client = HttpClient.makeWith<never, never, HttpClientError.HttpClientError, never>(
          Effect.flatMap(execute),
          Effect.succeed
        )
        // The client would put each request into an effect first.
        return Object.assign(client, { execute })
      }
    )
  )

export const described = ({ detail, kind }: Fault): string => `${kind} ${detail}`.trim()

const isKind = Schema.is(Schema.Literal("eventTooLong", "timedOut", "tooLong"))

/** The fault that an error's description names. */
export const faultOf = (description = ""): Fault => {
  const [kind = "", ...detail] = description.split(" ")
  return isKind(kind)
    ? { kind, detail: detail.join(" ") }
    : { kind: "unreachable", detail: kind === "unreachable" ? detail.join(" ") : "" }
}

const send =
  (agent: Agent, timeoutMillis: number) =>
  (request: HttpClientRequest.HttpClientRequest): Effect.Effect<Response, HttpClientError.RequestError> =>
    Effect.withFiberRuntime((fiber) => {
      const url = UrlParams.makeUrl(request.url, request.urlParams, request.hash)
      if (Either.isLeft(url)) {
        return new HttpClientError.RequestError({ request, reason: "InvalidUrl", cause: url.left })
      }
      const millis = Math.max(1, Math.min(timeoutMillis, Context.get(fiber.currentContext, CallTimeLeft)()))
      return Effect.async((resume) => {
        const body = new IncomingBody(
          millis,
          (fault) =>
            resume(new HttpClientError.RequestError({ request, reason: "Transport", description: described(fault) }))
        )
        agent.dispatch(optionsOf(request, url.right), {
          onRequestStart: (controller) => body.attach(controller),
          onResponseStart: (_, status, headers) => {
            if (status >= 200) resume(Effect.succeed(new Response(request, status, Headers.fromInput(headers), body)))
          },
          onResponseData: (_, chunk) => body.push(chunk),
          onResponseEnd: () => body.end("complete"),
          onResponseError: (_, cause) => body.end({ kind: "unreachable", detail: errorCode(cause) })
        })
        return Effect.sync(body.abort)
      })
    })

const optionsOf = ({ body, headers, method }: HttpClientRequest.HttpClientRequest, url: URL) =>
  ({
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers,
    body: body._tag === "Uint8Array" ? body.body : null,
    headersTimeout: 0,
    bodyTimeout: 0
  }) satisfies Dispatcher.DispatchOptions

class Response extends Inspectable.Class implements HttpClientResponse.HttpClientResponse {
  readonly [HttpClientResponse.TypeId]: HttpClientResponse.TypeId = HttpClientResponse.TypeId
  readonly [HttpIncomingMessage.TypeId]: HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly request: HttpClientRequest.HttpClientRequest
  readonly status: number
  readonly headers: Headers.Headers
  readonly remoteAddress = Option.none()
  readonly cookies = Cookies.empty
  private readonly body: IncomingBody

  constructor(
    request: HttpClientRequest.HttpClientRequest,
    status: number,
    headers: Headers.Headers,
    body: IncomingBody
  ) {
    super()
    this.request = request
    this.status = status
    this.headers = headers
    this.body = body
  }

  private readonly failed = (description: string): HttpClientError.ResponseError =>
    new HttpClientError.ResponseError({ request: this.request, response: this, reason: "Decode", description })

  private readonly faulty = (fault: Fault): HttpClientError.ResponseError => this.failed(described(fault))

  get text(): Effect.Effect<string, HttpClientError.ResponseError> {
    return this.body.text(this.faulty)
  }

  get json(): Effect.Effect<unknown, HttpClientError.ResponseError> {
    return Effect.flatMap(this.text, (text) => Effect.mapError(parse(text), () => this.failed("The body is not JSON")))
  }

  get stream(): Stream.Stream<Uint8Array, HttpClientError.ResponseError> {
    const isEvents = (this.headers["content-type"] ?? "").toLowerCase().includes("text/event-stream")
    const frames = isEvents
      ? eventFrames(this.body.read)
      : Stream.encodeText(Stream.fromEffect(Effect.map(this.body.text(identity), eventLine)))
    return Stream.mapError(frames, this.faulty).pipe(Stream.ensuring(Effect.sync(this.body.abort)))
  }

  private readonly unsupported = Effect.suspend(() => Effect.fail(this.failed("Providers send JSON or events")))
  readonly arrayBuffer = this.unsupported
  readonly urlParamsBody = this.unsupported
  readonly formData = this.unsupported

  toJSON(): unknown {
    return HttpIncomingMessage.inspect(this, { _id: "ModelHttpClient/Response", status: this.status })
  }
}

const parse = Schema.decodeUnknown(Schema.parseJson())
