import type { OutboxId } from "@troupe/domain/Outbox"
import type { SubscriptionId } from "@troupe/domain/Subscription"
import { Redacted } from "effect"
import { createHmac, randomBytes } from "node:crypto"

const prefix = "whsec_"

/** A new signing secret, in the form of Standard Webhooks. */
export const makeSecret = (): string => prefix + randomBytes(32).toString("base64")

/** What a sealed secret is for. */
export const secretPlace = (id: SubscriptionId): string => `subscription\0${id}`

/** The headers by which a receiver verifies a request (https://www.standardwebhooks.com). */
export const signatureHeaders = (
  secret: Redacted.Redacted,
  { body, epochSeconds, id }: { readonly id: OutboxId; readonly epochSeconds: number; readonly body: string }
): Readonly<Record<string, string>> => {
  const key = Buffer.from(Redacted.value(secret).slice(prefix.length), "base64")
  const signature = createHmac("sha256", key).update(`${id}.${epochSeconds}.${body}`).digest("base64")
  return { "webhook-id": id, "webhook-timestamp": String(epochSeconds), "webhook-signature": `v1,${signature}` }
}
