import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { Schema } from "effect"
import { Authentication } from "./Authentication.ts"
import { described, titled } from "./Fields.ts"

const version = Schema.Literal("2.0").annotations({ description: "The version of JSON-RPC" })

/** One message of a client. Batches were removed from the protocol. */
export const McpMessage = Schema.Struct({
  jsonrpc: version,
  id: Schema.optional(
    Schema.Union(Schema.String, Schema.Int).annotations({ description: "The client's id of a request" })
  ),
  method: Schema.optional(Schema.String.annotations({ description: "The method, such as tools/call" })),
  params: Schema.optional(
    Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({ description: "Its parameters" })
  ),
  result: Schema.optional(Schema.Unknown.annotations({ description: "Of a response: the result" })),
  error: Schema.optional(Schema.Unknown.annotations({ description: "Of a response: the error" }))
}).annotations({ identifier: "McpMessage" })
export type McpMessage = typeof McpMessage.Type

export const McpAnswer = Schema.Struct({
  jsonrpc: version,
  id: Schema.NullOr(Schema.Union(Schema.String, Schema.Int)).annotations({ description: "The id of the request" }),
  result: Schema.optional(Schema.Unknown.annotations({ description: "The result" })),
  error: Schema.optional(Schema.Unknown.annotations({ description: "Code and message of a JSON-RPC error" }))
}).annotations({ identifier: "McpAnswer" })

/** The Model Context Protocol over streamable HTTP, for agents that hand tasks to Troupe. */
export class McpApi extends HttpApiGroup.make("mcp")
  .add(
    HttpApiEndpoint.post("message", "/mcp")
      .setHeaders(Schema.Struct({
        "mcp-protocol-version": Schema.optional(
          Schema.String.annotations({ description: "The version that client and server have agreed on" })
        )
      }))
      .setPayload(McpMessage)
      .addSuccess(McpAnswer)
      .addSuccess(HttpApiSchema.Accepted)
      .annotateContext(
        described(
          "One message of an MCP client (streamable HTTP, without sessions). A call that waits, or asks for progress, is "
            + "answered with server-sent events"
        )
      )
  )
  .middlewareEndpoints(Authentication)
  .annotateContext(
    titled("MCP", "The Model Context Protocol over streamable HTTP, for agents that hand tasks to Troupe.")
  )
{}
