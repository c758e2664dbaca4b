import { Predicate } from "effect"
import { revealed, secretsOf, type ToolServer } from "./ToolServer.ts"

/** Replacing shorter values would make most texts unreadable. */
const minLength = 6

export type Redact = (text: string) => string

/**
 * Replaces the secrets and the values of the server's `env` and `headers` in what it sends: it may repeat what it was given.
 * Of a value of several lines, such as a key, each line is one: it may be sent by the line, or in JSON.
 */
export const makeRedaction = (server: ToolServer, others: ReadonlyArray<string> = []): Redact => {
  const secrets = [...Object.values(revealed(secretsOf(server))), ...others]
    .flatMap((value) => [value, value.replace(/^(?:bearer|basic|token)\s+/i, ""), ...value.split(/\r?\n|\\n/)])
    .filter(({ length }) => length >= minLength)
    .toSorted((one, other) => other.length - one.length)
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, "[redacted]"), text)
}

const maxDepth = 100
const tooDeep = "[nested too deep to be shown]"

/** The names and the structure of schemas, without which a listed tool can't be called. */
const structural = new Set(["name", "type", "required", "format", "$ref", "$dynamicRef", "$schema"])

const isStructural = (key: string, part: unknown): boolean =>
  structural.has(key) && (Array.isArray(part) || Predicate.isString(part))

const redactParts = (redact: Redact, keepsStructure: boolean) => {
  const entryOf = (depth: number) => ([key, part]: readonly [string, unknown]): readonly [string, unknown] => {
    if (!keepsStructure) return [redact(key), redacted(part, depth)]
    return [key, isStructural(key, part) ? part : redacted(part, depth)]
  }
  const redacted = (value: unknown, depth: number): unknown => {
    if (Predicate.isString(value)) return redact(value)
    if (!Predicate.isObject(value)) return value
    if (depth > maxDepth) return tooDeep
    return Array.isArray(value)
      ? value.map((part) => redacted(part, depth + 1))
      : Object.fromEntries(Object.entries(value).map(entryOf(depth + 1)))
  }
  return (value: unknown) => redacted(value, 0)
}

export const redactValue = (value: unknown, redact: Redact): unknown => redactParts(redact, false)(value)

export const redactTool = (tool: unknown, redact: Redact): unknown => redactParts(redact, true)(tool)
