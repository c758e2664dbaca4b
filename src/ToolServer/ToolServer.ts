import type { ToolServerEntry } from "@troupe/api/ToolServersApi"
import type { ToolServerTransport } from "@troupe/domain/ToolServer"
import { type Either, Record, Redacted, Schema } from "effect"
import { isPublicHost, notPublic } from "../Runtime/NetworkAddress.ts"
import { hasReferences } from "./VariableReferences.ts"

export type Secrets = Readonly<Record<string, Redacted.Redacted>>

/** How a server is reached and used, with its secrets in this form. */
export const definitionWith = <A, I>(secret: Schema.Schema<A, I>) => {
  const secrets = Schema.Record({ key: Schema.String, value: secret })
  const common = {
    disabled: Schema.Boolean,
    /** Null: the service's default. */
    timeoutSeconds: Schema.NullOr(Schema.Number),
    /** Null: all. */
    allowedTools: Schema.NullOr(Schema.Array(Schema.String)),
    /**
     * The variables that its texts refer to as `${NAME}`: those of its own `env`, or of the service's environment, too.
     * None: the texts are used as they are, as in configurations from before there were references.
     */
    variables: Schema.optionalWith(Schema.Literal("none", "own", "service"), { default: () => "none" })
  }
  return Schema.Union(
    Schema.Struct({
      transport: Schema.Literal("stdio"),
      command: Schema.String,
      args: Schema.Array(Schema.String),
      cwd: Schema.NullOr(Schema.String),
      env: secrets,
      ...common
    }),
    Schema.Struct({
      transport: Schema.Literal("http", "sse"),
      url: Schema.String,
      headers: secrets,
      /** Null: nothing is configured; the server may ask for a sign-in all the same. */
      signIn: Schema.optionalWith(
        Schema.NullOr(Schema.Struct({
          perUser: Schema.Boolean,
          clientId: Schema.NullOr(Schema.String),
          clientSecret: Schema.NullOr(secret),
          grant: Schema.Literal("authorization_code", "client_credentials"),
          scopes: Schema.NullOr(Schema.String)
        })),
        { default: () => null }
      ),
      ...common
    })
  )
}

export type DefinitionWith<A> = Schema.Schema.Type<ReturnType<typeof definitionWith<A, unknown>>>

const Definition = definitionWith(Schema.RedactedFromSelf(Schema.String))

export type ToolServer = typeof Definition.Type & { readonly name: string }
export type StdioServer = Extract<ToolServer, { readonly transport: "stdio" }>
export type HttpServer = Exclude<ToolServer, StdioServer>

/** A server as it is stored. One whose secrets SECRETS_KEY does not decrypt can't be used. */
export interface StoredServer {
  readonly name: string
  readonly transport: ToolServerTransport
  readonly disabled: boolean
  /** As it is configured, with its secrets masked. */
  readonly entry: ToolServerEntry
  readonly server: Either.Either<ToolServer, "unreadable">
}

/** The name of the client's secret among the secrets: no header has it. */
export const clientSecretName = "client secret"

/** By their names. */
export const secretsOf = <A>(server: DefinitionWith<A>): Readonly<Record<string, A>> => {
  if (server.transport === "stdio") return server.env
  const secret = server.signIn?.clientSecret ?? null
  return secret === null ? server.headers : { ...server.headers, [clientSecretName]: secret }
}

/** The same server with these secrets. */
export const withSecrets = <A, B>(
  server: DefinitionWith<A>,
  secrets: Readonly<Record<string, B>>
): DefinitionWith<B> => {
  if (server.transport === "stdio") return { ...server, env: secrets }
  const { [clientSecretName]: clientSecret, ...headers } = secrets
  const signIn = server.signIn === null ? null : { ...server.signIn, clientSecret: clientSecret ?? null }
  return { ...server, headers, signIn }
}

export const isPerUser = (server: DefinitionWith<unknown>): boolean =>
  server.transport !== "stdio" && server.signIn?.perUser === true

export const revealed = (secrets: Secrets): Readonly<Record<string, string>> => Record.map(secrets, Redacted.value)

/** What decides which tools a server lists. One that is only disabled, or gets another time-out, lists the same. */
export const offerOf = (server: ToolServer): string => {
  const secrets = Object.entries(revealed(secretsOf(server))).toSorted(([one], [other]) => one < other ? -1 : 1)
  return JSON.stringify([
    server.transport,
    server.transport === "stdio" ? [server.command, server.args, server.cwd] : server.url,
    secrets,
    server.allowedTools,
    ...(server.variables === "none" ? [] : [server.variables]),
    ...(server.transport === "stdio" || server.signIn === null ? [] : [{ ...server.signIn, clientSecret: null }])
  ])
}

export interface HostedRules {
  readonly isHosted: boolean
  readonly allowStdio: boolean
}

/** Why the server can't be used here, or null. Host names are checked again after they are resolved. */
export const serverRefusal = (
  server: ToolServer,
  rules: HostedRules
): { readonly field: string; readonly reason: string } | null => {
  if (!rules.isHosted) return null
  if (server.transport === "stdio") {
    return rules.allowStdio ? null : {
      field: "command",
      reason: "programs can't be started on a hosted instance; the operator may set ALLOW_STDIO_TOOL_SERVERS=true"
    }
  }
  // Checked again when the variables have values.
  if (server.variables !== "none" && hasReferences(server.url)) return null
  const { hostname } = new URL(server.url)
  return isPublicHost(hostname) ? null : { field: "url", reason: notPublic }
}
