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

/** The mailbox that is read; its client is loaded only where there is one. */
export const imap = Option.match({
  onNone: () => Imap.layerUnconfigured,
  onSome: (settings: ImapSettings) =>
    Layer.unwrapEffect(Effect.promise(() => import("../Wire/ImapClient.ts").then(({ layer }) => layer(settings))))
})
