import { Either, Option, Redacted } from "effect"
import { createHmac } from "node:crypto"
import { isSameSignature } from "../../Runtime/Signature.ts"
import type { ChatRequest } from "../ChatPlatform.ts"

/** Before or after now, so that a recorded request can't be sent again later. */
const maxAgeSeconds = 300

export const sign = (secret: Redacted.Redacted, timestamp: string, body: Uint8Array): string =>
  `v0=${createHmac("sha256", Redacted.value(secret)).update(`v0:${timestamp}:`).update(body).digest("hex")}`

/** Whether the platform made the request, and recently; else why it counts as forged. */
export const checkSignature = (
  secret: Option.Option<Redacted.Redacted>,
  { body, headers }: Pick<ChatRequest, "body" | "headers">,
  nowMillis: number
): Either.Either<void, string> => {
  if (Option.isNone(secret)) return Either.left("it can't be checked: set CHAT_SIGNING_SECRET")
  const { signature, timestamp } = signatureOf(headers)
  if (signature === undefined || timestamp === undefined) return Either.left("it has no signature and timestamp")
  if (!/^\d{1,12}$/.test(timestamp)) return Either.left("its timestamp is not a number of seconds")
  if (Math.abs(nowMillis / 1000 - Number(timestamp)) > maxAgeSeconds) {
    return Either.left(`its timestamp is more than ${maxAgeSeconds / 60} minutes away from now`)
  }
  return isSameSignature(Buffer.from(sign(secret.value, timestamp, body)), Buffer.from(signature))
    ? Either.void
    : Either.left("its signature does not match its body")
}

/** Also under neutral names. */
export const signatureOf = (headers: ChatRequest["headers"]) => {
  const family = headers["x-slack-signature"] === undefined ? "x-chat" : "x-slack"
  return { signature: headers[`${family}-signature`], timestamp: headers[`${family}-request-timestamp`] }
}
