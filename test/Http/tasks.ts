import { FetchHttpClient } from "@effect/platform"
import * as TroupeClient from "@troupe/client/TroupeClient"
import { TroupeRpc } from "@troupe/client/TroupeRpc"
import { Context, Effect, Layer } from "effect"
import { object } from "./calls.ts"
import { Service } from "./service.ts"

export const submitted = (message = "Say hello") =>
  Effect.map(object("POST", "/chat", 202, { message }), ({ task_id }) => String(task_id))

export const change = (id: string, columns: string) =>
  Effect.flatMap(Service, ({ query }) => query(`update actors set ${columns} where task_id = $1`, [id]))

/** The clients of Effect, over HTTP and as procedures. */
export const clients = Effect.gen(function*() {
  const { port } = yield* Service
  const baseUrl = `http://127.0.0.1:${port}`
  const http = yield* Layer.build(FetchHttpClient.layer)
  const procedures = yield* Layer.build(Layer.provide(TroupeRpc.layer({ baseUrl }), FetchHttpClient.layer))
  return {
    client: yield* Effect.provide(TroupeClient.make({ baseUrl }), http),
    rpc: Context.get(procedures, TroupeRpc)
  }
})
