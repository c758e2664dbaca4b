import type { ToolServerEntry, ToolServersRequest } from "@troupe/api/ToolServersApi"
import { ToolServersInvalid } from "@troupe/domain/ToolServer"
import { Array, Either, Predicate, Record, Redacted } from "effect"
import { referenceMistakes, variablesOf } from "./ReferenceRules.ts"
import {
  type HostedRules,
  type HttpServer,
  type Secrets,
  serverRefusal,
  type StdioServer,
  type ToolServer
} from "./ToolServer.ts"
import { unknownBeside, unknownFields } from "./UnknownFields.ts"
import { hasReferences } from "./VariableReferences.ts"

/** Maximum number of configured servers: each may be a process. */
const maxServers = 50
const maxSecrets = 100

const namePattern = /^[A-Za-z0-9][A-Za-z0-9 ._@/-]{0,63}$/
const variablePattern = /^[A-Za-z_][A-Za-z0-9_.()-]{0,255}$/
const headerPattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/
/** RFC 9110: visible ASCII, blanks and tabs, and the bytes above. */
const headerValuePattern = /^[\t\x20-\x7E\x80-\xFF]*$/
const ownHeaders = ["host", "content-length", "transfer-encoding", "connection", "mcp-session-id", "content-type"]

export interface ServerRules extends HostedRules {
  /** Largest `timeout_seconds`: a call can't take longer, whichever step makes it. */
  readonly maxCallSeconds: number
}

type Mistake = ToolServersInvalid["mistakes"][number]
type Checked<A> = Either.Either<A, Array.NonEmptyReadonlyArray<Mistake>>

/** Whether the texts of a server may refer to variables of the service's environment. */
export type MayUseEnvironment = (name: string, entry: ToolServerEntry) => boolean

/** The requested servers, or all mistakes in the request. */
export const toolServersOf = (
  request: ToolServersRequest,
  rules: ServerRules,
  mayUseEnvironment: MayUseEnvironment
): Either.Either<ReadonlyArray<ToolServer>, ToolServersInvalid> => {
  const given = Object.entries(request.mcpServers)
  if (given.length > maxServers) {
    return Either.left(
      new ToolServersInvalid({ mistakes: [{ path: "mcpServers", message: `at most ${maxServers} servers` }] })
    )
  }
  const [wrong, servers] = Array.separate(given.map(([name, entry]) => serverOf(name, entry, rules, mayUseEnvironment)))
  const mistakes = [...unknownBeside(request), ...wrong.flat()]
  return Array.isNonEmptyReadonlyArray(mistakes)
    ? Either.left(new ToolServersInvalid({ mistakes }))
    : Either.right(servers.toSorted((one, other) => (one.name < other.name ? -1 : 1)))
}

const serverOf = (
  name: string,
  entry: ToolServerEntry,
  rules: ServerRules,
  mayUseEnvironment: MayUseEnvironment
): Checked<ToolServer> => {
  const path = `mcpServers.${name.slice(0, 64)}`
  if (!namePattern.test(name)) {
    return wrong(path, "a name is 1 to 64 letters, digits, blanks or . _ @ / -, and begins with a letter or digit")
  }
  if ((entry.timeout_seconds ?? 0) > rules.maxCallSeconds) {
    return wrong(
      `${path}.timeout_seconds`,
      `a number of seconds from 1 to ${rules.maxCallSeconds}, the maximum within the time-out of a step`
    )
  }
  const unknown = unknownFields(path, entry)
  if (Array.isNonEmptyReadonlyArray(unknown)) return Either.left(unknown)
  const references = referenceMistakes(path, entry, mayUseEnvironment(name, entry))
  if (Array.isNonEmptyReadonlyArray(references)) return Either.left(references)
  const common = {
    name,
    variables: variablesOf(entry),
    disabled: entry.disabled ?? false,
    timeoutSeconds: entry.timeout_seconds ?? null,
    allowedTools: entry.allowed_tools ?? null
  }
  return Either.flatMap(definitionOf(path, entry, common), (server) => {
    const refusal = serverRefusal(server, rules)
    return refusal === null ? Either.right(server) : wrong(`${path}.${refusal.field}`, refusal.reason)
  })
}

type Common = Pick<ToolServer, "name" | "disabled" | "timeoutSeconds" | "allowedTools" | "variables">

/** What the entry defines. The checks of a text that has references wait for their values. */
export const definitionOf = (path: string, entry: ToolServerEntry, common: Common): Checked<ToolServer> => {
  const { command, url } = entry
  if (command !== undefined && url === undefined) return stdioOf(path, command, entry, common)
  if (url !== undefined && command === undefined) return httpOf(path, url, entry, common)
  return wrong(path, "give either a command to start or the url of a running server, and not both")
}

const stdioOf = (path: string, command: string, entry: ToolServerEntry, common: Common): Checked<StdioServer> => {
  const { args = [], type } = entry
  const env = entry.env ?? {}
  return checked(path, { ...common, transport: "stdio", command, args, env: redacted(env), cwd: entry.cwd ?? null }, [
    [type !== undefined && type !== "stdio", "type", "the type of a command is stdio"],
    [Predicate.isNotNullable(entry.headers), "headers", "only a url has headers; a command has env"],
    ...signInFields.map((field): Check => [
      entry[field] !== undefined,
      field,
      "only a url has a sign-in; a command gets its token in env"
    ]),
    ...args.map((arg, index): Check => [arg.includes("\0"), `args.${index}`, "a text without NUL"]),
    [Record.size(env) > maxSecrets, "env", `at most ${maxSecrets} variables`],
    ...Object.entries(env).flatMap(([name, value]): ReadonlyArray<Check> => [
      [!variablePattern.test(name), `env.${name.slice(0, 64)}`, "the name of an environment variable"],
      [value.includes("\0"), `env.${name.slice(0, 64)}`, "a text without NUL"]
    ])
  ])
}

/** By their names in lower case without separators. */
const transports: Readonly<Record<string, HttpServer["transport"]>> = {
  http: "http",
  streamablehttp: "http",
  sse: "sse"
}

const httpOf = (path: string, url: string, entry: ToolServerEntry, common: Common): Checked<HttpServer> => {
  const { type = "http" } = entry
  const headers = entry.headers ?? {}
  const kind = type.toLowerCase().replaceAll(/[-_ ]/g, "")
  const transport = Object.hasOwn(transports, kind) ? transports[kind] : undefined
  const address = URL.canParse(url) ? new URL(url) : null
  const signIn = signInOf(entry)
  const hasToken = Object.keys(headers).some((name) => name.toLowerCase() === "authorization")
  const isComplete = common.variables === "none" || !hasReferences(url)
  return checked(path, { ...common, transport: transport ?? "http", url, headers: redacted(headers), signIn }, [
    [signIn !== null && hasToken, "auth", "either a sign-in or the header Authorization, and not both"],
    [signIn?.clientSecret != null && signIn.clientId === null, "client_id", "a client_secret belongs to a client_id"],
    [
      signIn?.grant === "client_credentials" && signIn.clientSecret === null,
      "client_secret",
      "client_credentials needs a client_id and a client_secret"
    ],
    [
      signIn?.grant === "client_credentials" && signIn.perUser,
      "per_user",
      "no person signs in with client_credentials"
    ],

    [transport === undefined, "type", "the type of a url is http (streamable) or sse"],
    [
      isComplete && !/^https?:$/.test(address?.protocol ?? ""),
      "url",
      "an address that begins with http:// or https://"
    ],
    [
      address !== null && (address.username !== "" || address.password !== ""),
      "url",
      "put the password into a header, not into the address"
    ],
    ...(["args", "env", "cwd"] as const).map((field): Check => [
      Predicate.isNotNullable(entry[field]),
      field,
      "only a command has this; a url has headers"
    ]),
    [Record.size(headers) > maxSecrets, "headers", `at most ${maxSecrets} headers`],
    ...Object.entries(headers).flatMap(([name, value]): ReadonlyArray<Check> => [
      [
        !headerPattern.test(name) || ownHeaders.includes(name.toLowerCase()),
        `headers.${name.slice(0, 64)}`,
        "the name of a header that the protocol doesn't set itself"
      ],
      [!headerValuePattern.test(value), `headers.${name.slice(0, 64)}`, "the value of a header"]
    ])
  ])
}

const signInFields = ["auth", "per_user", "client_id", "client_secret", "grant_type", "scope"] as const

const signInOf = (entry: ToolServerEntry): HttpServer["signIn"] => {
  const { client_id, client_secret, grant_type, per_user, scope } = entry
  return signInFields.every((field) => entry[field] === undefined || entry[field] === false) ? null : {
    perUser: per_user ?? false,
    clientId: client_id ?? null,
    clientSecret: client_secret === undefined ? null : Redacted.make(client_secret),
    grant: grant_type ?? "authorization_code",
    scopes: scope ?? null
  }
}

const redacted = (values: Readonly<Record<string, string>>): Secrets =>
  Record.map(values, (value) => Redacted.make(value))

type Check = readonly [isWrong: boolean, field: string, message: string]

const checked = <A>(path: string, value: A, checks: ReadonlyArray<Check>): Checked<A> => {
  const mistakes = checks.filter(([isWrong]) => isWrong).map(([, field, message]) => ({
    path: `${path}.${field}`,
    message
  }))
  return Array.isNonEmptyReadonlyArray(mistakes) ? Either.left(mistakes) : Either.right(value)
}

const wrong = (path: string, message: string): Checked<never> => Either.left([{ path, message }])
