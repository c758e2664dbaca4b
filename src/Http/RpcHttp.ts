import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type * as Rpc from "@effect/rpc/Rpc"
import type * as RpcGroup from "@effect/rpc/RpcGroup"
import * as RpcSerialization from "@effect/rpc/RpcSerialization"
import * as RpcServer from "@effect/rpc/RpcServer"
import { Authentication } from "@troupe/api/Authentication"
import { ProblemError } from "@troupe/api/Problem"
import { type RpcGate, rpcPath, TroupeRpcs } from "@troupe/api/TroupeRpcs"
import { Context, Deferred, Effect, FiberSet, Layer, Schedule, Schema } from "effect"
import { Identity } from "../People/Identity.ts"
import { makeConcurrencyLimit } from "../Runtime/ConcurrencyLimit.ts"
import { jsonLines } from "./Body.ts"
import { countCall, limitKey } from "./Callers.ts"
import type { HttpOptions } from "./HttpOptions.ts"
import { Shutdown } from "./NodeServer.ts"
import type { makeRpcCalls } from "./RpcGateLayer.ts"
import { checkCount, checkedLines, checkPayloads, readMessages } from "./RpcMessages.ts"
import { makeWebSockets } from "./WebSockets.ts"

type Request = HttpServerRequest.HttpServerRequest

/** How long calls may take once the server stops; then their connections are closed. */
const grace = "3 seconds"

/** A caller of POST that takes nothing of its answers for so long is disconnected, because they collect in memory. */
export class PostLimits extends Context.Reference<PostLimits>()("troupe/Http/RpcHttp/PostLimits", {
  defaultValue: () => ({ stallMillis: 60_000 })
}) {}

/** The request with one of its readers replaced. */
const replaced = (request: Request, reader: PropertyDescriptorMap): Request => Object.create(request, reader)

/** A refusal as the endpoints encode it. */
const refusalOf = Schema.encode(Authentication.failure)

/** Remote procedures over POST with JSON lines, and over a WebSocket. Both are refused before anything is read. */
export const layer = ({ addressOf, calls, http }: {
  readonly http: HttpOptions
  readonly calls: ReturnType<typeof makeRpcCalls>
  readonly addressOf: (request: Request) => string
}): Layer.Layer<never, never, Identity | RpcGate | Shutdown | Rpc.ToHandler<RpcGroup.Rpcs<typeof TroupeRpcs>>> =>
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function*() {
      const { authenticate } = yield* Identity
      const { begun } = yield* Shutdown
      const accept = yield* makeWebSockets
      const { stallMillis } = yield* PostLimits
      const connections = makeConcurrencyLimit<string>(
        http.maxEventStreamsPerCaller,
        ProblemError.of("too-many-streams", "The caller has too many open WebSockets. Close one.")
      )
      const running = yield* FiberSet.make()
      const posted = yield* RpcServer.toHttpApp(TroupeRpcs, { disableTracing: true })
      const connected = yield* RpcServer.toHttpAppWebsocket(TroupeRpcs, { disableTracing: true })

      const signedIn = (request: Request) =>
        Effect.catchAll(Effect.tap(authenticate(request), countCall), (error) =>
          Effect.flatMap(Effect.orDie(refusalOf(error)), (problem) => new ProblemError(problem)))

      const post = Effect.gen(function*() {
        const request = yield* HttpServerRequest.HttpServerRequest
        yield* signedIn(request)
        const text = yield* jsonLines(request)
        const messages = yield* readMessages(text)
        yield* checkCount(messages)
        yield* checkPayloads(messages)
        const read = replaced(request, { text: { value: Effect.succeed(text) } })
        const answer = yield* Effect.provideService(posted, HttpServerRequest.HttpServerRequest, read)
        // Heartbeats are written every 15 s to a caller that reads.
        const response = NodeHttpServerRequest.toServerResponse(request)
        response.setTimeout(stallMillis, () =>
          response.destroy())
        return answer
      })

      const serve = (request: Request, key: string, opened: Deferred.Deferred<void, ProblemError>) =>
        Effect.scoped(Effect.gen(function*() {
          yield* connections.hold(key)
          const { close, socket } = yield* accept(request)
          yield* Deferred.succeed(opened, undefined)
          yield* begun.pipe(
            Effect.zipRight(
              Effect.sync(() => calls.count(NodeHttpServerRequest.toIncomingMessage(request))).pipe(
                Effect.repeat({ until: (count) => count === 0, schedule: Schedule.spaced("20 millis") }),
                Effect.timeoutOption(grace)
              )
            ),
            Effect.zipRight(Effect.sync(() => close(1012, "The service is shutting down. Connect again."))),
            Effect.forkScoped
          )
          const upgraded = replaced(request, { upgrade: { value: Effect.succeed(socket) } })
          return yield* Effect.provideService(connected, HttpServerRequest.HttpServerRequest, upgraded)
        })).pipe(
          Effect.asVoid,
          Effect.catchAllCause((cause) => Deferred.failCause(opened, cause))
        )

      // The request ends with the handshake, so that it is measured as such.
      const connect = Effect.gen(function*() {
        const request = yield* HttpServerRequest.HttpServerRequest
        const caller = yield* signedIn(request)
        const opened = yield* Deferred.make<void, ProblemError>()
        yield* FiberSet.run(running, serve(request, limitKey(caller, addressOf(request)), opened))
        yield* Deferred.await(opened)
        return HttpServerResponse.empty({ status: 101 })
      })

      yield* router.post(rpcPath, post)
      yield* router.get(rpcPath, connect)
    })
  ).pipe(Layer.provide(Layer.succeed(RpcSerialization.RpcSerialization, checkedLines)))
