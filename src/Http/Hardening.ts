import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as HttpTraceContext from "@effect/platform/HttpTraceContext"
import { ProblemError, type ProblemKind, RequestId } from "@troupe/api/Problem"
import { rpcPath } from "@troupe/api/TroupeRpcs"
import { Cause, Context, Effect, Option, Tracer } from "effect"
import { randomUUID } from "node:crypto"
import { CallerStream } from "../Runtime/CallerStream.ts"
import { IncomingRequest } from "../Runtime/IncomingRequest.ts"
import { stopwatch } from "../Runtime/Metrics.ts"
import { RateLimits } from "../Runtime/RateLimits.ts"
import { guarded, rawBody } from "./Body.ts"
import { requestCaller } from "./CallerAddress.ts"
import { CallerRate, makeRequestRate } from "./CallerRate.ts"
import { corsHeaders, preflight } from "./Cors.ts"
import { unlessUnavailable } from "./DatabaseDeadline.ts"
import { makeEventStreams } from "./EventStreams.ts"
import { answered } from "./HttpMetrics.ts"
import type { HttpOptions } from "./HttpOptions.ts"
import { originPolicy } from "./Origin.ts"
import { answerCause, answerUnavailable, problemResponse } from "./ProblemResponse.ts"
import { urlFault } from "./RequestUrl.ts"
import type { Routes } from "./Routes.ts"
import { RouteTemplate } from "./RouteTemplate.ts"
import { authorizationOf } from "./RpcGateLayer.ts"
import { Shutdown } from "./Shutdown.ts"
import { makeStreamLimit, tooManyStreams } from "./StreamLimit.ts"
import { discardRest } from "./UnreadBody.ts"
import { offersWebSocket } from "./Upgrades.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

const saneId = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/

const requestId = (request: Request) => {
  const given = request.headers["x-request-id"]
  return given !== undefined && saneId.test(given) ? given : randomUUID()
}

const isWebSocketPath = ({ method, url }: Request) => method === "GET" && url.split("?")[0] === rpcPath

/** Checks every request before its endpoint; every response is the endpoint's or a problem, with a request id. */
export const harden = Effect.fnUntraced(function*<R>(
  app: HttpApp.Default<never, R>,
  routes: Routes,
  options: HttpOptions,
  isDatabaseUnavailable: Effect.Effect<boolean> = Effect.succeed(false),
  streamLimit = makeStreamLimit(options.maxEventStreamsPerCaller)
) {
  const shutdown = yield* Shutdown
  const limits = yield* RateLimits
  const origins = originPolicy(options)
  const callerOf = requestCaller(options.trustedProxies)
  const streams = yield* makeEventStreams({ limit: streamLimit, shutdown })

  const refuse = (kind: ProblemKind, detail: string, id: string, headers?: Readonly<Record<string, string>>) =>
    problemResponse(ProblemError.of(kind, detail), id, headers)

  const refused = (request: Request, id: string): Response | null => {
    const reason = origins.refusal(request)
    if (reason !== null) return refuse("forbidden", reason, id)
    if (offersWebSocket(NodeHttpServerRequest.toIncomingMessage(request)) && !isWebSocketPath(request)) {
      return refuse("invalid-request", `Only GET ${rpcPath} opens a WebSocket. Send the request without Upgrade.`, id)
    }
    const fault = urlFault(request.url)
    return fault === null ? null : problemResponse(ProblemError.invalid([{ path: "url", message: fault }]), id)
  }

  const holdStream = (request: Request) =>
    Effect.suspend(() => {
      const caller = callerOf(request)
      return streamLimit.isReached(caller)
        ? Effect.die(ProblemError.of("too-many-streams", tooManyStreams(options.maxEventStreamsPerCaller)))
        : streamLimit.hold(caller)
    })

  const unrouted = (request: Request, id: string): Response => {
    const methods = routes.allowed(request.url)
    if (methods.length === 0) return refuse("not-found", "There is nothing at this path.", id)
    const allow = methods.join(", ")
    return request.method === "OPTIONS"
      ? HttpServerResponse.empty({ status: 204, headers: { allow } })
      : refuse("method-not-allowed", `This path allows ${allow}.`, id, { allow })
  }

  const answer = (
    request: Request,
    id: string,
    template: RouteTemplate,
    rate: ReturnType<typeof makeRequestRate>
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
          : answerCause(cause, request.method, Effect.sync(() => unrouted(request, id))))
    // A token's user is counted by authentication. All else counts for its address: before the endpoint without a token
    // or without authentication, else after the endpoint has not accepted the token.
    const ofAddress = Effect.suspend(() =>
      rate.key() !== null || routes.isUncounted(request.method, request.url)
        ? Effect.void
        : rate.take(`address ${callerOf(request)}`)
    )
    const authenticates = options.deploymentMode === "hosted" && authorizationOf(request) !== undefined
      && routes.authenticates(request.method, request.url)
    const limited = authenticates
      ? orProblem(Effect.zipLeft(orProblem(app), ofAddress))
      : orProblem(Effect.zipRight(ofAddress, app))
    return unlessUnavailable(limited, isDatabaseUnavailable, answerUnavailable(request.method)).pipe(
      Effect.mapInputContext((context: Context.Context<HttpServerRequest.HttpServerRequest | R>) =>
        context.pipe(
          Context.add(HttpServerRequest.HttpServerRequest, guarded(request, options.maxUploadBytes)),
          Context.add(RequestId, id),
          Context.add(CallerRate, rate),
          Context.add(IncomingRequest, { address: callerOf(request), body: (maxBytes) => rawBody(request, maxBytes) }),
          Context.add(CallerStream, { hold: holdStream(request) }),
          Context.add(Tracer.ParentSpan, template)
        )
      ),
      Effect.annotateLogs("request_id", id)
    )
  }

  const finish = (
    request: Request,
    id: string,
    response: Response,
    rate: ReturnType<typeof makeRequestRate>
  ): Response => {
    const { origin } = request.headers
    const connection = () => NodeHttpServerRequest.toServerResponse(request)
    const opened = streams.open(response, () => rate.key() ?? `address ${callerOf(request)}`, connection)
      ?? refuse("too-many-streams", tooManyStreams(options.maxEventStreamsPerCaller), id, { "retry-after": "10" })
    return HttpServerResponse.setHeaders(opened, {
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      ...(response.status === 401 ? { "www-authenticate": "Bearer" } : {}),
      ...(response.status === 408 ? { connection: "close" } : {}),
      ...(response.status === 429 || response.status === 503 ? { "retry-after": "2" } : {}),
      ...(origin !== undefined && origins.isShared(origin)
        ? corsHeaders(origin)
        : { "cross-origin-resource-policy": "same-origin" }),
      ...rate.headers(),
      ...opened.headers,
      "x-request-id": id
    })
  }

  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const id = requestId(request)
    const elapsed = stopwatch()
    const template = new RouteTemplate()
    const rate = makeRequestRate(limits)
    return Effect.useSpan(
      request.method,
      spanOf(request, id),
      (span) =>
        Effect.flatMap(answer(request, id, template, rate), (response) => {
          const finished = finish(request, id, response, rate)
          const { status } = finished
          answered(request.method, template.route, status, elapsed())
          span.attribute("http.response.status_code", status)
          if (template.route !== null) span.attribute("http.route", template.route)
          if (status >= 500) span.attribute("error.type", String(status))
          return response.status === 408 ? Effect.succeed(finished) : Effect.as(discardRest(request), finished)
        })
    )
  })
})

/** The span has no address, which may contain a search text, and no headers. */
const spanOf = ({ headers, method }: Request, id: string): Tracer.SpanOptions => ({
  kind: "server",
  root: true,
  attributes: { "http.request.method": method, request_id: id },
  captureStackTrace: false,
  ...(headers["traceparent"] === undefined ? {} : Option.match(HttpTraceContext.w3c(headers), {
    onNone: () => ({}),
    onSome: (parent) => ({ parent })
  }))
})
