import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect, type Scope } from "effect"
import type { IncomingMessage } from "node:http"

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
