import { type HttpApp, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { ProblemError, type ProblemKind, RequestId } from "@troupe/api/Problem"
import { Cause, Context, Effect, Option, Tracer } from "effect"
import { randomUUID } from "node:crypto"
import { stopwatch } from "../Runtime/Metrics.ts"
import { Settings } from "../Runtime/Settings.ts"
import { type SpanOf, Tracing } from "../Runtime/Tracing.ts"
import { addressFault } from "./Address.ts"
import { answerAway, answerCause, problemResponse } from "./Answer.ts"
import { guarded } from "./Body.ts"
import { callerAddress } from "./Caller.ts"
import { corsHeaders, preflight } from "./Cors.ts"
import { unlessAway } from "./DatabaseDeadline.ts"
import { discardRest } from "./Discarding.ts"
import { makeEventStreams } from "./Events.ts"
import { answered } from "./HttpMetrics.ts"
import { originPolicy } from "./Origin.ts"
import { makeRateLimit } from "./RateLimit.ts"
import { RouteNote } from "./RouteNote.ts"
import type { Routes } from "./Routes.ts"
import { Shutdown } from "./Shutdown.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

const saneId = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/

const requestId = (request: Request) => {
  const given = request.headers["x-request-id"]
  return given !== undefined && saneId.test(given) ? given : randomUUID()
}

/**
 * What stands between the network and every endpoint: who may call, how often and with what, and that each answer
 * is either the endpoint's or a problem, under a request id. Paths are compared by the router alone.
 */
export const harden = Effect.fnUntraced(function*<R>(
  app: HttpApp.Default<never, R>,
  routes: Routes,
  isDatabaseAway: Effect.Effect<boolean> = Effect.succeed(false)
) {
  const settings = yield* Settings
  const shutdown = yield* Shutdown
  const tracing = yield* Tracing
  const clock = yield* Effect.clock
  const origins = originPolicy(settings)
  const addressOf = callerAddress(settings.http.trustedProxies)
  const streams = yield* makeEventStreams({ maxPerCaller: settings.http.maxEventStreamsPerCaller, shutdown })
  const limit = Option.map(settings.http.rateLimitPerMinute, (perMinute) => makeRateLimit(perMinute))

  const refuse = (kind: ProblemKind, detail: string, id: string, headers?: Readonly<Record<string, string>>) =>
    problemResponse(ProblemError.of(kind, detail), id, headers)

  const callerOf = (request: Request): string =>
    addressOf(Option.getOrElse(request.remoteAddress, () => ""), request.headers["x-forwarded-for"])

  const refused = (request: Request, id: string): Response | null => {
    const { host, origin } = request.headers
    const reason = origins.refusal(host, origin)
    if (reason !== null) return refuse("forbidden", reason, id)
    const fault = addressFault(request.url)
    if (fault !== null) return problemResponse(ProblemError.invalid([{ path: "url", message: fault }]), id)
    if (limit._tag === "None") return null
    const wait = limit.value.take(callerOf(request), clock.unsafeCurrentTimeMillis())
    return wait === 0
      ? null
      : refuse("rate-limited", `Try again in ${wait} seconds.`, id, { "retry-after": String(wait) })
  }

  const unrouted = (request: Request, id: string): Response => {
    const methods = routes.allowed(request.url)
    if (methods.length === 0) return refuse("not-found", "There is nothing at this path.", id)
    const allow = methods.join(", ")
    return request.method === "OPTIONS"
      ? HttpServerResponse.empty({ status: 204, headers: { allow } })
      : refuse("method-not-allowed", `This path takes ${allow}.`, id, { allow })
  }

  const answer = (request: Request, id: string, note: RouteNote): HttpApp.Default<never, R> => {
    const refusal = refused(request, id)
    if (refusal !== null) return Effect.succeed(refusal)
    const { origin } = request.headers
    if (
      request.method === "OPTIONS" && origin !== undefined && origins.isShared(origin)
      && request.headers["access-control-request-method"] !== undefined
    ) {
      return Effect.succeed(preflight(origin))
    }
    const handled = Effect.catchAllCause(app, (cause) =>
      Cause.isInterruptedOnly(cause)
        ? Effect.failCause(cause)
        : answerCause(cause, request.method, Effect.sync(() => unrouted(request, id))))
    return unlessAway(handled, isDatabaseAway, answerAway(request.method)).pipe(
      Effect.mapInputContext((context: Context.Context<HttpServerRequest.HttpServerRequest | R>) =>
        context.pipe(
          Context.add(HttpServerRequest.HttpServerRequest, guarded(request)),
          Context.add(RequestId, id),
          Context.add(Tracer.ParentSpan, note)
        )
      ),
      Effect.annotateLogs("request_id", id)
    )
  }

  const finish = (request: Request, id: string, response: Response): Response => {
    const { origin } = request.headers
    const opened = streams.open(response, () => callerOf(request))
      ?? refuse("too-many-streams", tooManyStreams(settings.http.maxEventStreamsPerCaller), id, { "retry-after": "10" })
    return HttpServerResponse.setHeaders(opened, {
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      ...(response.status === 401 ? { "www-authenticate": "Bearer" } : {}),
      ...(response.status === 408 ? { connection: "close" } : {}),
      ...(response.status === 503 ? { "retry-after": "2" } : {}),
      ...(origin !== undefined && origins.isShared(origin) ? corsHeaders(origin) : {}),
      ...opened.headers,
      "x-request-id": id
    })
  }

  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const id = requestId(request)
    const elapsed = stopwatch()
    const note = new RouteNote()
    const handled = Effect.flatMap(answer(request, id, note), (response) => {
      const finished = finish(request, id, response)
      answered(request.method, note.route, finished.status, elapsed())
      // Who sent too slowly is not waited for again.
      return response.status === 408 ? Effect.succeed(finished) : Effect.as(discardRest(request), finished)
    })
    return tracing.isOn ? tracing.traced(spanOf(request, id, note), handled) : handled
  })
})

const tooManyStreams = (limit: number): string =>
  `The caller has ${limit} open event streams. Close one, or raise MAX_EVENT_STREAMS_PER_CALLER.`

/** Neither the address, which may hold what is searched for, nor the headers are told. */
const spanOf = ({ headers, method }: Request, id: string, note: RouteNote): SpanOf<Response> => ({
  name: method,
  facts: { "http.request.method": method, request_id: id },
  headers,
  ended: ({ status }) => ({
    name: `${method} ${note.route ?? ""}`.trim(),
    facts: { "http.response.status_code": status, ...(note.route === null ? {} : { "http.route": note.route }) },
    isError: status >= 500
  })
})
