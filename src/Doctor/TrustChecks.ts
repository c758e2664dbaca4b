import { ok, skipped, warning } from "@troupe/domain/Finding"
import { Effect, Option, type Redacted } from "effect"
import type { Check } from "./Check.ts"

/** Whether anybody who sends mail can act as somebody else. */
export const inboxCheck = (settings: Option.Option<{ readonly trustedAuthserv: Option.Option<string> }>): Check => ({
  name: "inbox",
  run: Effect.succeed(
    Option.exists(settings, ({ trustedAuthserv }) => Option.isNone(trustedAuthserv))
      ? [
        warning(
          "inbox",
          "Whoever forges a sender's address acts as that sender.",
          "Set INBOX_TRUSTED_AUTHSERV to the name in the Authentication-Results of your mail server."
        )
      ]
      : []
  )
})

/** Which senders of webhooks are verified. */
export const webhookCheck = ({ secrets, trustUnsigned }: {
  readonly secrets: ReadonlyMap<string, Redacted.Redacted>
  readonly trustUnsigned: boolean
}): Check => {
  const sign = "Set WEBHOOK_SECRET_<TYPE> here, and the same secret at the sender."
  const signed = secrets.size === 0
    ? "No type of webhook has a secret."
    : `Signatures of these webhooks are verified: ${[...secrets.keys()].sort().join(", ")}.`
  return {
    name: "webhooks",
    run: Effect.succeed([
      trustUnsigned
        ? warning(
          "webhooks",
          `${signed} Whoever can send others starts tasks that have all tools.`,
          `${sign} Then unset WEBHOOK_TRUST_UNSIGNED.`
        )
        : secrets.size === 0
        ? skipped(
          "webhooks",
          `${signed} Without a token too, tasks of webhooks from other machines have read-only tools.`,
          sign
        )
        : ok("webhooks", signed)
    ])
  }
}
