import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { SignatureInvalid } from "@troupe/domain/TeamChat"
import { Clock, Effect, Either, Option, Redacted } from "effect"
import { createHmac } from "node:crypto"
import { IncomingRequest } from "../../Runtime/IncomingRequest.ts"
import { isSameSignature } from "../../Runtime/Signature.ts"
import type { SignedRequest } from "../Webhook/Scheme/Scheme.ts"

/** Before or after now, so that a recorded request can't be sent again later. */
const maxAgeSeconds = 300

export const sign = (secret: Redacted.Redacted, timestamp: string, body: Uint8Array): string =>
  `v0=${createHmac("sha256", Redacted.value(secret)).update(`v0:${timestamp}:`).update(body).digest("hex")}`

/** Whether the platform made the request, and recently; else why it counts as forged. */
export const checkSignature = (
  secret: Redacted.Redacted,
  request: Pick<SignedRequest, "body" | "headers">,
  nowMillis: number
): Either.Either<void, string> => {
  const { signature, timestamp } = signatureOf(request.headers)
  if (signature === undefined || timestamp === undefined) return Either.left("it has no signature and timestamp")
  if (!/^\d{1,12}$/.test(timestamp)) return Either.left("its timestamp is not a number of seconds")
  if (Math.abs(nowMillis / 1000 - Number(timestamp)) > maxAgeSeconds) {
    return Either.left(`its timestamp is more than ${maxAgeSeconds / 60} minutes away from now`)
  }
  return isSameSignature(Buffer.from(sign(secret, timestamp, request.body)), Buffer.from(signature))
    ? Either.void
    : Either.left("its signature does not match its body")
}

export const signatureOf = (headers: SignedRequest["headers"]) => {
  const family = headers["x-slack-signature"] === undefined ? "x-chat" : "x-slack"
  return { signature: headers[`${family}-signature`], timestamp: headers[`${family}-request-timestamp`] }
}

/** What the platform sends is far smaller. */
const maxBytes = 1024 * 1024

/**
 * The bytes of a body that the platform signed within the last minutes. Without a secret every request is refused. Only
 * refused requests count against the rate limit, because the platform sends the requests of all people from few addresses.
 */
export const makeReadSigned = (secret: Option.Option<Redacted.Redacted>) =>
  Effect.fnUntraced(function*({ headers }: HttpServerRequest.HttpServerRequest) {
    if (Option.isNone(secret)) return yield* refused("it can't be checked: set CHAT_SIGNING_SECRET")
    // It fails with problems that every endpoint may answer.
    const body = yield* Effect.orDie((yield* IncomingRequest).body(maxBytes))
    const now = yield* Clock.currentTimeMillis
    yield* Effect.catchAll(checkSignature(secret.value, { headers, body }, now), refused)
    return body
  })

const refused = (because: string) =>
  Effect.gen(function*() {
    yield* (yield* IncomingRequest).count
    yield* Effect.logWarning(`Refused a request to the team chat's endpoints: ${because}`)
    return yield* new SignatureInvalid({ reason: `The request was not made by the chat platform: ${because}.` })
  })
