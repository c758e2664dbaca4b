import { settingOf, spellingOf, usualSchemeOf, type WebhookScheme } from "@troupe/domain/WebhookScheme"
import { Either, Redacted } from "effect"
import { digestOf, idIn, type SignedRequest } from "./Scheme/Scheme.ts"
import { knownTypes, schemes } from "./Scheme/Schemes.ts"
import { webhookPayloadOf } from "./WebhookPayload.ts"

export const secretSettingOf = (type: string): string => `WEBHOOK_SECRET_${settingOf(type)}`

/** What to do where webhooks of the type have neither a signature nor a token. */
export const howToSign = (type: string): string =>
  `Or let the sender sign its webhooks: set ${secretSettingOf(type)} here, and the same secret there.`

export interface WebhookSecrets {
  readonly secrets: ReadonlyMap<string, Redacted.Redacted>
  readonly schemes: ReadonlyMap<string, WebhookScheme>
}

export const hasSecret = ({ secrets }: WebhookSecrets, type: string): boolean => secrets.has(settingOf(type))

export interface Verified {
  /** The one spelling of the type: every spelling with the same setting is the same type. */
  readonly type: string
  /** Null: the type has no secret, so nothing was verified. */
  readonly scheme: WebhookScheme | null
}

/** Right: the request is from a sender with the type's secret, or the type has none. Left: why it is refused. */
export const verify = (
  { schemes: chosen, secrets }: WebhookSecrets,
  type: string,
  request: SignedRequest,
  nowMillis: number
): Either.Either<Verified, string> => {
  const name = settingOf(type)
  const secret = secrets.get(name)
  if (secret === undefined) return Either.right({ type, scheme: null })
  const scheme = chosen.get(name) ?? usualSchemeOf(type)
  const refusal = schemes[scheme].verify(request, Redacted.value(secret), nowMillis)
  return refusal === null ? Either.right({ type: spellingOf(name), scheme }) : Either.left(refusal)
}

/** Headers in which senders give the id of a delivery: those of the webhook schemes, and those of other senders. */
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
