import { Schema } from "effect"
import { Timestamp } from "./Task.ts"

/** How a tool server is spoken to: a process of ours, streamable HTTP, or the older HTTP with server-sent events. */
export const ToolServerTransport = Schema.Literal("stdio", "http", "sse")
export type ToolServerTransport = typeof ToolServerTransport.Type

export const ToolServerStatus = Schema.Literal("connected", "failed", "disabled", "connecting")
export type ToolServerStatus = typeof ToolServerStatus.Type

/** The longest a call of a tool server's tool may take, as for a script. */
export const maxCallSeconds = 600

/** A tool that agents can't use until an admin accepts its definition. */
export const HeldTool = Schema.Struct({
  name: Schema.String.annotations({ description: "Its name, as the server says it" }),
  reason: Schema.Literal("changed", "new").annotations({
    description: "changed: its definition is not the accepted one. new: it was not there when the server was accepted"
  })
}).annotations({ identifier: "HeldTool" })
export type HeldTool = typeof HeldTool.Type

/** How one configured server is, seen over all processes that run tasks. */
export const ToolServerState = Schema.Struct({
  name: Schema.String.annotations({ description: "Its name in the configuration" }),
  transport: ToolServerTransport.annotations({ description: "stdio, http or sse" }),
  status: ToolServerStatus.annotations({ description: "connected, failed, disabled or connecting" }),
  tool_count: Schema.Int.annotations({ description: "How many tools it offers to agents" }),
  tools: Schema.Array(Schema.String).annotations({ description: "Their names, as the server says them" }),
  tools_off: Schema.optionalWith(Schema.Array(HeldTool), { default: () => [] }).annotations({
    description: "Tools that agents can't use until POST /api/mcp/configure accepts them as they are"
  }),
  error: Schema.NullOr(Schema.String).annotations({ description: "Why it is not as it should be" }),
  connected_at: Schema.NullOr(Timestamp).annotations({ description: "Since when it is connected" })
}).annotations({ identifier: "ToolServerState" })
export type ToolServerState = typeof ToolServerState.Type

/** What is wrong with a configuration, each with its dotted path. Values of `env` and `headers` never stand in it. */
export class ToolServersInvalid extends Schema.TaggedError<ToolServersInvalid>()("ToolServersInvalid", {
  mistakes: Schema.NonEmptyArray(Schema.Struct({ path: Schema.String, message: Schema.String })).annotations({
    description: "What is wrong, and where"
  })
}) {
  override get message() {
    return this.mistakes.map(({ message, path }) => `${path}: ${message}`).slice(0, 5).join("; ")
  }
}
