import { deliveryGateways, type Gateway, type GatewayName } from "@troupe/domain/DeliveryWay"
import { webhookSchemes } from "@troupe/domain/WebhookScheme"
import { Record as Records } from "effect"
import { optional, secret, secretsByName, setting, settingsByName } from "./Setting.ts"
import * as Format from "./SettingFormats.ts"

export const chat = {
  chat: {
    apiUrl: optional("CHAT_API_URL", Format.secureUrl)
      .describe("Base address of the chat platform's Web API. Unset: the platform's public one.", "nothing"),
    token: secret("CHAT_BOT_TOKEN", Format.text)
      .describe("Bot token of the team chat. Unset: there is no team chat.", "nothing"),
    signingSecret: secret("CHAT_SIGNING_SECRET", Format.text)
      .describe("Verifies requests of the chat platform. Unset: they are refused.", "nothing"),
    tasksPerMinute: setting("CHAT_TASKS_PER_MINUTE", Format.integerBetween(1, 1_000_000), "10")
      .describe("Tasks that one person may start in the team chat in a minute; further ones are refused.", "nothing"),
    tasksPerHour: setting("CHAT_TASKS_PER_HOUR", Format.integerBetween(1, 1_000_000), "60")
      .describe("Tasks that one person may start in the team chat in an hour; further ones are refused.", "nothing"),
    handlerPort: setting("CHAT_HANDLER_PORT", Format.listenPort, "8002")
      .describe("Port on HOST of the role chat-handler.")
  }
}

const gatewaySettings = ({ title }: Gateway, name: string) => {
  const prefix = name.toUpperCase().replaceAll("-", "_")
  return {
    url: optional(`${prefix}_URL`, Format.httpUrl)
      .describe(`${title}: address to which messages are posted. Unset: none are sent.`, "nothing"),
    token: secret(`${prefix}_TOKEN`, Format.text)
      .describe(`${title}: bearer token for ${prefix}_URL.`, "nothing")
  }
}

/** By the names of the gateways. */
export const gateways = Records.map<GatewayName, Gateway, ReturnType<typeof gatewaySettings>>(
  deliveryGateways,
  gatewaySettings
)

export const mail = {
  smtp: {
    host: optional("SMTP_HOST", Format.host)
      .describe("The server that sends mail. Unset: no mail is sent.", "nothing"),
    port: optional("SMTP_PORT", Format.port)
      .describe("Its port. Unset: 465 with SMTP_SECURE=true, 587 with starttls, 25 with false.", "nothing"),
    secure: setting("SMTP_SECURE", Format.oneOf("starttls", "true", "false"), "starttls")
      .describe(
        "true: TLS from the start. starttls: upgraded to TLS before anything is sent. false: never encrypted.",
        "nothing"
      ),
    user: optional("SMTP_USER", Format.text)
      .describe("User name to sign in with. Unset: no sign-in.", "nothing"),
    password: secret("SMTP_PASSWORD", Format.text)
      .describe("Password to sign in with.", "nothing"),
    from: optional("SMTP_FROM", Format.mailbox)
      .describe("Sender of our mail.", "nothing")
  },
  recipients: {
    domains: setting("SEND_MAIL_TO", Format.mailDomains, "")
      .describe(
        "Domains, separated by commas, to whose addresses agents may send mail unasked; subdomains count as others. Mail to "
          + "any other address that neither the user nor the team has named needs a person's approval.",
        "nothing"
      )
  }
}

export const inbox = {
  imap: {
    host: optional("IMAP_HOST", Format.host)
      .describe("The server of the mailbox whose mails become tasks. Unset: no mail is read.", "nothing"),
    port: optional("IMAP_PORT", Format.port)
      .describe("Its port. Unset: 993 with IMAP_SECURE=true, else 143.", "nothing"),
    secure: setting("IMAP_SECURE", Format.oneOf("true", "starttls", "false"), "true")
      .describe(
        "true: TLS from the start. starttls: upgraded to TLS before the sign-in. false: never encrypted.",
        "nothing"
      ),
    user: optional("IMAP_USER", Format.text)
      .describe("User name to sign in with.", "nothing"),
    password: secret("IMAP_PASSWORD", Format.text)
      .describe("Password to sign in with.", "nothing"),
    mailbox: setting("IMAP_MAILBOX", Format.text, "INBOX")
      .describe("The mailbox that is read. Troupe marks processed mails as read, and deletes nothing.", "nothing"),
    check: setting("IMAP_CHECK", Format.secondsBetween(1, 86_400), "60")
      .describe("Seconds between checks. Where the server announces new mail (IDLE), it is read at once.", "nothing"),
    maxPerSender: setting("INBOX_MAX_PER_SENDER", Format.integerBetween(1, 100_000), "10")
      .describe(
        "Maximum number of mails of one sender that are processed in an hour; further ones wait.",
        "nothing"
      ),
    maxUnknown: setting("INBOX_MAX_UNKNOWN", Format.integerBetween(1, 100_000), "30")
      .describe(
        "Maximum number of mails of all unknown senders together that are processed in an hour; further ones wait. A "
          + "sender is known if somebody has entered the address, or the chat platform lists it.",
        "nothing"
      ),
    maxPerHour: setting("INBOX_MAX_PER_HOUR", Format.integerBetween(1, 100_000), "200")
      .describe("Maximum number of mails of all senders that are processed in an hour; further ones wait.", "nothing"),
    trustedAuthserv: optional("INBOX_TRUSTED_AUTHSERV", Format.host)
      .describe(
        "Name under which your mail server writes Authentication-Results, such as mx.example.org. Only mails whose sender "
          + "it has authenticated are then accepted. Required if hosted. Unset: whoever forges a sender's address acts as "
          + "that sender.",
        "nothing"
      )
  }
}

export const schedules = {
  schedules: {
    interval: setting("SCHEDULER_INTERVAL", Format.secondsBetween(1, 3600), "60")
      .describe("Maximum number of seconds between checks for due schedules; the next due time is checked too."),
    maxPerUser: setting("MAX_SCHEDULES_PER_USER", Format.integerBetween(1, 100_000), "100")
      .describe("Maximum number of schedules of a user that are active or paused.", "nothing")
  },
  digest: {
    hour: optional("DAILY_DIGEST", Format.integerBetween(0, 23))
      .describe(
        "Hour at which everybody is sent a digest of the day, in their own time zone: what ran, failed, waits, and its cost. Unset: off.",
        "nothing"
      )
  }
}

const ownSchemes = Records.keys(webhookSchemes).filter((name) => webhookSchemes[name].isOfItsType)

export const webhooks = {
  webhooks: {
    maxBodyBytes: setting("MAX_WEBHOOK_BODY_MB", Format.megabytes(64), "10")
      .describe("Maximum size of the body of a webhook, in MB of 2^20 bytes.", "nothing"),
    retention: setting("WEBHOOK_RETENTION_DAYS", Format.daysBetween(1, 3650), "7")
      .describe("Days after which processed webhooks are deleted from the queue; their tasks stay.", "nothing"),
    tasksPerMinute: setting("WEBHOOK_TASKS_PER_MINUTE", Format.integerBetween(0, 1_000_000), "6000")
      .describe(
        "Tasks that one worker makes of webhooks of one type in a minute; further ones wait. 0: no limit.",
        "nothing"
      ),
    chatPerMinute: optional("TEAM_CHAT_WEBHOOKS_PER_MINUTE", Format.integerBetween(0, 1_000_000))
      .describe(
        "Webhooks of type team-chat, which need no token, that are accepted in a minute: if hosted, of all addresses "
          + "together unless they are verified, else of one address. 0: no limit. Unset: 60 if hosted, else 600.",
        "nothing"
      ),
    trustUnsigned: setting("WEBHOOK_TRUST_UNSIGNED", Format.flag, "false")
      .describe(
        "Whether tasks of webhooks without signature and token have all tools, whoever sent them. false: only those "
          + "sent from this machine, if self-hosted; the others have read-only tools.",
        "nothing"
      ),
    secrets: secretsByName("WEBHOOK_SECRET_", "TYPE", Format.text)
      .describe(
        "Secret that verifies the signatures of webhooks of a type; WEBHOOK_SECRET_CODE_HOST is that of code-host.",
        "nothing"
      ),
    trusted: settingsByName("WEBHOOK_TRUSTED_", "TYPE", Format.flag)
      .describe("As WEBHOOK_TRUST_UNSIGNED, for webhooks of a type.", "nothing"),
    agents: settingsByName("WEBHOOK_AGENT_", "TYPE", Format.text)
      .describe("The agent that works on the tasks of webhooks of a type.", "nothing"),
    schemes: settingsByName("WEBHOOK_SCHEME_", "TYPE", Format.oneOf(...Records.keys(webhookSchemes)))
      .describe(
        `How webhooks of a type are signed. ${
          Records.toEntries(webhookSchemes).map(([name, { header, signs = header }]) => `${name}: ${signs}.`).join(" ")
        } Unset: ${ownSchemes.join(", ").replace(/, (?=\S+$)/, " and ")} for these types, else code-host.`,
        "nothing"
      )
  },
  ingestor: {
    port: setting("INGESTOR_PORT", Format.listenPort, "8001")
      .describe("Port on HOST where the role ingestor accepts webhooks.")
  }
}
