import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { maxCallSeconds, ToolServerState, ToolServerTool } from "@troupe/domain/ToolServer"
import { Schema } from "effect"
import { AdminOnly, Authentication } from "./Authentication.ts"
import { checkedWhole, described, optional, pathParameter, titled } from "./Fields.ts"
import * as Problems from "./Problems.ts"
import { ToolTest, ToolTested } from "./ToolTest.ts"

const text = (max: number, description: string, message = `a text of 1 to ${max} characters`) =>
  Schema.String.pipe(Schema.filter((given) => given.length <= max && given.trim() !== "" && !given.includes("\0")))
    .annotations({
      jsonSchema: { minLength: 1, maxLength: max },
      description,
      message: () => ({ message, override: true })
    })

const value = Schema.String.pipe(Schema.maxLength(32_768)).annotations({
  message: () => ({ message: "a text of at most 32768 characters", override: true })
})

/** One message for every mistake, so that no secret is repeated in an error. */
const secrets = (description: string) =>
  Schema.optionalWith(
    Schema.NullOr(Schema.Record({ key: Schema.String, value })).annotations({
      description,
      message: () => ({ message: "an object of texts, each of at most 32768 characters", override: true })
    }),
    { exact: true }
  )

/** The error text of `timeout_seconds`. */
export const timeoutRule = `a number of seconds from 1 to ${maxCallSeconds}`

/** The error text without `mcpServers`. */
export const serversRule =
  "the tool servers by name belong under mcpServers, which is missing (some clients call it servers, "
  + "mcp.servers or context_servers)"

/** One server in the usual MCP format; the service checks whether its fields are consistent. */
export const ToolServerEntry = Schema.Struct({
  command: optional(
    text(
      4096,
      "Program to start; it communicates over standard input and output",
      "a text of 1 to 4096 characters, the program alone; its arguments belong in args and its variables in env"
    )
  ),
  args: optional(
    Schema.Array(value).annotations({ message: () => "a list of texts" })
      .pipe(Schema.maxItems(256, { message: () => "at most 256 arguments" }))
      .annotations({ description: `Its arguments; \${NAME} refers to a variable of env, or else as in env` })
  ),
  env: secrets(
    "Environment of the program, beside a few harmless variables; never shown again. "
      + `\${NAME}, \${NAME:-default} or \${env:NAME} refers to a variable of the service's environment`
  ),
  cwd: optional(text(4096, "Folder to start it in")),
  url: optional(text(4096, "Address of a remote server; may refer to variables, as headers may")),
  type: optional(text(32, "http (streamable, the default for an address) or sse; stdio for a command")),
  headers: secrets(
    `Headers of every request to it; never shown again. \${NAME} refers to a variable of the service's environment`
  ),
  auth: optional(
    Schema.Literal("oauth").annotations({
      description:
        "oauth: somebody signs in at the server (POST /api/mcp/servers/{server_name}/connect). A server that asks "
        + "for it needs no such entry",
      message: () => ({
        message: "oauth; a token is written in headers, as \"Authorization\": \"Bearer ...\"",
        override: true
      })
    })
  ),
  per_user: optional(
    Schema.Boolean.annotations({
      description: "true: each person signs in, and a task uses the sign-in of its creator; default: one for everybody",
      message: () => "true or false"
    })
  ),
  client_id: optional(
    text(1024, "Client that is registered at its authorization server; default: the service registers itself")
  ),
  client_secret: optional(
    value.annotations({
      description: "Secret of that client; never shown again. May refer to variables, as headers may"
    })
  ),
  grant_type: optional(
    Schema.Literal("authorization_code", "client_credentials").annotations({
      description: "client_credentials: the client signs in itself, without a person; default: authorization_code",
      message: () => "authorization_code or client_credentials"
    })
  ),
  scope: optional(text(2048, "Scopes to ask for, with blanks between; default: those that the server names")),
  disabled: optional(
    Schema.Boolean.annotations({
      description: "true: keep the server, but do not use it",
      message: () => "true or false"
    })
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
      .annotations({ description: "The only tools that agents may use; default: all" })
  )
}).annotations({ identifier: "ToolServerEntry" })
export type ToolServerEntry = typeof ToolServerEntry.Type

/** Unknown fields stay in it: the service says what is meant by those of other clients. */
export const ToolServersRequest = Schema.Struct({
  mcpServers: Schema.propertySignature(
    Schema.Record({ key: Schema.String, value: ToolServerEntry }).annotations({
      description: "All tool servers by name; servers that are not listed are stopped",
      // The default message has the whole value, with its secrets.
      message: () => "an object that has each server's configuration under its name"
    })
  ).annotations({ missingMessage: () => serversRule })
}).annotations({ identifier: "MCPConfigRequest", parseOptions: { onExcessProperty: "preserve" } })
export type ToolServersRequest = typeof ToolServersRequest.Type

const count = (description: string) => Schema.Int.annotations({ description })

export const ToolServersReport = Schema.Struct({
  total_servers: count("Configured servers"),
  connected_servers: count("Connected servers"),
  failed_servers: count("Servers without a connection; each is retried"),
  disabled_servers: count("Disabled servers"),
  total_tools: count("Tools of all servers that agents can use"),
  servers: Schema.Array(ToolServerState).annotations({ description: "The servers, by name" })
}).annotations({ identifier: "MCPConfigResponse" })
export type ToolServersReport = typeof ToolServersReport.Type

export const ToolServerTools = Schema.Struct({
  tools: Schema.Array(ToolServerTool).annotations({ description: "In the order of the server's last list" })
}).annotations({ identifier: "ToolServerTools" })

export const AcceptedTools = Schema.Struct({
  tools: Schema.Record({ key: Schema.String, value: Schema.String }).annotations({
    description: "The digest of each definition that is accepted, by the name of the tool on the server"
  })
}).annotations({ identifier: "AcceptedTools" })
export type AcceptedTools = typeof AcceptedTools.Type

/** In a configuration, the value of a secret that stays as it is. */
export const keptSecret = "********"

const serverName = pathParameter("server_name", "Name of the tool server, URL-encoded")
const toolName = pathParameter("tool_name", "Name of the tool on the server, URL-encoded")

export const LegacyStatus = Schema.Struct({
  status: Schema.Literal("delegated").annotations({ description: "Always delegated" }),
  message: Schema.String.annotations({ description: "The endpoint to use instead" })
}).annotations({ identifier: "MCPLegacyStatus" })

/** Configuration and state of the tool servers. */
export class ToolServersApi extends HttpApiGroup.make("toolServers")
  .add(
    HttpApiEndpoint.get("legacyStatus", "/mcp/status")
      .addSuccess(LegacyStatus)
      .annotateContext(described("A fixed message: the workers run the tool servers"))
  )
  .add(
    HttpApiEndpoint.get("status", "/api/mcp/status")
      .addSuccess(ToolServersReport)
      .annotateContext(described("The state of the tool servers"))
  )
  .add(
    HttpApiEndpoint.get("tools")`/api/mcp/servers/${serverName}/tools`
      .addSuccess(ToolServerTools)
      .addError(Problems.toolServerNotFound)
      .annotateContext(
        described("The tools of a server with their definitions, also those that are off; empty before its first list")
      )
  )
  .add(
    HttpApiEndpoint.post("accept")`/api/mcp/servers/${serverName}/accept`
      .setPayload(checkedWhole(AcceptedTools))
      .addSuccess(ToolServersReport)
      .addError(Problems.toolServerNotFound)
      .middleware(AdminOnly)
      .annotateContext(
        described("Accepts tools that are off by the definitions that they had when they were looked at, and no others")
      )
  )
  .add(
    HttpApiEndpoint.post("test")`/api/mcp/servers/${serverName}/tools/${toolName}/test`
      .setPayload(checkedWhole(ToolTest))
      .addSuccess(ToolTested)
      .addError(Problems.toolServerNotFound)
      .addError(Problems.toolNotFound)
      .addError(Problems.toolNotCallable)
      .addError(Problems.notAllowed)
      .annotateContext(described(
        "Calls a tool for the caller, within the rules of the policy and the limits of calls: by an owner or admin, or with "
          + "per_user by each member with their own sign-in. It is a real call, and the log of the service records who made it"
      ))
  )
  .add(
    HttpApiEndpoint.get("configuration", "/api/mcp/configure")
      .addSuccess(ToolServersRequest)
      .middleware(AdminOnly)
      .annotateContext(
        described(`The configuration as it was sent, with ${keptSecret} for each value of env and headers`)
      )
  )
  .add(
    HttpApiEndpoint.post("configure", "/api/mcp/configure")
      .setPayload(checkedWhole(ToolServersRequest))
      .addSuccess(ToolServersReport)
      .addError(Problems.toolServersInvalid)
      .middleware(AdminOnly)
      .annotateContext(described(
        `Replaces the configuration, then waits some seconds for the servers to connect. The value ${keptSecret} in env or `
          + "headers keeps the stored secret of that name if the server's command, arguments, folder and url are unchanged. "
          + "A secret in env is kept only if also no other variable is added or changed, because a variable could make the "
          + "program send the secret elsewhere. If a secret can't be kept, nothing is changed: 400 names it. "
          + "References such as ${NAME} are stored as they are and get their values when the server is started; on a hosted "
          + "instance only the servers of MCP_CONFIG_FILE may refer to the service's environment"
      ))
  )
  .add(
    HttpApiEndpoint.del("clear", "/api/mcp/configure")
      .addSuccess(ToolServersReport)
      .middleware(AdminOnly)
      .annotateContext(described("Deletes the configuration and stops all tool servers"))
  )
  .middlewareEndpoints(Authentication)
  .annotateContext(titled("Tool servers", "Configuration and state of the MCP servers whose tools agents use."))
{}
