import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { maxCallSeconds, ToolServerState } from "@troupe/domain/ToolServer"
import { Schema } from "effect"
import * as Problems from "./Problems.ts"

const described = (description: string) => OpenApi.annotations({ description })

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { nullable: true, exact: true })

const text = (most: number, description: string) =>
  Schema.String.pipe(Schema.filter((given) => given.length <= most && given.trim() !== "" && !given.includes("\0")))
    .annotations({
      jsonSchema: { minLength: 1, maxLength: most },
      description,
      message: () => ({ message: `a text of 1 to ${most} characters`, override: true })
    })

const value = Schema.String.pipe(Schema.maxLength(32_768)).annotations({
  message: () => ({ message: "a text of at most 32768 characters", override: true })
})

/** One message stands for whatever is wrong with it, so that no secret is ever repeated in an error. */
const secrets = (description: string) =>
  Schema.optionalWith(
    Schema.NullOr(Schema.Record({ key: Schema.String, value })).annotations({
      description,
      message: () => ({ message: "an object of texts, each of at most 32768 characters", override: true })
    }),
    { exact: true }
  )

/** What `timeout_seconds` must be, in the words of the error. */
export const timeoutRule = `a number of seconds from 1 to ${maxCallSeconds}`

/** One server as the ecosystem writes it; whether its parts go together is for the service to say. */
export const ToolServerEntry = Schema.Struct({
  command: optional(text(4096, "Program to start; the server is spoken to over its standard input and output")),
  args: optional(
    Schema.Array(value).pipe(Schema.maxItems(256, { message: () => "at most 256 arguments" })).annotations({
      description: "Its arguments"
    })
  ),
  env: secrets("Environment of the program, beside a few harmless variables; never shown again"),
  cwd: optional(text(4096, "Folder to start it in")),
  url: optional(text(4096, "Address of a server that runs elsewhere")),
  type: optional(text(32, "http (streamable, the default for an address) or sse; stdio for a command")),
  headers: secrets("Headers of every request to it; never shown again"),
  disabled: optional(
    Schema.Boolean.annotations({ description: "true: keep it, but don't use it", message: () => "true or false" })
  ),
  timeout_seconds: optional(
    Schema.Number.pipe(Schema.between(1, maxCallSeconds)).annotations({
      description: `Seconds a call of one of its tools may take, 1 to ${maxCallSeconds}; a call also ends before the `
        + "time-out of its step. Default: MCP_CALL_TIMEOUT",
      message: () => ({ message: timeoutRule, override: true })
    })
  ),
  allowed_tools: optional(
    Schema.Array(text(256, "Name of a tool")).pipe(Schema.maxItems(500, { message: () => "at most 500 names" }))
      .annotations({ description: "The only tools of it that agents get; default: all" })
  )
}).annotations({ identifier: "ToolServerEntry" })
export type ToolServerEntry = typeof ToolServerEntry.Type

export const ToolServersRequest = Schema.Struct({
  mcpServers: Schema.Record({ key: Schema.String, value: ToolServerEntry }).annotations({
    description: "Every tool server by its name; those not named here are shut down"
  })
}).annotations({ identifier: "MCPConfigRequest" })
export type ToolServersRequest = typeof ToolServersRequest.Type

const count = (description: string) => Schema.Int.annotations({ description })

export const ToolServersReport = Schema.Struct({
  total_servers: count("How many are configured"),
  connected_servers: count("How many work"),
  failed_servers: count("How many don't; each is tried again"),
  disabled_servers: count("How many are configured not to be used"),
  total_tools: count("How many tools agents get of all of them"),
  servers: Schema.Array(ToolServerState).annotations({ description: "Each of them, by name" })
}).annotations({ identifier: "MCPConfigResponse" })
export type ToolServersReport = typeof ToolServersReport.Type

export const LegacyStatus = Schema.Struct({
  status: Schema.Literal("delegated").annotations({ description: "Always delegated" }),
  message: Schema.String.annotations({ description: "Where to look instead" })
}).annotations({ identifier: "MCPLegacyStatus" })

/** Tool servers: which there are and how they are. */
export class ToolServersApi extends HttpApiGroup.make("toolServers")
  .add(
    HttpApiEndpoint.get("legacyStatus", "/mcp/status")
      .addSuccess(LegacyStatus)
      .annotateContext(described("A fixed message: the workers run the tool servers"))
  )
  .add(
    HttpApiEndpoint.get("status", "/api/mcp/status")
      .addSuccess(ToolServersReport)
      .annotateContext(described("How the tool servers are"))
  )
  .add(
    HttpApiEndpoint.post("configure", "/api/mcp/configure")
      .setPayload(ToolServersRequest)
      .addSuccess(ToolServersReport)
      .addError(Problems.toolServersInvalid)
      .annotateContext(described("Replaces the configuration, and waits a few seconds for the servers to come up"))
  )
  .add(
    HttpApiEndpoint.del("clear", "/api/mcp/configure")
      .addSuccess(ToolServersReport)
      .annotateContext(described("Clears the configuration and shuts all tool servers down"))
  )
  .annotateContext(OpenApi.annotations({ title: "Tool servers" }))
{}
