import type { ToolServerEntry, ToolServersRequest } from "@troupe/api/ToolServersApi"
import { ToolServersInvalid } from "@troupe/domain/ToolServer"
import { Array, Either, Record, Redacted } from "effect"
import { type HostedRules, refusalOf } from "./HostedRules.ts"
import type { HttpTarget, Secrets, StdioTarget, ToolServer } from "./ToolServer.ts"

/** Most servers that may be configured, so that one request can't start processes without end. */
export const maxServers = 50
const maxSecrets = 100

const nameForm = /^[A-Za-z0-9][A-Za-z0-9 ._@/-]{0,63}$/
const variableForm = /^[A-Za-z_][A-Za-z0-9_.()-]{0,255}$/
const headerForm = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/
/** RFC 9110: visible ASCII, blanks and tabs, and the bytes above. */
const headerValueForm = /^[\t\x20-\x7E\x80-\xFF]*$/
/** Set by the protocol itself. */
const ownHeaders = ["host", "content-length", "transfer-encoding", "connection", "mcp-session-id", "content-type"]

export interface EntryRules extends HostedRules {
  /** Largest `timeout_seconds`: a call can't take longer, whichever step makes it. */
  readonly maxCallSeconds: number
}

type Mistake = ToolServersInvalid["mistakes"][number]
type Checked<A> = Either.Either<A, Array.NonEmptyReadonlyArray<Mistake>>

/** What was asked for as servers that can be used, or all that is wrong with it. */
export const toolServersOf = (
  { mcpServers }: ToolServersRequest,
  rules: EntryRules
): Either.Either<ReadonlyArray<ToolServer>, ToolServersInvalid> => {
  const given = Object.entries(mcpServers)
  if (given.length > maxServers) {
    return Either.left(
      new ToolServersInvalid({ mistakes: [{ path: "mcpServers", message: `at most ${maxServers} servers` }] })
    )
  }
  const [wrong, servers] = Array.separate(given.map(([name, entry]) => serverOf(name, entry, rules)))
  const mistakes = wrong.flat()
  return Array.isNonEmptyReadonlyArray(mistakes)
    ? Either.left(new ToolServersInvalid({ mistakes }))
    : Either.right(servers.toSorted((one, other) => (one.name < other.name ? -1 : 1)))
}

const serverOf = (name: string, entry: ToolServerEntry, rules: EntryRules): Checked<ToolServer> => {
  const path = `mcpServers.${name.slice(0, 64)}`
  if (!nameForm.test(name)) {
    return wrong(path, "a name is 1 to 64 letters, digits, blanks or . _ @ / -, and begins with a letter or digit")
  }
  if ((entry.timeout_seconds ?? 0) > rules.maxCallSeconds) {
    return wrong(
      `${path}.timeout_seconds`,
      `a number of seconds from 1 to ${rules.maxCallSeconds}, which is what the time-out of a step leaves for a call`
    )
  }
  return Either.flatMap(targetOf(path, entry), (target) => {
    const refusal = refusalOf(target, rules)
    if (refusal !== null) return wrong(`${path}.${refusal.field}`, refusal.reason)
    return Either.right({
      name,
      target,
      disabled: entry.disabled ?? false,
      timeoutSeconds: entry.timeout_seconds ?? null,
      allowedTools: entry.allowed_tools ?? null
    })
  })
}

const targetOf = (path: string, entry: ToolServerEntry): Checked<StdioTarget | HttpTarget> => {
  const { command, type, url } = entry
  if ((command === undefined) === (url === undefined)) {
    return wrong(path, "give either a command to start or the url of a running server, and not both")
  }
  return command === undefined ? httpOf(path, url ?? "", type, entry) : stdioOf(path, command, type, entry)
}

const stdioOf = (
  path: string,
  command: string,
  type: string | undefined,
  entry: ToolServerEntry
): Checked<StdioTarget> => {
  const args = entry.args ?? []
  const env = entry.env ?? {}
  const mistakes: ReadonlyArray<Mistake> = [
    ...mistake(type !== undefined && type !== "stdio", `${path}.type`, "a command is spoken to by stdio"),
    ...mistake(isGiven(entry.headers), `${path}.headers`, "only a url has headers; a command has env"),
    ...args.flatMap((arg, index) => mistake(arg.includes("\0"), `${path}.args.${index}`, "a text without NUL")),
    ...mistake(Record.size(env) > maxSecrets, `${path}.env`, `at most ${maxSecrets} variables`),
    ...Object.entries(env).flatMap(([name, value]) => [
      ...mistake(!variableForm.test(name), `${path}.env.${name.slice(0, 64)}`, "the name of an environment variable"),
      ...mistake(value.includes("\0"), `${path}.env.${name.slice(0, 64)}`, "a text without NUL")
    ])
  ]
  return checked(mistakes, { transport: "stdio", command, args, env: redacted(env), cwd: entry.cwd ?? null })
}

const transports: Readonly<Record<string, HttpTarget["transport"]>> = {
  http: "http",
  "streamable-http": "http",
  streamableHttp: "http",
  sse: "sse"
}

const httpOf = (
  path: string,
  url: string,
  type: string | undefined,
  entry: ToolServerEntry
): Checked<HttpTarget> => {
  const headers = entry.headers ?? {}
  const transport = Object.hasOwn(transports, type ?? "http") ? transports[type ?? "http"] : undefined
  const address = URL.canParse(url) ? new URL(url) : null
  const isWeb = address !== null && ["http:", "https:"].includes(address.protocol)
  const mistakes: ReadonlyArray<Mistake> = [
    ...mistake(transport === undefined, `${path}.type`, "a url is spoken to by http (streamable) or sse"),
    ...mistake(!isWeb, `${path}.url`, "an address that begins with http:// or https://"),
    ...mistake(
      address !== null && (address.username !== "" || address.password !== ""),
      `${path}.url`,
      "put the password into a header, not into the address"
    ),
    ...(["args", "env", "cwd"] as const).flatMap((field) =>
      mistake(isGiven(entry[field]), `${path}.${field}`, "only a command has this; a url has headers")
    ),
    ...mistake(Record.size(headers) > maxSecrets, `${path}.headers`, `at most ${maxSecrets} headers`),
    ...Object.entries(headers).flatMap(([name, value]) => [
      ...mistake(
        !headerForm.test(name) || ownHeaders.includes(name.toLowerCase()),
        `${path}.headers.${name.slice(0, 64)}`,
        "the name of a header that the protocol doesn't set itself"
      ),
      ...mistake(!headerValueForm.test(value), `${path}.headers.${name.slice(0, 64)}`, "the value of a header")
    ])
  ]
  return checked(mistakes, { transport: transport ?? "http", url, headers: redacted(headers) })
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

const redacted = (values: Readonly<Record<string, string>>): Secrets =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Redacted.make(value)]))

const mistake = (applies: boolean, path: string, message: string): ReadonlyArray<Mistake> =>
  applies ? [{ path, message }] : []

const wrong = (path: string, message: string): Checked<never> => Either.left([{ path, message }])

const checked = <A>(mistakes: ReadonlyArray<Mistake>, value: A): Checked<A> =>
  Array.isNonEmptyReadonlyArray(mistakes) ? Either.left(mistakes) : Either.right(value)
