import { Predicate, Redacted } from "effect"
import type { ToolServer } from "./ToolServer.ts"

/** Shorter values would blacken half of every text. */
const minLength = 6

/** Takes the values of the server's `env` and `headers` out of what it says, for a server may repeat what it is told. */
export const makeScrubber = ({ target }: ToolServer): (text: string) => string => {
  const secrets = Object.values(target.transport === "stdio" ? target.env : target.headers)
    .map(Redacted.value)
    .flatMap((value) => [value, value.replace(/^(?:bearer|basic|token)\s+/i, "")])
    .filter(({ length }) => length >= minLength)
    .toSorted((one, other) => other.length - one.length)
  return secrets.length === 0
    ? (text) => text
    : (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, "[redacted]"), text)
}

/** Nothing of use is nested deeper. */
const maxDepth = 100

/** The same value with every text in it, names of fields included, scrubbed. */
export const scrubbed = (value: unknown, scrub: (text: string) => string, depth = 0): unknown => {
  if (Predicate.isString(value)) return scrub(value)
  if (!Predicate.isObject(value)) return value
  if (depth > maxDepth) return "[nested too deep to be shown]"
  if (Array.isArray(value)) return value.map((part) => scrubbed(part, scrub, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [scrub(key), scrubbed(part, scrub, depth + 1)]))
}

/** A tool as it is listed, scrubbed where it is free to say what it likes: its name and what shapes a schema stay. */
export const scrubbedTool = (tool: unknown, scrub: (text: string) => string, depth = 0): unknown => {
  if (!Predicate.isRecord(tool) || depth > maxDepth) return Predicate.isString(tool) ? scrub(tool) : tool
  return Object.fromEntries(
    Object.entries(tool).map(([key, part]) => [key, scrubbedPart(key, part, scrub, depth + 1)])
  )
}

const shaping = new Set(["name", "type", "required", "format", "$ref", "$dynamicRef", "$schema"])

const scrubbedPart = (key: string, part: unknown, scrub: (text: string) => string, depth: number): unknown => {
  if (Array.isArray(part)) return shaping.has(key) ? part : part.map((item) => scrubbedTool(item, scrub, depth))
  return Predicate.isString(part) && shaping.has(key) ? part : scrubbedTool(part, scrub, depth)
}
