import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type { SuccessValue } from "@effect/rpc/RpcMiddleware"
import * as RpcSchema from "@effect/rpc/RpcSchema"
import { CurrentUser } from "@troupe/api/Authentication"
import { ProblemError, RequestId } from "@troupe/api/Problem"
import { RpcGate } from "@troupe/api/TroupeRpcs"
import type { Caller } from "@troupe/domain/Caller"
import { Cause, Effect, Exit, Layer, Option, type Scope } from "effect"
import type { IncomingMessage } from "node:http"
import { Identity, signedOut } from "../People/SignIn/Identity.ts"
import { RateLimits } from "../Runtime/RateLimits.ts"
import { limitKey, makeRequestRate } from "./Callers.ts"
import { unlessUnavailable } from "./DatabaseDeadline.ts"
import type { StreamLimit } from "./EventStreams.ts"
import { Shutdown } from "./NodeServer.ts"
import { problemOf, unavailableFor } from "./ProblemResponse.ts"

type Failure = typeof RpcGate.failure.Type
type Call = Effect.Effect<SuccessValue, Failure>

const stopping = ProblemError.of("unavailable", "The service is shutting down. Watch again after the last event.")

/** The limits of `harden` for single calls: a request may have several. */
export const layer = (options: {
  readonly streams: StreamLimit
  readonly addressOf: (request: HttpServerRequest.HttpServerRequest) => string
  readonly isDatabaseUnavailable: Effect.Effect<boolean>
}): Layer.Layer<RpcGate, never, Identity | RateLimits | Shutdown> =>
  Layer.effect(
    RpcGate,
    Effect.gen(function*() {
      const identity = yield* Identity
      const { begun } = yield* Shutdown
      const rates = yield* RateLimits
      const { addressOf, isDatabaseUnavailable, streams } = options

      const unavailable: Exit.Exit<SuccessValue, Failure> = Exit.fail(unavailableFor("POST"))
      const requests = new WeakSet<IncomingMessage>()
      // The first call is counted as its request.
      const counted = (request: HttpServerRequest.HttpServerRequest) => (caller: Caller) => {
        const incoming = NodeHttpServerRequest.toIncomingMessage(request)
        if (requests.has(incoming)) return makeRequestRate(rates).take(limitKey(caller, addressOf(request)))
        requests.add(incoming)
        return Effect.void
      }

      const withDeadline = (call: Call): Call =>
        Effect.flatten(unlessUnavailable(Effect.exit(call), isDatabaseUnavailable, Effect.succeed(unavailable)))

      const limited = (stream: Call, caller: Caller, request: HttpServerRequest.HttpServerRequest): Call =>
        Effect.scoped(Effect.suspend((): Effect.Effect<SuccessValue, Failure, Scope.Scope> => {
          const ended = Effect.raceFirst(
            signedOut(identity, caller, request),
            Effect.zipRight(begun, stopping)
          )
          return Effect.zipRight(streams.hold(limitKey(caller, addressOf(request))), Effect.raceFirst(stream, ended))
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
            Effect.flatMap(Effect.tap(identity.authenticate(request), counted(request)), (caller) => {
              const call = Effect.provideService(next, CurrentUser, caller)
              return RpcSchema.isStreamSchema(rpc.successSchema)
                ? limited(call, caller, request)
                : withDeadline(call)
            })
          ),
          declared
        )
    })
  )
