import { oneLine, shortened } from "@troupe/domain/Text"
import { Predicate } from "effect"
import { createHash, createHmac } from "node:crypto"

/** A request as it arrived; header names in lower case. */
export interface SignedRequest {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
  /** The address that the sender has called, with its query. */
  readonly url: string
}

export type Fields = Readonly<Record<string, unknown>>

/** What is known of the payloads of a type of webhooks, by its name. */
export interface KnownType {
  /** The event's id in a payload; empty: none. */
  readonly eventId?: (fields: Fields) => string
  /** What has happened, for the description of the task. */
  readonly describe?: (type: string, fields: Fields) => string
}

/** A way of signing, and what is known of the type that has its name. */
export interface Scheme extends KnownType {
  /** Headers in which its senders name a delivery: the same one when they repeat it. Where nothing is signed, any type may have them. */
  readonly idHeaders: ReadonlyArray<string>
  /** Null if the request has a signature with the secret, else why it is refused. */
  readonly verify: (request: SignedRequest, secret: string, nowMillis: number) => string | null
  /**
   * The id of a verified delivery, only from what the signature covers: whoever repeats a recorded request can't change
   * it. Empty: equal bodies are one delivery.
   */
  readonly deliveryId: (request: SignedRequest) => string
}

const toleranceSeconds = 5 * 60

export const hmac = (key: string | Uint8Array, ...parts: ReadonlyArray<string | Uint8Array>): Buffer => {
  const made = createHmac("sha256", key)
  for (const part of parts) made.update(part)
  return made.digest()
}

export const digestOf = (content: string | Uint8Array): string =>
  `sha256:${createHash("sha256").update(content).digest("hex")}`

export const isCurrent = (timestamp: string, nowMillis: number): boolean =>
  /^\d{1,12}$/.test(timestamp) && Math.abs(nowMillis / 1000 - Number(timestamp)) <= toleranceSeconds

export const stale = "The signature's timestamp is more than 5 minutes away from this service's clock."

/** A value that may be an id; empty if it is no text. */
export const idIn = (value: unknown): string => typeof value === "string" ? value.trim() : ""

export const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((found, name) => Predicate.hasProperty(found, name) ? found[name] : undefined, value)

const maxValue = 200

/** A value from outside in a sentence: one line, not too long. */
export const inSentence = (value: unknown): string => {
  const text = typeof value === "string" ? oneLine(value, value.length) : typeof value === "number" ? String(value) : ""
  return text === "" ? "unknown" : shortened(text, maxValue)
}

export const firstOf = (...values: ReadonlyArray<unknown>): unknown =>
  values.find((value) => inSentence(value) !== "unknown")
