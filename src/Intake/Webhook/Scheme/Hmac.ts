import type { HmacScheme } from "@troupe/domain/WebhookScheme"
import { isSameSignature } from "../../../Runtime/Signature.ts"
import { hmac, isCurrent, type Scheme, stale } from "./Scheme.ts"

const forms = { base64: /^[A-Za-z0-9+/]{43}=$/, hex: /^[0-9a-f]{64}$/i }

/** The scheme of a record. Its deliveries are told apart by their bodies: a header that is not signed is no id. */
export const hmacScheme = ({ encoding, header, idHeaders = [], prefix = "", time }: HmacScheme): Scheme => ({
  idHeaders,
  verify: ({ body, headers }, secret, nowMillis) => {
    const given = headers[header.toLowerCase()] ?? ""
    const text = given.slice(prefix.length)
    const hasForm = given.toLowerCase().startsWith(prefix.toLowerCase()) && forms[encoding].test(text)
    const seconds = time === undefined ? "" : headers[time.header.toLowerCase()] ?? ""
    const signed = time === undefined ? "the body" : `the time in ${time.header} and the body`
    if (!hasForm) {
      return `The header ${header} must be ${prefix === "" ? "" : `${prefix} and `}the ${encoding} HMAC of ${signed}.`
    }
    if (time !== undefined && seconds === "") return `The header ${time.header} is required.`
    if (time !== undefined && !isCurrent(seconds, nowMillis)) return stale
    return isSameSignature(hmac(secret, time?.before(seconds) ?? "", body), Buffer.from(text, encoding))
      ? null
      : `The signature does not match ${signed}.`
  },
  deliveryId: () => ""
})
