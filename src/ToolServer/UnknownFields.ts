import { ToolServerEntry, type ToolServersRequest } from "@troupe/api/ToolServersApi"
import type { ToolServersInvalid } from "@troupe/domain/ToolServer"
import { suggestion } from "../Runtime/NearNames.ts"
import { looksLikeReference, textsOf } from "./VariableReferences.ts"

type Mistake = ToolServersInvalid["mistakes"][number]

const fields = Object.keys(ToolServerEntry.fields)

const inSeconds = "timeout_seconds is the time-out of a call, in seconds (other clients have milliseconds)"
const toAllow = "allowed_tools lists the only tools that agents may use"
const noFile = "variables are read from env only: put them there"
const asType = "type is http or sse for a url, and stdio for a command"

/** What other clients call our fields, in lower case without separators. */
const meant: Readonly<Record<string, string>> = {
  serverurl: "the address is url",
  httpurl: "the address is url, with type http",
  sseurl: "the address is url, with type sse",
  uri: "the address is url",
  endpoint: "the address is url",
  baseurl: "the address is url",
  transport: asType,
  transporttype: asType,
  source: "give command or url",
  cmd: "the program is command",
  arguments: "the arguments are args",
  environment: "the variables are env",
  envs: "the variables are env",
  envvars: "write them in env, such as \"NAME\": \"${NAME}\"",
  envfile: noFile,
  workingdirectory: "the folder is cwd",
  httpheaders: "they are headers",
  envhttpheaders: "write them in headers, such as \"X-Key\": \"${NAME}\"",
  requestinit: "give its headers as headers",
  headershelper: "give the values in headers",
  bearertoken: "write it in headers, as \"Authorization\": \"Bearer ...\"",
  bearertokenenvvar: "write it in headers, as \"Authorization\": \"Bearer ${NAME}\"",
  oauth: "write auth: \"oauth\", and if a client is registered its client_id and client_secret",
  authprovidertype: "write auth: \"oauth\"",
  authtype: "write auth: \"oauth\"",
  authorization: "write auth: \"oauth\", or the token in headers, as \"Authorization\": \"Bearer ...\"",
  granttypes: "write grant_type: \"client_credentials\"",
  scopes: "write scope, with blanks between the scopes",
  timeout: inSeconds,
  timeoutms: inSeconds,
  tooltimeoutsec: inSeconds,
  requesttimeout: inSeconds,
  networktimeout: inSeconds,
  ssereadtimeout: inSeconds,
  startuptimeoutsec: "the time to start is the setting MCP_CONNECT_TIMEOUT",
  inittimeout: "the time to start is the setting MCP_CONNECT_TIMEOUT",
  enabled: "write disabled: true in place of enabled: false",
  disabledtools: toAllow,
  excludetools: toAllow,
  includetools: toAllow,
  enabledtools: toAllow,
  tools: toAllow,
  inputs: "values can't be asked for: write them in env or headers"
}

/** Fields that change nothing here, and whose absence changes nothing there but what a person sees or confirms. */
const ignored: ReadonlySet<string> = new Set([
  // A name of signs only, such as `//`, which people give to comments.
  "",
  "alwaysallow",
  "autoapprove",
  "chatmenu",
  "comment",
  "comments",
  "description",
  "dev",
  "displayname",
  "gallery",
  "icon",
  "iconpath",
  "metadata",
  "name",
  "note",
  "notes",
  "registry",
  "schema",
  "title",
  "trust",
  "version"
])

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")

const unknownIn = (entry: ToolServerEntry): ReadonlyArray<string> =>
  Object.keys(entry).filter((name) => !fields.includes(name))

const hintFor = (name: string): string => {
  const hint = Object.hasOwn(meant, plain(name)) ? meant[plain(name)] : undefined
  return hint ?? suggestion(name, fields, `The fields are ${fields.join(", ")}.`)
}

/** The fields of a server that are not known and can't be left out. */
export const unknownFields = (path: string, entry: ToolServerEntry): ReadonlyArray<Mistake> =>
  unknownIn(entry).filter((name) => !ignored.has(plain(name))).map((name) => ({
    path: `${path}.${name.slice(0, 64)}`,
    message: `there is no such field: ${hintFor(name)}`
  }))

/** Where other clients have the servers, and what else belongs to them there. */
const wrappers: Readonly<Record<string, string>> = {
  servers: "the servers by name belong under mcpServers",
  mcp: "the servers by name belong under mcpServers",
  mcpservers: "the servers by name belong under mcpServers",
  contextservers: "the servers by name belong under mcpServers",
  inputs: "values can't be asked for: write them in env or headers of the server"
}

/** Beside `mcpServers`: other settings in the file of another client are nothing of ours. */
export const unknownBeside = (request: ToolServersRequest): ReadonlyArray<Mistake> =>
  Object.keys(request).filter((name) => name !== "mcpServers" && Object.hasOwn(wrappers, plain(name))).map((name) => ({
    path: name,
    message: wrappers[plain(name)] ?? ""
  }))

/** What of the configuration has no effect, by server. */
export const warningsOf = ({ mcpServers }: ToolServersRequest): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map(
    Object.entries(mcpServers).map(([name, entry]) => [name, [
      ...unknownIn(entry).map((field) => `${field.slice(0, 64)} in its configuration has no effect here`),
      ...textsOf(entry).filter(({ isCommand, text }) => !isCommand && looksLikeReference(text)).map(({ field }) =>
        `${field} in its configuration is sent as it is: only \${NAME} refers to a variable`
      )
    ]])
  )
