import { optional, secret, setting } from "./Setting.ts"
import * as Format from "./SettingFormats.ts"

export const chat = {
  chat: {
    apiUrl: optional("CHAT_API_URL", Format.secureUrl)
      .describe("Base address of the chat platform's Web API. Unset: the platform's public one."),
    token: secret("CHAT_BOT_TOKEN", Format.text)
      .describe("Bot token of the team chat. Unset: there is no team chat."),
    signingSecret: secret("CHAT_SIGNING_SECRET", Format.text)
      .describe("Verifies requests of the chat platform. Unset: they are refused."),
    tasksPerMinute: setting("CHAT_TASKS_PER_MINUTE", Format.integerBetween(1, 1_000_000), "10")
      .describe("Tasks that one person may start in the team chat in a minute; further ones are refused."),
    tasksPerHour: setting("CHAT_TASKS_PER_HOUR", Format.integerBetween(1, 1_000_000), "60")
      .describe("Tasks that one person may start in the team chat in an hour; further ones are refused."),
    handlerPort: setting("CHAT_HANDLER_PORT", Format.listenPort, "8002")
      .describe("Port on HOST of the role chat-handler.")
  }
}
