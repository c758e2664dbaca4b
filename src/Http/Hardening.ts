import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { ProblemError, type ProblemKind, RequestId } from "@troupe/api/Problem"
import { Cause, Context, Effect, Option } from "effect"
import { randomUUID } from "node:crypto"
import { sessionCookie } from "../People/SignIn/Credentials.ts"
import { IncomingRequest } from "../Runtime/IncomingRequest.ts"
import { basePathOf } from "../Runtime/NetworkAddress.ts"
import { RateLimits } from "../Runtime/RateLimits.ts"
import { makeBasePath } from "./BasePath.ts"
import { discardRest, guarded, rawBody } from "./Body.ts"
import { CallerRate, makeRequestRate, requestAddress } from "./Callers.ts"
import { unlessUnavailable } from "./DatabaseDeadline.ts"
import { makeEventStreams, type StreamLimit } from "./EventStreams.ts"
import type { HttpOptions } from "./HttpOptions.ts"
import { Shutdown } from "./NodeServer.ts"
import { corsHeaders, originPolicy, preflight, requestLineFault } from "./Origin.ts"
import { invalid, nothingHere, problemResponse, responseToCause, unavailableResponse } from "./ProblemResponse.ts"
import { measured } from "./RequestTelemetry.ts"
import { type Routes, urlFault } from "./Routes.ts"
import { securityHeaders } from "./SecurityHeaders.ts"

type Request = HttpServerRequest.HttpServerRequest

type Response = HttpServerResponse.HttpServerResponse

type RequestRate = ReturnType<typeof makeRequestRate>

const validId = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/

const requestId = (request: Request) => {
  const given = request.headers["x-request-id"]
  return given !== undefined && validId.test(given) ? given : randomUUID()
}

/** Checks every request before its endpoint; every response is the endpoint's or a problem, with a request id. */
export const harden = Effect.fnUntraced(function*<R>(
  app: HttpApp.Default<never, R>,
  { isDatabaseUnavailable, options, routes, streamLimit }: {
    readonly routes: Routes
    readonly options: HttpOptions
    readonly isDatabaseUnavailable: Effect.Effect<boolean>
    readonly streamLimit: StreamLimit
  }
) {
  const shutdown = yield* Shutdown
  const limits = yield* RateLimits
  const origins = originPolicy(options)
  const security = securityHeaders(options)
  const basePath = makeBasePath(basePathOf(options.publicUrl), routes)
  const cookie = sessionCookie(options.publicUrl)
  const addressOf = requestAddress(options.trustedProxies)
  const streams = yield* makeEventStreams({ limit: streamLimit, shutdown })
  const callerOf = (request: Request, rate: RequestRate) => rate.key() ?? `address ${addressOf(request)}`

  const refuse = (kind: ProblemKind, detail: string, id: string, headers?: Readonly<Record<string, string>>) =>
    problemResponse(ProblemError.of(kind, detail), id, headers)

  const refused = (request: Request, id: string): Response | null => {
    const ambiguity = requestLineFault(NodeHttpServerRequest.toIncomingMessage(request), origins.isOurs)
    if (ambiguity !== null) return problemResponse(invalid(ambiguity, "url"), id)
    const reason = origins.refusal(request)
    if (reason !== null) return refuse("forbidden", reason, id)
    const fault = urlFault(request.url)
    return fault === null ? null : problemResponse(invalid(fault, "url"), id)
  }

  const unrouted = (request: Request, id: string): Response => {
    const methods = routes.allowed(request.url)
    if (methods.length === 0) return problemResponse(nothingHere, id)
    const allow = methods.join(", ")
    return request.method === "OPTIONS"
      ? HttpServerResponse.empty({ status: 204, headers: { allow } })
      : refuse("method-not-allowed", `This path allows ${allow}.`, id, { allow })
  }

  const respond = (
    request: Request,
    id: string,
    rate: RequestRate
  ): HttpApp.Default<never, R> => {
    const refusal = refused(request, id)
    if (refusal !== null) return Effect.succeed(refusal)
    const { origin } = request.headers
    if (
      request.method === "OPTIONS" && origin !== undefined && origins.isShared(origin)
      && request.headers["access-control-request-method"] !== undefined
    ) {
      return Effect.succeed(preflight(origin))
    }
    const orProblem = <E, R>(app: HttpApp.Default<E, R>): HttpApp.Default<never, R> =>
      Effect.catchAllCause(app, (cause) =>
        Cause.isInterruptedOnly(cause)
          ? Effect.interrupt
          : responseToCause(cause, request.method, Effect.sync(() => unrouted(request, id))))
    // The user of a token or session is counted by authentication. All else counts for its address: before the endpoint
    // without these or without authentication, else after the endpoint has not accepted them.
    const ofAddress = Effect.suspend(() =>
      rate.key() !== null || routes.isUncounted(request.method, request.url)
        ? Effect.void
        : rate.take(`address ${addressOf(request)}`)
    )
    const authenticates = options.deploymentMode === "hosted"
      && (request.headers["authorization"] !== undefined || Option.isSome(cookie.valueOf(request)))
      && routes.authenticates(request.method, request.url)
    const limited = authenticates
      ? orProblem(Effect.zipLeft(orProblem(app), ofAddress))
      : orProblem(Effect.zipRight(ofAddress, app))
    const unavailable = Effect.suspend(() => unavailableResponse(request.method))
    return unlessUnavailable(limited, isDatabaseUnavailable, unavailable).pipe(
      Effect.mapInputContext((context: Context.Context<HttpServerRequest.HttpServerRequest | R>) =>
        context.pipe(
          Context.add(HttpServerRequest.HttpServerRequest, guarded(request, options.maxUploadBytes)),
          Context.add(RequestId, id),
          Context.add(CallerRate, rate),
          Context.add(IncomingRequest, {
            address: addressOf(request),
            body: (maxBytes) => rawBody(request, maxBytes),
            count: Effect.suspend(() => rate.key() === null ? rate.take(`address ${addressOf(request)}`) : Effect.void),
            holdStream: Effect.suspend(() => Effect.orDie(streamLimit.hold(callerOf(request, rate))))
          })
        )
      ),
      Effect.annotateLogs("request_id", id)
    )
  }

  const opened = (request: Request, id: string, response: Response, rate: RequestRate): Response =>
    streams.open(response, callerOf(request, rate), NodeHttpServerRequest.toServerResponse(request))
      ?? problemResponse(streamLimit.problem, id, { "retry-after": "10" })

  const finish = (request: Request, id: string, endpoint: Response, rate: RequestRate): Response => {
    const { origin } = request.headers
    const response = endpoint.body._tag === "Stream" ? opened(request, id, endpoint, rate) : endpoint
    return HttpServerResponse.setHeaders(response, {
      "cache-control": "no-store",
      ...security,
      ...(response.status === 401 ? { "www-authenticate": "Bearer" } : {}),
      ...(response.status === 408 ? { connection: "close" } : {}),
      ...(response.status === 429 || response.status === 503 ? { "retry-after": "2" } : {}),
      ...(origin !== undefined && origins.isShared(origin)
        ? corsHeaders(origin)
        : { "cross-origin-resource-policy": "same-origin" }),
      ...rate.headers(),
      ...basePath.outside(response.headers),
      "x-request-id": id
    })
  }

  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (given) => {
    const request = basePath.within(given)
    const id = requestId(request)
    const rate = makeRequestRate(limits)
    const finished = measured(
      request,
      id,
      Effect.map(respond(request, id, rate), (response) => finish(request, id, response, rate))
    )
    return Effect.flatMap(
      finished,
      (response) => response.status === 408 ? Effect.succeed(response) : Effect.as(discardRest(request), response)
    )
  })
})
