import { Effect, Option } from "effect"
import { randomUUID } from "node:crypto"
import { mkdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { ChatPlatform } from "../Chat/ChatPlatform.ts"
import { modelCheck } from "../Doctor/ModelCheck.ts"
import type { SettingTests } from "../Http/SettingsHttp.ts"
import { errorCode } from "../Runtime/ErrorText.ts"
import type { SettingValues } from "../Runtime/Settings/Settings.ts"
import { Imap } from "../Wire/Imap.ts"
import { Mail } from "../Wire/Mail.ts"
import { platform } from "./CurrentChat.ts"
import * as MailServers from "./MailServers.ts"

const writable = ({ storage }: SettingValues) => {
  const file = join(storage.path, `.troupe-test-${randomUUID()}`)
  return Effect.tryPromise({
    try: () => mkdir(storage.path, { recursive: true }).then(() => writeFile(file, "")).then(() => rm(file)),
    catch: (cause) => ({ message: `${storage.path} can't be written to (${errorCode(cause) || "unknown error"}).` })
  }).pipe(Effect.as(`${storage.path} is writable.`))
}

/** Tries what the settings of a section are for, with connections of their own. */
export const settingTests: SettingTests = {
  model: ({ model }) =>
    Effect.flatMap(modelCheck(model).run, (findings) => {
      const detail = findings.map(({ detail, fix }) => fix === null ? detail : `${detail} ${fix}`).join(" ")
      return findings.every(({ status }) => status === "ok") ? Effect.succeed(detail) : Effect.fail({ message: detail })
    }),
  chat: ({ chat }) =>
    Effect.flatMap(ChatPlatform, ({ health }) => health).pipe(
      Effect.map(({ team, userId }) =>
        `The chat platform accepts the token as ${userId} of ${team}. ${
          Option.isSome(chat.signingSecret)
            ? "Its requests are accepted where they are signed."
            : "Its requests are refused until CHAT_SIGNING_SECRET is set."
        }`
      ),
      Effect.provide(platform(chat))
    ),
  smtp: ({ mail }) => Effect.provide(Effect.flatMap(Mail, ({ verify }) => verify), MailServers.smtp(mail.smtp)),
  imap: ({ mail }) =>
    Effect.scoped(Effect.flatMap(Imap, ({ open }) => open)).pipe(
      Effect.map(({ announces, name }) =>
        `${name} can be read${announces ? ", and the server announces new mail" : ""}.`
      ),
      Effect.provide(MailServers.imap(Option.map(mail.inbox, ({ imap }) => imap)))
    ),
  storage: writable
}
