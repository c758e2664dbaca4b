import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type { SuccessValue } from "@effect/rpc/RpcMiddleware"
import * as RpcSchema from "@effect/rpc/RpcSchema"
import { CurrentUser } from "@troupe/api/Authentication"
import { ProblemError, RequestId } from "@troupe/api/Problem"
import { RpcGate } from "@troupe/api/RpcGate"
import type { Caller } from "@troupe/domain/Caller"
import { Cause, Effect, Exit, Layer, Option, type Scope } from "effect"
import { Identity } from "../People/Identity.ts"
import { RateLimits } from "../Runtime/RateLimits.ts"
import { limitKey, makeRequestRate } from "./CallerRate.ts"
import { unlessUnavailable } from "./DatabaseDeadline.ts"
import type { HttpOptions } from "./HttpOptions.ts"
import { problemOf, unavailableFor } from "./ProblemResponse.ts"
import type { RpcCalls } from "./RpcCalls.ts"
import { Shutdown } from "./Shutdown.ts"
import { type StreamLimit, tooManyStreams } from "./StreamLimit.ts"

export const maxCalls = 64

/** How often the sign-in of a stream's reader is checked again. */
const recheckInterval = "1 minute"

type Failure = typeof RpcGate.failure.Type
type Call = Effect.Effect<SuccessValue, Failure>

const tooManyCalls = ProblemError.of(
  "rate-limited",
  `${maxCalls} calls are in progress on this connection: wait until some complete.`
)
const stopping = ProblemError.of("unavailable", "The service is shutting down. Watch again after the last event.")

/** Browsers can't set headers of a WebSocket, so a token may also be a subprotocol: `bearer.<token>`. */
export const authorizationOf = ({ headers }: HttpServerRequest.HttpServerRequest): string | undefined => {
  const protocols = headers["sec-websocket-protocol"]?.split(",").map((name) => name.trim()) ?? []
  const token = protocols.find((name) => name.startsWith("bearer."))?.slice("bearer.".length)
  return headers["authorization"] ?? (token === undefined ? undefined : `Bearer ${token}`)
}

/** The limits of `harden` for single calls: many of them share one connection. */
export const layer = (options: {
  readonly http: HttpOptions
  readonly calls: RpcCalls
  readonly streams: StreamLimit
  readonly callerOf: (request: HttpServerRequest.HttpServerRequest) => string
  readonly isDatabaseUnavailable: Effect.Effect<boolean>
}): Layer.Layer<RpcGate, never, Identity | RateLimits | Shutdown> =>
  Layer.effect(
    RpcGate,
    Effect.gen(function*() {
      const { authenticate } = yield* Identity
      const { begun } = yield* Shutdown
      const rates = yield* RateLimits
      const { calls, callerOf, http, isDatabaseUnavailable, streams } = options

      const unavailable: Exit.Exit<SuccessValue, Failure> = Exit.fail(unavailableFor("POST"))
      // The first call of a connection is counted as its request.
      const counted = (request: HttpServerRequest.HttpServerRequest) => (caller: Caller) =>
        calls.isFirst(request) ? Effect.void : makeRequestRate(rates).take(limitKey(caller, callerOf(request)))

      const withDeadline = (call: Call): Call =>
        Effect.flatten(unlessUnavailable(Effect.exit(call), isDatabaseUnavailable, Effect.succeed(unavailable)))

      const limited = (stream: Call, caller: Caller, request: HttpServerRequest.HttpServerRequest): Call =>
        Effect.scoped(Effect.suspend((): Effect.Effect<SuccessValue, Failure, Scope.Scope> => {
          const key = limitKey(caller, callerOf(request))
          if (streams.isReached(key)) {
            return ProblemError.of("too-many-streams", tooManyStreams(http.maxEventStreamsPerCaller))
          }
          const expired = authenticate(authorizationOf(request)).pipe(
            Effect.delay(recheckInterval),
            Effect.forever
          )
          return Effect.zipRight(
            streams.hold(key),
            Effect.raceFirst(stream, Effect.raceFirst(expired, Effect.zipRight(begun, stopping)))
          )
        }))

      /** What procedures declare passes; everything else is a problem that names the request. */
      const declared = (call: Call): Call =>
        Effect.catchAllCause(call, (cause): Call =>
          Cause.isInterruptedOnly(cause) ||
            Option.exists(Cause.failureOption(cause), (error) => !(error instanceof ProblemError))
            ? Effect.failCause(cause)
            : Effect.flatMap(
              Effect.zip(problemOf(cause, "POST"), RequestId),
              ([problem, id]) => new ProblemError(problem.body(id))
            ))

      return ({ next, rpc }) =>
        Effect.serviceOptional(HttpServerRequest.HttpServerRequest).pipe(
          Effect.orDie,
          Effect.flatMap((request) =>
            calls.count(request) >= maxCalls ? tooManyCalls : Effect.scoped(Effect.zipRight(
              calls.hold(request),
              Effect.flatMap(Effect.tap(authenticate(authorizationOf(request)), counted(request)), (caller) => {
                const call = Effect.provideService(next, CurrentUser, caller)
                return RpcSchema.isStreamSchema(rpc.successSchema) ? limited(call, caller, request) : withDeadline(call)
              })
            ))
          ),
          declared
        )
    })
  )
