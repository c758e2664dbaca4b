import { Effect, Layer, Option, type Redacted } from "effect"
import { ChatHealth } from "../People/ChatHealth.ts"
import * as SlackWebApi from "../Wire/SlackWebApi.ts"
import { type Check, error, ok, skipped, warning } from "./Check.ts"

/** Whether the chat platform accepts the token; nothing is posted. */
export const chatCheck = ({ apiUrl, signingSecret, token }: {
  readonly apiUrl: Option.Option<URL>
  readonly token: Option.Option<Redacted.Redacted>
  readonly signingSecret: Option.Option<Redacted.Redacted>
}): Check => ({
  name: "chat",
  run: Option.match(token, {
    onNone: () =>
      Effect.succeed([
        skipped("chat", "Team chat is not set up.", "Set CHAT_BOT_TOKEN and CHAT_SIGNING_SECRET.")
      ]),
    onSome: (given) =>
      Effect.flatMap(ChatHealth, ({ check }) => check).pipe(
        Effect.map(({ detail, status }) =>
          status !== "ok"
            ? [error("chat", detail, "Check CHAT_BOT_TOKEN and CHAT_API_URL.")]
            : Option.isNone(signingSecret)
            ? [warning("chat", detail, "Set CHAT_SIGNING_SECRET to the secret that the platform shows.")]
            : [ok("chat", detail)]
        ),
        Effect.provide(
          ChatHealth.layer({ canReceive: Option.isSome(signingSecret) }).pipe(
            Layer.provide(SlackWebApi.layer({ apiUrl: Option.getOrNull(apiUrl), token: given, timeout: 10_000 }))
          )
        )
      )
  })
})
