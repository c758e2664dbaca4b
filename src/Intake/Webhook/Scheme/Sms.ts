import { createHash, createHmac } from "node:crypto"
import { isSameSignature } from "../../../Runtime/Signature.ts"
import { at, digestOf, idIn, inSentence, type Scheme } from "./Scheme.ts"

export const sms: Scheme = {
  idHeaders: ["i-twilio-idempotency-token"],
  verify: ({ body, headers, url }, secret) => {
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
  // The same for fields in another order or encoding.
  deliveryId: ({ body, url }) => digestOf(url + (signedFields(url, body) ?? "")),
  // An SMS has one event for each of its statuses.
  eventId: ({ MessageSid, MessageStatus }) => [MessageSid, MessageStatus].map(idIn).filter(Boolean).join(" "),
  describe: (type, fields) =>
    `${type} message from ${inSentence(at(fields, "From"))} (SID: ${inSentence(at(fields, "MessageSid"))})`
}

/** The part of the body that is signed after the address; null if the address has the digest of another body. */
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
