import { createHash } from "node:crypto"
import type { WebhookPayload } from "./WebhookPayload.ts"

/** Headers in which senders name a delivery: the same one when they repeat it. */
const idHeaders = [
  "x-github-delivery",
  "webhook-id",
  "i-twilio-idempotency-token",
  "x-shopify-webhook-id",
  "idempotency-key"
]

const maxLength = 255

const bounded = (id: string): string =>
  id.length <= maxLength ? id : `sha256:${createHash("sha256").update(id).digest("hex")}`

type Fields = WebhookPayload["fields"]

const named = (value: unknown): string => typeof value === "string" ? value.trim() : ""

/** What names the event in the payload, by type. An SMS has one event for each of its statuses. */
const idsInPayload: ReadonlyMap<string, (fields: Fields) => string> = new Map([
  ["payments", ({ id }: Fields) => named(id)],
  ["sms", ({ MessageSid, MessageStatus }: Fields) => [MessageSid, MessageStatus].map(named).filter(Boolean).join(" ")],
  ["team-chat", ({ event_id }: Fields) => named(event_id)]
])

/** The sender's id of a delivery; null where it gives none, so that each delivery is one of its own. */
export const deliveryIdOf = (
  type: string,
  headers: Readonly<Record<string, string | undefined>>,
  payload: () => Pick<WebhookPayload, "fields">
): string | null => {
  const given = idHeaders.map((name) => named(headers[name])).find((value) => value !== "")
    ?? idsInPayload.get(type)?.(payload().fields)
    ?? ""
  return given === "" ? null : bounded(given)
}
