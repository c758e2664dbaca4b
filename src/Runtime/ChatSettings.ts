import { optional, secret, setting } from "./Setting.ts"
import * as Format from "./SettingFormats.ts"

/** The settings of team chat. */

export const chat = {
  chat: {
    apiUrl: optional("CHAT_API_URL", Format.secureUrl)
      .describe("Base address of the chat platform's Web API. Unset: the platform's public one."),
    token: secret("CHAT_BOT_TOKEN", Format.text)
      .describe("Bot token of the team chat. Unset: there is no team chat."),
    signingSecret: secret("CHAT_SIGNING_SECRET", Format.text)
      .describe("Verifies requests of the chat platform. Unset: they are refused."),
    handlerPort: setting("CHAT_HANDLER_PORT", Format.listenPort, "8002")
      .describe("Port on HOST of the role chat-handler.")
  }
}
