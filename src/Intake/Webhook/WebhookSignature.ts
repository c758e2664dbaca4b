import { settingOf, spellingOf, usualSchemeOf, type WebhookScheme } from "@troupe/domain/WebhookScheme"
import { Either, Redacted } from "effect"
import type { SignedRequest } from "./Scheme/Scheme.ts"
import { schemes } from "./Scheme/Schemes.ts"

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
