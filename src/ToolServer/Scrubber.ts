import { Redacted } from "effect"
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
