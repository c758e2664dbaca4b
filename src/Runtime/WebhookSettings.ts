import { Duration, Schema } from "effect"
import { optional, secretsByName, setting, settingsByName } from "./Setting.ts"
import * as Format from "./SettingFormats.ts"

const days: Format.Format<Duration.Duration> = Schema.transform(
  Format.integerBetween(1, 3650),
  Schema.DurationFromSelf,
  { strict: true, decode: Duration.days, encode: Duration.toDays }
).annotations({ description: "a number of days from 1 to 3650" })

export const webhooks = {
  webhooks: {
    maxBodyBytes: setting("MAX_WEBHOOK_BODY_MB", Format.megabytes(64), "10")
      .describe("Maximum size of the body of a webhook, in MB of 2^20 bytes."),
    retention: setting("WEBHOOK_RETENTION_DAYS", days, "7")
      .describe("Days after which processed webhooks are deleted from the queue; their tasks stay."),
    tasksPerMinute: setting("WEBHOOK_TASKS_PER_MINUTE", Format.integerBetween(0, 1_000_000), "6000")
      .describe("Tasks that one worker makes of webhooks of one type in a minute; further ones wait. 0: no limit."),
    chatPerMinute: optional("TEAM_CHAT_WEBHOOKS_PER_MINUTE", Format.integerBetween(0, 1_000_000))
      .describe(
        "Webhooks of type team-chat, which need no token, that are accepted in a minute: if hosted, of all addresses "
          + "together unless they are verified, else of one address. 0: no limit. Unset: 60 if hosted, else 600."
      ),
    secrets: secretsByName("WEBHOOK_SECRET_", "TYPE", Format.text)
      .describe(
        "Secret that verifies the signatures of webhooks of a type; WEBHOOK_SECRET_CODE_HOST is that of code-host."
      ),
    schemes: settingsByName("WEBHOOK_SCHEME_", "TYPE", Format.oneOf("code-host", "payments", "standard"))
      .describe(
        "How webhooks of a type are signed. code-host: X-Hub-Signature-256. payments: t=,v1= in Stripe-Signature. "
          + "standard: Standard Webhooks. Unset: payments for that type, else code-host."
      )
  },
  ingestor: {
    port: setting("INGESTOR_PORT", Format.listenPort, "8001")
      .describe("Port on HOST where the role ingestor accepts webhooks.")
  }
}
