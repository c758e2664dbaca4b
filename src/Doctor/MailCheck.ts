import { Effect, Option } from "effect"
import { Mail } from "../Wire/Mail.ts"
import * as Smtp from "../Wire/Smtp.ts"
import type { SmtpSettings } from "../Wire/SmtpSettings.ts"
import { type Check, error, ok, skipped } from "./Check.ts"

/** Whether the mail server answers and accepts the sign-in; nothing is sent. */
export const mailCheck = (settings: Option.Option<SmtpSettings>): Check => ({
  name: "mail",
  run: Option.match(settings, {
    onNone: () => Effect.succeed([skipped("mail", "Sending mail is not set up.", "Set SMTP_HOST and SMTP_FROM.")]),
    onSome: (smtp) =>
      Effect.flatMap(Mail, ({ verify }) => verify).pipe(
        Effect.match({
          onSuccess: (detail) => [ok("mail", detail)],
          onFailure: ({ reason }) => [error("mail", reason, "Check the SMTP_ settings.")]
        }),
        Effect.provide(Smtp.layer(smtp, { connect: "5 seconds", idle: "5 seconds", total: "15 seconds" }))
      )
  })
})
