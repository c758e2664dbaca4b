import { Effect, Layer, Option } from "effect"
import { Imap } from "../Wire/Imap.ts"
import type { ImapSettings } from "../Wire/ImapClient.ts"
import { Mail } from "../Wire/Mail.ts"
import type { SmtpSettings } from "../Wire/Smtp.ts"

/** The server that sends mail; its client is loaded only where there is one. */
export const smtp = Option.match({
  onNone: () => Mail.layerUnconfigured,
  onSome: (settings: SmtpSettings) =>
    Layer.unwrapEffect(Effect.promise(() => import("../Wire/Smtp.ts").then(({ layer }) => layer(settings))))
})

/** Sends by the server of the settings at the time. A mail that is on its way keeps its server. */
export const mail = (settings: () => Option.Option<SmtpSettings>): Layer.Layer<Mail> =>
  Layer.succeed(Mail, {
    get sender() {
      return Option.map(settings(), ({ from }) => from)
    },
    send: (mail, beforeTransfer) =>
      Effect.suspend(() =>
        Effect.provide(Effect.flatMap(Mail, ({ send }) => send(mail, beforeTransfer)), smtp(settings()))
      ),
    verify: Effect.suspend(() => Effect.provide(Effect.flatMap(Mail, ({ verify }) => verify), smtp(settings())))
  })

/** Opens the mailbox of the settings at the time. */
export const mailbox = (settings: () => Option.Option<ImapSettings>): Layer.Layer<Imap> =>
  Layer.succeed(Imap, {
    open: Effect.suspend(() => Effect.provide(Effect.flatMap(Imap, ({ open }) => open), imap(settings())))
  })

/** The mailbox that is read; its client is loaded only where there is one. */
export const imap = Option.match({
  onNone: () => Imap.layerUnconfigured,
  onSome: (settings: ImapSettings) =>
    Layer.unwrapEffect(Effect.promise(() => import("../Wire/ImapClient.ts").then(({ layer }) => layer(settings))))
})
