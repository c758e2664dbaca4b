import { Predicate } from "effect"
import { revealed, secretsOf, type ToolServer } from "./ToolServer.ts"

/** Replacing shorter values would make most texts unreadable. */
const minLength = 6

export type Redact = (text: string) => string

/** Replaces the values of the server's `env` and `headers` in what it sends: a server may repeat what it was given. */
export const makeRedaction = (server: ToolServer): Redact => {
  const secrets = Object.values(revealed(secretsOf(server)))
    .flatMap((value) => [value, value.replace(/^(?:bearer|basic|token)\s+/i, "")])
    .filter(({ length }) => length >= minLength)
    .toSorted((one, other) => other.length - one.length)
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, "[redacted]"), text)
}

const maxDepth = 100
const tooDeep = "[nested too deep to be shown]"

export const redactValue = (value: unknown, redact: Redact, depth = 0): unknown => {
  if (Predicate.isString(value)) return redact(value)
  if (!Predicate.isObject(value)) return value
  if (depth > maxDepth) return tooDeep
  if (Array.isArray(value)) return value.map((part) => redactValue(part, redact, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [redact(key), redactValue(part, redact, depth + 1)])
  )
}

/** The names and the structure of schemas, without which a listed tool can't be called. */
const structural = new Set(["name", "type", "required", "format", "$ref", "$dynamicRef", "$schema"])

export const redactTool = (tool: unknown, redact: Redact, depth = 0): unknown => {
  if (Predicate.isString(tool)) return redact(tool)
  if (!Predicate.isObject(tool)) return tool
  if (depth > maxDepth) return tooDeep
  if (Array.isArray(tool)) return tool.map((part) => redactTool(part, redact, depth + 1))
  return Object.fromEntries(
    Object.entries(tool).map(([key, part]) => [
      key,
      isStructural(key, part) ? part : redactTool(part, redact, depth + 1)
    ])
  )
}

const isStructural = (key: string, part: unknown): boolean =>
  structural.has(key) && (Array.isArray(part) || Predicate.isString(part))
