import { Schema } from "effect"
import { UserId } from "./Ids.ts"
import { Timestamp } from "./Timestamp.ts"
import { unseenHealth, WorkHealth } from "./Unattended.ts"

export const ToolServerTransport = Schema.Literal("stdio", "http", "sse")
export type ToolServerTransport = typeof ToolServerTransport.Type

export const ToolServerStatus = Schema.Literal("connected", "failed", "disabled", "connecting", "needs_sign_in")
export type ToolServerStatus = typeof ToolServerStatus.Type

export const maxCallSeconds = 600

export const HeldTool = Schema.Struct({
  name: Schema.String.annotations({ description: "Its name on the server" }),
  reason: Schema.Literal("changed", "new").annotations({
    description: "changed: its definition is not the accepted one. new: it was not there when the server was accepted"
  })
}).annotations({ identifier: "HeldTool" })
export type HeldTool = typeof HeldTool.Type

/** Somebody's sign-in at a tool server. Nothing of it is a token. */
export const ToolServerConnection = Schema.Struct({
  issuer: Schema.String.annotations({ description: "The authorization server" }),
  scopes: Schema.Array(Schema.String).annotations({ description: "What it allows, as far as the server says so" }),
  connected_by: UserId.annotations({ description: "Who signed in" }),
  connected_at: Timestamp.annotations({ description: "When" }),
  expires_at: Schema.NullOr(Timestamp).annotations({
    description: "When the present token expires; it is refreshed before. null: unknown"
  }),
  last_refresh: Schema.NullOr(Timestamp).annotations({ description: "When the token was refreshed last" }),
  last_error: Schema.NullOr(Schema.Struct({
    message: Schema.String.annotations({ description: "Why the last refresh failed" }),
    at: Timestamp.annotations({ description: "When" })
  })).annotations({ description: "The last failure; null after a refresh that succeeded" }),
  needs_sign_in: Schema.Boolean.annotations({ description: "Whether it can't be used any more without a new sign-in" })
}).annotations({ identifier: "ToolServerConnection" })
export type ToolServerConnection = typeof ToolServerConnection.Type

/** The state of a server over all processes. */
export const ToolServerState = Schema.Struct({
  name: Schema.String.annotations({ description: "Its name in the configuration" }),
  transport: ToolServerTransport.annotations({ description: "stdio, http or sse" }),
  status: ToolServerStatus.annotations({ description: "connected, failed, disabled, connecting or needs_sign_in" }),
  tool_count: Schema.Int.annotations({ description: "How many tools it offers to agents" }),
  tools: Schema.Array(Schema.String).annotations({ description: "Their names on the server" }),
  tools_off: Schema.optionalWith(Schema.Array(HeldTool), { default: () => [] }).annotations({
    description: "Tools that agents can't use until an owner or admin accepts them as they are"
  }),
  warnings: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] }).annotations({
    description: "What of its list of tools or of its configuration could not be used, with the reasons"
  }),
  error: Schema.NullOr(Schema.String).annotations({ description: "What is wrong with it, if anything" }),
  connected_at: Schema.NullOr(Timestamp).annotations({ description: "Since when it is connected" }),
  restarts: Schema.optionalWith(Schema.Int, { default: () => 0 }).annotations({
    description:
      "Attempts to connect after the first one since it was configured; of several workers, the highest number"
  }),
  last_error: Schema.optionalWith(
    Schema.NullOr(Schema.Struct({
      message: Schema.String.annotations({ description: "Why it ended or did not connect" }),
      at: Timestamp.annotations({ description: "When" })
    })),
    { default: () => null }
  ).annotations({ description: "The last failure, also when it works again" }),
  health: Schema.optionalWith(WorkHealth, { default: () => unseenHealth }).annotations({
    description: "Whether its connection works, as the last look found it"
  }),
  per_user: Schema.optionalWith(Schema.Boolean, { default: () => false }).annotations({
    description: "Whether each person signs in; status and connection are the caller's then"
  }),
  connection: Schema.optionalWith(Schema.NullOr(ToolServerConnection), { default: () => null }).annotations({
    description: "The sign-in at it; null: none"
  })
}).annotations({ identifier: "ToolServerState" })
export type ToolServerState = typeof ToolServerState.Type

/** A tool of a server, with the definition that it has there. Its texts are untrusted. */
export const ToolServerTool = Schema.Struct({
  name: Schema.String.annotations({ description: "Its name on the server" }),
  bound_name: Schema.String.annotations({ description: "The name under which agents call it" }),
  description: Schema.String.annotations({ description: "What it does, in the words of the server" }),
  input_schema: Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({
    description: "The JSON schema of its arguments"
  }),
  is_read_only: Schema.Boolean.annotations({ description: "Whether the server says that it changes nothing" }),
  state: Schema.Literal("usable", "changed", "new").annotations({
    description: "usable, or off until it is accepted: its definition has changed, or the tool is new"
  }),
  digest: Schema.String.annotations({ description: "Of the definition; whoever accepts the tool sends it" })
}).annotations({ identifier: "ToolServerTool" })
export type ToolServerTool = typeof ToolServerTool.Type

export class ToolServerNotFound extends Schema.TaggedError<ToolServerNotFound>()("ToolServerNotFound", {
  name: Schema.String
}) {
  override get message() {
    return `No tool server is configured under the name ${JSON.stringify(this.name.slice(0, 100))}.`
  }
}

export class ToolNotFound extends Schema.TaggedError<ToolNotFound>()("ToolNotFound", {
  server: Schema.String.annotations({ description: "The tool server" }),
  tool: Schema.String.annotations({ description: "The name that it has not listed" })
}) {
  override get message() {
    return `The tool server ${this.server} has not listed a tool ${JSON.stringify(this.tool.slice(0, 100))}.`
  }
}

/** The tool can't be called now; the reason says what to do. */
export class ToolNotCallable extends Schema.TaggedError<ToolNotCallable>()("ToolNotCallable", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

/** Nobody can sign in at the server now; the reason says what to do. */
export class SignInNotPossible extends Schema.TaggedError<SignInNotPossible>()("SignInNotPossible", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

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
