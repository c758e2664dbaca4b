import { type HmacScheme, type HmacSchemeName, hmacSchemes, type WebhookScheme } from "@troupe/domain/WebhookScheme"
import { Record } from "effect"
import { codeHost } from "./CodeHost.ts"
import { hmacScheme } from "./Hmac.ts"
import { payments } from "./Payments.ts"
import { at, firstOf, idIn, inSentence, type KnownType, type Scheme } from "./Scheme.ts"
import { sms } from "./Sms.ts"
import { standard } from "./Standard.ts"

export const schemes: Readonly<Record<WebhookScheme, Scheme>> = {
  ...Record.map<HmacSchemeName, HmacScheme, Scheme>(hmacSchemes, hmacScheme),
  payments,
  sms,
  standard
}

const teamChat: KnownType = {
  eventId: ({ event_id }) => idIn(event_id),
  describe: (type, fields) => {
    const channel = firstOf(at(fields, "event", "channel"), at(fields, "event", "channel", "id"), at(fields, "channel"))
    const user = firstOf(at(fields, "event", "user"), at(fields, "event", "user", "id"), at(fields, "user"))
    return `${type} event in channel ${inSentence(channel)} from user ${inSentence(user)}`
  }
}

/** What is known of the types of webhooks; those of other senders are known by their headers alone. */
export const knownTypes: ReadonlyMap<string, KnownType> = new Map([
  ...Object.entries<KnownType>(schemes),
  ["code-host", codeHost],
  ["team-chat", teamChat]
])
