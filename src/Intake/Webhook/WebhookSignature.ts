import { Either, Redacted } from "effect"
import { createHash, createHmac } from "node:crypto"
import { standardKeys } from "../../Runtime/Settings/SettingFormats.ts"
import { isSameSignature } from "../../Runtime/Signature.ts"

/**
 * The headers of Standard Webhooks: all three under one name, so that nobody adds an id under the other to a delivery that
 * is signed.
 */
export const standardHeaders = (headers: SignedRequest["headers"]) => {
  const named = (prefix: string) => {
    const [id = "", timestamp = "", signature = ""] = ["id", "timestamp", "signature"].map((part) =>
      headers[`${prefix}-${part}`]?.trim()
    )
    return { id, timestamp, signature }
  }
  const isComplete = (found: object) => Object.values(found).every((value) => value !== "")
  const [standard, svix] = [named("webhook"), named("svix")]
  return isComplete(svix) && !isComplete(standard) ? svix : standard
}

/** How the sender signs: `sms` by HMAC SHA-1, the others by HMAC SHA-256. */
export type WebhookScheme = "code-host" | "payments" | "sms" | "standard"

/** A request as it arrived; header names in lower case. */
export interface SignedRequest {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
  /** The address that the sender has called, with its query. */
  readonly url: string
}

const toleranceSeconds = 5 * 60

const hmac = (key: string | Uint8Array, ...parts: ReadonlyArray<string | Uint8Array>): Buffer => {
  const made = createHmac("sha256", key)
  for (const part of parts) made.update(part)
  return made.digest()
}

const isCurrent = (timestamp: string, nowMillis: number) =>
  /^\d{1,12}$/.test(timestamp) && Math.abs(nowMillis / 1000 - Number(timestamp)) <= toleranceSeconds

const stale = "The signature's timestamp is more than 5 minutes away from this service's clock."

const schemes: Record<WebhookScheme, (request: SignedRequest, secret: string, nowMillis: number) => string | null> = {
  "code-host": ({ body, headers }, secret) => {
    const [, hex] = /^sha256=([0-9a-f]{64})$/i.exec(headers["x-hub-signature-256"] ?? "") ?? []
    if (hex === undefined) return "The header X-Hub-Signature-256 must be sha256= and the hex HMAC of the body."
    return isSameSignature(hmac(secret, body), Buffer.from(hex, "hex"))
      ? null
      : "The signature does not match the body."
  },
  payments: ({ body, headers }, secret, nowMillis) => {
    const signature = headers["stripe-signature"] ?? headers["x-payments-signature"] ?? ""
    const parts = signature.split(",").map((part) => part.trim())
    const timestamp = parts.find((part) => part.startsWith("t="))?.slice(2) ?? ""
    const given = parts.filter((part) => /^v1=[0-9a-f]{64}$/i.test(part)).map((part) =>
      Buffer.from(part.slice(3), "hex")
    )
    if (timestamp === "" || given.length === 0) return "The header Stripe-Signature must have t= and v1=."
    if (!isCurrent(timestamp, nowMillis)) return stale
    const wanted = hmac(secret, `${timestamp}.`, body)
    return given.some((one) => isSameSignature(wanted, one))
      ? null
      : "The signature does not match the timestamp and the body."
  },
  sms: ({ body, headers, url }, secret) => {
    const given = Buffer.from(headers["x-twilio-signature"] ?? "", "base64")
    if (given.length === 0) return "The header X-Twilio-Signature is required."
    const fields = signedFields(url, body)
    if (fields === null) return "The body does not match bodySHA256 in the address."
    return portSpellings(url).some((spelling) =>
        isSameSignature(createHmac("sha1", secret).update(spelling + fields).digest(), given)
      )
      ? null
      : `The signature does not match ${
        new URL(url).origin
      }, the rest of the address and the fields of the form. If the `
        + "sender calls another address, set BACKEND_API_URL to it."
  },
  standard: ({ body, headers }, secret, nowMillis) => {
    const { id, signature, timestamp } = standardHeaders(headers)
    const given = signature.split(" ").filter((part) => part.startsWith("v1,"))
    if (id === "" || timestamp === "" || given.length === 0) {
      return "The headers webhook-id, webhook-timestamp and webhook-signature (v1), or those named svix-, are required."
    }
    if (!isCurrent(timestamp, nowMillis)) return stale
    const wanted = standardKeys(secret).map((key) => hmac(key, `${id}.${timestamp}.`, body))
    return given.some((one) =>
        wanted.some((signature) => isSameSignature(signature, Buffer.from(one.slice(3), "base64")))
      )
      ? null
      : "The signature does not match the id, the timestamp and the body."
  }
}

/** The part of the body that the scheme `sms` signs after the address; null if the address has the digest of another body. */
const signedFields = (url: string, body: Uint8Array): string | null => {
  const digest = new URL(url).searchParams.get("bodySHA256")
  if (digest !== null) {
    return isSameSignature(createHash("sha256").update(body).digest(), Buffer.from(digest, "hex")) ? "" : null
  }
  const form = new URLSearchParams(Buffer.from(body).toString("utf8"))
  return [...new Set(form.keys())].toSorted(byUnits).flatMap((name) =>
    [...new Set(form.getAll(name))].toSorted(byUnits).map((value) => name + value)
  ).join("")
}

const byUnits = (one: string, other: string): number => one < other ? -1 : one > other ? 1 : 0

/** The sender signs an address with or without its port. */
const portSpellings = (url: string): ReadonlyArray<string> => {
  const { host, hostname, port, protocol } = new URL(url)
  const rest = url.slice(`${protocol}//${host}`.length)
  const shown = port === "" ? protocol === "https:" ? "443" : "80" : port
  return [hostname, `${hostname}:${shown}`].map((authority) => `${protocol}//${authority}${rest}`)
}

/** The text that a signature of the scheme `sms` covers; the same for fields in another order or encoding. */
export const smsContent = ({ body, url }: SignedRequest): string => url + (signedFields(url, body) ?? "")

const settingOf = (type: string): string => type.toUpperCase().replace(/[^A-Z0-9]/g, "_")

export const secretSettingOf = (type: string): string => `WEBHOOK_SECRET_${settingOf(type)}`

/** What to do where webhooks of the type have neither a signature nor a token. */
export const howToSign = (type: string): string =>
  `Or let the sender sign its webhooks: set ${secretSettingOf(type)} here, and the same secret there.`

export interface WebhookSecrets {
  readonly secrets: ReadonlyMap<string, Redacted.Redacted>
  readonly schemes: ReadonlyMap<string, WebhookScheme>
}

export const hasSecret = ({ secrets }: WebhookSecrets, type: string): boolean => secrets.has(settingOf(type))

const defaultSchemes: ReadonlyMap<string, WebhookScheme> = new Map([["PAYMENTS", "payments"], ["SMS", "sms"]])

export interface Verified {
  /** The one spelling of the type: every spelling with the same setting is the same type. */
  readonly type: string
  /** Null: the type has no secret, so nothing was verified. */
  readonly scheme: WebhookScheme | null
}

/** Right: the request is from a sender with the type's secret, or the type has none. Left: why it is refused. */
export const verify = (
  { schemes: chosen, secrets }: WebhookSecrets,
  type: string,
  request: SignedRequest,
  nowMillis: number
): Either.Either<Verified, string> => {
  const name = settingOf(type)
  const secret = secrets.get(name)
  if (secret === undefined) return Either.right({ type, scheme: null })
  const scheme = chosen.get(name) ?? defaultSchemes.get(name) ?? "code-host"
  const refusal = schemes[scheme](request, Redacted.value(secret), nowMillis)
  return refusal === null
    ? Either.right({ type: name.toLowerCase().replaceAll("_", "-"), scheme })
    : Either.left(refusal)
}
