import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as Rpc from "@effect/rpc/Rpc"
import type * as RpcGroup from "@effect/rpc/RpcGroup"
import * as RpcSerialization from "@effect/rpc/RpcSerialization"
import * as RpcServer from "@effect/rpc/RpcServer"
import { Authentication } from "@troupe/api/Authentication"
import { ProblemError } from "@troupe/api/Problem"
import { type RpcGate, rpcPath, TroupeRpcs } from "@troupe/api/TroupeRpcs"
import { Context, Effect, Layer, Schema } from "effect"
import { Identity } from "../People/Identity.ts"
import { jsonLines } from "./Body.ts"
import { countCall } from "./Callers.ts"
import { checkCount, checkPayloads, readMessages } from "./RpcMessages.ts"

/** A caller that takes nothing of its answers for so long is disconnected, because they collect in memory. */
export class PostLimits extends Context.Reference<PostLimits>()("troupe/Http/RpcHttp/PostLimits", {
  defaultValue: () => ({ stallMillis: 60_000 })
}) {}

/** A refusal as the endpoints encode it. */
const refusalOf = Schema.encode(Authentication.failure)

/** Remote procedures over POST with JSON lines, refused before anything is read. */
export const layer: Layer.Layer<never, never, Identity | RpcGate | Rpc.ToHandler<RpcGroup.Rpcs<typeof TroupeRpcs>>> =
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function*() {
      const { authenticate } = yield* Identity
      const { stallMillis } = yield* PostLimits
      const posted = yield* RpcServer.toHttpApp(TroupeRpcs, { disableTracing: true })

      const signedIn = (request: HttpServerRequest.HttpServerRequest) =>
        Effect.catchAll(Effect.tap(authenticate(request), countCall), (error) =>
          Effect.flatMap(Effect.orDie(refusalOf(error)), (problem) => new ProblemError(problem)))

      yield* router.post(
        rpcPath,
        Effect.gen(function*() {
          const request = yield* HttpServerRequest.HttpServerRequest
          yield* signedIn(request)
          const text = yield* jsonLines(request)
          const messages = yield* readMessages(text)
          yield* checkCount(messages)
          yield* checkPayloads(messages)
          const lines = messages.map((message) =>
            `${JSON.stringify(message)}\n`
          ).join("")
          const read = Object.create(request, { text: { value: Effect.succeed(lines) } })
          const answer = yield* Effect.provideService(posted, HttpServerRequest.HttpServerRequest, read)
          // Heartbeats are written every 15 s to a caller that reads.
          const response = NodeHttpServerRequest.toServerResponse(request)
          response.setTimeout(stallMillis, () => response.destroy())
          return answer
        })
      )
    })
  ).pipe(Layer.provide(RpcSerialization.layerNdjson))
