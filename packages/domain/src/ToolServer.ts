import { Schema } from "effect"
import { Timestamp } from "./Task.ts"

export const ToolServerTransport = Schema.Literal("stdio", "http", "sse")
export type ToolServerTransport = typeof ToolServerTransport.Type

export const ToolServerStatus = Schema.Literal("connected", "failed", "disabled", "connecting")
export type ToolServerStatus = typeof ToolServerStatus.Type

export const maxCallSeconds = 600

export const HeldTool = Schema.Struct({
  name: Schema.String.annotations({ description: "Its name on the server" }),
  reason: Schema.Literal("changed", "new").annotations({
    description: "changed: its definition is not the accepted one. new: it was not there when the server was accepted"
  })
}).annotations({ identifier: "HeldTool" })
export type HeldTool = typeof HeldTool.Type

/** The state of a server over all processes. */
export const ToolServerState = Schema.Struct({
  name: Schema.String.annotations({ description: "Its name in the configuration" }),
  transport: ToolServerTransport.annotations({ description: "stdio, http or sse" }),
  status: ToolServerStatus.annotations({ description: "connected, failed, disabled or connecting" }),
  tool_count: Schema.Int.annotations({ description: "How many tools it offers to agents" }),
  tools: Schema.Array(Schema.String).annotations({ description: "Their names on the server" }),
  tools_off: Schema.optionalWith(Schema.Array(HeldTool), { default: () => [] }).annotations({
    description: "Tools that agents can't use until POST /api/mcp/configure accepts them as they are"
  }),
  error: Schema.NullOr(Schema.String).annotations({ description: "What is wrong with it, if anything" }),
  connected_at: Schema.NullOr(Timestamp).annotations({ description: "Since when it is connected" })
}).annotations({ identifier: "ToolServerState" })
export type ToolServerState = typeof ToolServerState.Type

/** Mistakes never contain values of `env` and `headers`. */
export class ToolServersInvalid extends Schema.TaggedError<ToolServersInvalid>()("ToolServersInvalid", {
  mistakes: Schema.NonEmptyArray(Schema.Struct({
    path: Schema.String.annotations({ description: "Dotted path into the body" }),
    message: Schema.String.annotations({ description: "What is expected" })
  })).annotations({ description: "What is wrong, and where" })
}) {
  override get message() {
    return this.mistakes.map(({ message, path }) => `${path}: ${message}`).slice(0, 5).join("; ")
  }
}
