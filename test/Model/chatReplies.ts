import { Effect } from "effect"
import { type ModelRequest } from "../../src/Model/Model.ts"
import { type ModelTurn } from "../support/ModelServer.ts"
import { eventStream, request } from "./remote.ts"

export type Json = Readonly<Record<string, unknown>>

export const calling = { tool_calls: [{ id: "a", type: "function", function: { name: "count", arguments: "{}" } }] }

export const whole = (message: Json, more: Json = {}): ModelTurn => ({
  status: 200,
  body: { choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop", ...more }] }
})

/** Deltas as a stream; a string is sent as it is. */
export const streamed = (...deltas: ReadonlyArray<Json | string>): ModelTurn => ({
  status: 200,
  headers: eventStream,
  body: [...deltas, { finish_reason: "stop" }].map((delta) =>
    typeof delta === "string"
      ? delta
      : `data: ${
        JSON.stringify({ choices: [{ index: 0, delta, finish_reason: "finish_reason" in delta ? "stop" : null }] })
      }\n\n`
  ).join("") + "data: [DONE]\n\n"
})

export const live: ModelRequest = { ...request, onText: () => Effect.void }

export const provider = "local"
