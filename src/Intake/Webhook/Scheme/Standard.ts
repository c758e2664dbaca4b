import { standardKeys } from "../../../Runtime/Settings/SettingFormats.ts"
import { isSameSignature } from "../../../Runtime/Signature.ts"
import { hmac, isCurrent, type Scheme, type SignedRequest, stale } from "./Scheme.ts"

export const standard: Scheme = {
  idHeaders: ["webhook-id", "svix-id"],
  verify: ({ body, headers }, secret, nowMillis) => {
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
  },
  deliveryId: ({ headers }) => standardHeaders(headers).id
}

/**
 * The headers of Standard Webhooks: all three under one name, so that nobody adds an id under the other to a delivery that
 * is signed.
 */
const standardHeaders = (headers: SignedRequest["headers"]) => {
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
