import { Effect } from "effect"
import { Model, type ModelRequest } from "../../src/Model/Model.ts"
import { isBody, modelLayer, request } from "../Model/remote.ts"
import type { CallSettings, ModelServer, ModelTurn } from "../support/ModelServer.ts"

/** A provider's complaint about a request. */
export const refusal = (message: string, status = 400, more: object = {}): ModelTurn => ({
  status,
  body: { error: { message, type: "invalid_request_error", ...more } }
})

export const bodiesOf = (server: ModelServer) =>
  Effect.map(server.bodies, (bodies) => bodies.filter((body) => isBody(body)))

/** Answers to the same request, one after the other, from one model. */
export const answers = (settings: CallSettings, times: number, given: ModelRequest = request) =>
  Effect.flatMap(Model, (model) => Effect.replicateEffect(model.generate(given), times)).pipe(
    Effect.map((responses) => responses.map(({ message }) => message.content)),
    Effect.provide(modelLayer(settings))
  )
