import { createHash } from "node:crypto"
import { type WebhookPayload, webhookPayloadOf } from "./WebhookPayload.ts"
import { type SignedRequest, smsContent, standardHeaders, type WebhookScheme } from "./WebhookSignature.ts"

/** Headers in which senders name a delivery: the same one when they repeat it. */
const idHeaders = [
  "x-github-delivery",
  "webhook-id",
  "svix-id",
  "i-twilio-idempotency-token",
  "x-shopify-webhook-id",
  "idempotency-key"
]

const maxLength = 255

/** Bytes of a body that is read before its answer; senders that give ids in the payload send less. */
const maxRead = 1024 * 1024

const digest = (content: string | Uint8Array): string => `sha256:${createHash("sha256").update(content).digest("hex")}`

const bounded = (id: string): string => id.length <= maxLength ? id : digest(id)

type Fields = WebhookPayload["fields"]

const named = (value: unknown): string => typeof value === "string" ? value.trim() : ""

/** The event's id in the payload, by type. An SMS has one event for each of its statuses. */
const idsInPayload: ReadonlyMap<string, (fields: Fields) => string> = new Map([
  ["payments", ({ id }: Fields) => named(id)],
  ["sms", ({ MessageSid, MessageStatus }: Fields) => [MessageSid, MessageStatus].map(named).filter(Boolean).join(" ")],
  ["team-chat", ({ event_id }: Fields) => named(event_id)]
])

/**
 * The sender's id of a delivery of a type without a secret; null: none. Anybody may have sent the body, so a large one
 * is not read here.
 */
export const deliveryIdOf = (type: string, { body, headers }: Omit<SignedRequest, "url">): string | null => {
  const inPayload = body.length > maxRead ? undefined : idsInPayload.get(type)
  const given = idHeaders.map((name) => named(headers[name])).find((value) => value !== "")
    ?? inPayload?.(webhookPayloadOf({ body, contentType: headers["content-type"] ?? null }).fields)
    ?? ""
  return given === "" ? null : bounded(given)
}

/** The id of a verified delivery, only from what the signature covers: whoever repeats a recorded request can't change it. */
export const signedDeliveryIdOf = (scheme: WebhookScheme, request: SignedRequest): string => {
  if (scheme === "sms") return digest(smsContent(request))
  const { body, headers } = request
  const given = scheme === "standard"
    ? standardHeaders(headers).id
    : scheme === "payments"
    // The content type is not signed.
    ? named(webhookPayloadOf({ body, contentType: null }).fields["id"])
    : ""
  return given === "" ? digest(body) : bounded(given)
}
