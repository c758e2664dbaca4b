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
import { Identity } from "../People/Identity.ts"
import { RateLimits } from "../Runtime/RateLimits.ts"
import { authorizationOf, limitKey, makeRequestRate } from "./Callers.ts"
import { unlessUnavailable } from "./DatabaseDeadline.ts"
import type { StreamLimit } from "./EventStreams.ts"
import { Shutdown } from "./NodeServer.ts"
import { problemOf, unavailableFor } from "./ProblemResponse.ts"

const maxCalls = 64

/** How often the sign-in of a stream's reader is checked again. */
const recheckInterval = "1 minute"

type Failure = typeof RpcGate.failure.Type
type Call = Effect.Effect<SuccessValue, Failure>

const tooManyCalls = ProblemError.of(
  "rate-limited",
  `${maxCalls} calls are in progress on this connection: wait until some complete.`
)
const stopping = ProblemError.of("unavailable", "The service is shutting down. Watch again after the last event.")

/** The calls in progress on each connection. */
export interface RpcCalls {
  /** True once for each connection. */
  readonly isFirst: (request: HttpServerRequest.HttpServerRequest) => boolean
  readonly count: (request: HttpServerRequest.HttpServerRequest) => number
  /** Counts a call until the scope closes. */
  readonly hold: (request: HttpServerRequest.HttpServerRequest) => Effect.Effect<void, never, Scope.Scope>
}

export const makeRpcCalls = (): RpcCalls => {
  const calls = new WeakMap<IncomingMessage, number>()
  const used = new WeakSet<IncomingMessage>()
  const add = (source: IncomingMessage, added: number) =>
    Effect.sync(() => void calls.set(source, (calls.get(source) ?? 0) + added))
  return {
    isFirst: (request) => {
      const source = NodeHttpServerRequest.toIncomingMessage(request)
      const isFirst = !used.has(source)
      used.add(source)
      return isFirst
    },
    count: (request) => calls.get(NodeHttpServerRequest.toIncomingMessage(request)) ?? 0,
    hold: (request) => {
      const source = NodeHttpServerRequest.toIncomingMessage(request)
      return Effect.acquireRelease(add(source, 1), () => add(source, -1))
    }
  }
}

/** The limits of `harden` for single calls: many of them share one connection. */
export const layer = (options: {
  readonly calls: RpcCalls
  readonly streams: StreamLimit
  readonly addressOf: (request: HttpServerRequest.HttpServerRequest) => string
  readonly isDatabaseUnavailable: Effect.Effect<boolean>
}): Layer.Layer<RpcGate, never, Identity | RateLimits | Shutdown> =>
  Layer.effect(
    RpcGate,
    Effect.gen(function*() {
      const { authenticate } = yield* Identity
      const { begun } = yield* Shutdown
      const rates = yield* RateLimits
      const { addressOf, calls, isDatabaseUnavailable, streams } = options

      const unavailable: Exit.Exit<SuccessValue, Failure> = Exit.fail(unavailableFor("POST"))
      // The first call of a connection is counted as its request.
      const counted = (request: HttpServerRequest.HttpServerRequest) => (caller: Caller) =>
        calls.isFirst(request) ? Effect.void : makeRequestRate(rates).take(limitKey(caller, addressOf(request)))

      const withDeadline = (call: Call): Call =>
        Effect.flatten(unlessUnavailable(Effect.exit(call), isDatabaseUnavailable, Effect.succeed(unavailable)))

      const limited = (stream: Call, caller: Caller, request: HttpServerRequest.HttpServerRequest): Call =>
        Effect.scoped(Effect.suspend((): Effect.Effect<SuccessValue, Failure, Scope.Scope> => {
          const key = limitKey(caller, addressOf(request))
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
