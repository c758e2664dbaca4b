import { isSameSignature } from "../../../Runtime/Signature.ts"
import { webhookPayloadOf } from "../WebhookPayload.ts"
import { at, type Fields, hmac, idIn, inSentence, isCurrent, type Scheme, stale } from "./Scheme.ts"

const eventId = ({ id }: Fields): string => idIn(id)

export const payments: Scheme = {
  idHeaders: [],
  verify: ({ body, headers }, secret, nowMillis) => {
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
  // The content type is not signed.
  deliveryId: ({ body }) => eventId(webhookPayloadOf({ body, contentType: null }).fields),
  eventId,
  describe: (type, fields) => `${type} ${inSentence(at(fields, "type"))} event (ID: ${inSentence(at(fields, "id"))})`
}
