import type { WebhookScheme } from "@troupe/domain/WebhookScheme"
import { digestOf, idIn, type SignedRequest } from "./Scheme/Scheme.ts"
import { knownTypes, schemes } from "./Scheme/Schemes.ts"
import { webhookPayloadOf } from "./WebhookPayload.ts"

/** Headers in which senders name a delivery, those of the schemes and of others. */
const idHeaders = [
  ...Object.values(schemes).flatMap((scheme) => scheme.idHeaders),
  "x-shopify-webhook-id",
  "idempotency-key"
]

const maxLength = 255

/** Bytes of a body that is read before its answer; senders that give ids in the payload send less. */
const maxRead = 1024 * 1024

const bounded = (id: string): string => id.length <= maxLength ? id : digestOf(id)

/**
 * The sender's id of a delivery of a type without a secret; null: none. Anybody may have sent the body, so a large one
 * is not read here.
 */
export const deliveryIdOf = (type: string, { body, headers }: Omit<SignedRequest, "url">): string | null => {
  const inPayload = body.length > maxRead ? undefined : knownTypes.get(type)?.eventId
  const given = idHeaders.map((name) => idIn(headers[name])).find((value) => value !== "")
    ?? inPayload?.(webhookPayloadOf({ body, contentType: headers["content-type"] ?? null }).fields)
    ?? ""
  return given === "" ? null : bounded(given)
}

/** The id of a verified delivery, only from what the signature covers: whoever repeats a recorded request can't change it. */
export const signedDeliveryIdOf = (scheme: WebhookScheme, request: SignedRequest): string => {
  const given = schemes[scheme].deliveryId(request)
  return given === "" ? digestOf(request.body) : bounded(given)
}
