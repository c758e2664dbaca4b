import type { ToolServerEntry } from "@troupe/client"

/** A server as a person edits it: lists have one entry a line. */
export type ServerFields = {
  readonly name: string
  readonly kind: "command" | "url"
  readonly command: string
  readonly args: string
  readonly cwd: string
  readonly url: string
  readonly type: string
  /** `NAME=value` of a command, `Name: value` of an address. */
  readonly secrets: string
  readonly allowed_tools: string
  readonly timeout_seconds: string
  readonly disabled: string
}

export const emptyServer: ServerFields = {
  name: "",
  kind: "command",
  command: "",
  args: "",
  cwd: "",
  url: "",
  type: "http",
  secrets: "",
  allowed_tools: "",
  timeout_seconds: "",
  disabled: "false"
}

const linesOf = (values: Readonly<Record<string, string>> | null | undefined, separator: string) =>
  Object.entries(values ?? {}).map(([name, value]) => `${name}${separator}${value}`).join("\n")

export const fieldsOf = (name: string, entry: ToolServerEntry): ServerFields => ({
  name,
  kind: entry.url === undefined || entry.url === null ? "command" : "url",
  command: entry.command ?? "",
  args: entry.args?.join("\n") ?? "",
  cwd: entry.cwd ?? "",
  url: entry.url ?? "",
  type: entry.type === "sse" ? "sse" : "http",
  secrets: entry.url === undefined || entry.url === null ? linesOf(entry.env, "=") : linesOf(entry.headers, ": "),
  allowed_tools: entry.allowed_tools?.join("\n") ?? "",
  timeout_seconds: entry.timeout_seconds === undefined || entry.timeout_seconds === null
    ? ""
    : String(entry.timeout_seconds),
  disabled: String(entry.disabled === true)
})

const lines = (text: string) => text.split("\n").filter((line) => line.trim() !== "")

/** The name and the value of each line, or the line that has none. */
export const secretsOf = (
  text: string,
  separator: "=" | ":"
): { readonly values: Readonly<Record<string, string>>; readonly wrong: string | undefined } => {
  const parts = lines(text).map((line) => ({ line, at: line.indexOf(separator) }))
  return {
    values: Object.fromEntries(
      parts.map(({ at, line }) => [line.slice(0, at).trim(), line.slice(at + 1).replace(/^ (?=\S)/, "")])
    ),
    wrong: parts.find(({ at }) => at < 1)?.line
  }
}

const mask = "********"

/**
 * The secrets whose values must be typed again, because the service keeps a stored value only for the same program or address,
 * and a variable only beside the same others.
 */
export const lostSecrets = (fields: ServerFields, given: ServerFields): ReadonlyArray<string> => {
  const isCommand = fields.kind === "command"
  const { values } = secretsOf(fields.secrets, isCommand ? "=" : ":")
  const masked = Object.entries(values).filter(([, value]) => value === mask).map(([name]) => name)
  const isSame = (["kind", "command", "args", "cwd", "url"] as const).every((field) => fields[field] === given[field])
  const isKept = isSame && (!isCommand || masked.length === Object.keys(values).length)
  return isKept ? [] : masked
}

/** What the service is sent; it checks the values. */
export const entryOf = (fields: ServerFields): ToolServerEntry => {
  const allowed = lines(fields.allowed_tools).map((name) => name.trim())
  const common = {
    ...(fields.disabled === "true" ? { disabled: true } : {}),
    ...(fields.timeout_seconds.trim() === "" ? {} : { timeout_seconds: Number(fields.timeout_seconds) }),
    ...(allowed.length === 0 ? {} : { allowed_tools: allowed })
  }
  const { values } = secretsOf(fields.secrets, fields.kind === "command" ? "=" : ":")
  const hasSecrets = Object.keys(values).length > 0
  return fields.kind === "command"
    ? {
      command: fields.command.trim(),
      ...(fields.args.trim() === "" ? {} : { args: lines(fields.args) }),
      ...(fields.cwd.trim() === "" ? {} : { cwd: fields.cwd.trim() }),
      ...(hasSecrets ? { env: values } : {}),
      ...common
    }
    : { url: fields.url.trim(), type: fields.type, ...(hasSecrets ? { headers: values } : {}), ...common }
}
