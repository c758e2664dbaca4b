import { mailboxOf } from "@troupe/domain/Mailbox"
import { Effect, Either, Option } from "effect"
import { randomUUID } from "node:crypto"
import { mkdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { ChatPlatform } from "../Chat/ChatPlatform.ts"
import { modelCheck } from "../Doctor/ModelCheck.ts"
import { checkAddresses } from "../Http/ChatAddresses.ts"
import { type SettingTests, type SettingTrial, tried } from "../Http/SettingsHttp.ts"
import { Models } from "../Model/Models.ts"
import type { ModelSettings } from "../Model/ModelSettings.ts"
import { errorCode } from "../Runtime/ErrorText.ts"
import type { SettingValues } from "../Runtime/Settings/Settings.ts"
import { Imap } from "../Wire/Imap.ts"
import { Mail } from "../Wire/Mail.ts"
import { ownAddress, sendTrial, watchMailbox } from "../Wire/MailTrial.ts"
import { platform } from "./CurrentChat.ts"
import * as MailServers from "./MailServers.ts"

const writable = ({ storage }: SettingValues) => {
  const file = join(storage.path, `.troupe-test-${randomUUID()}`)
  return Effect.tryPromise({
    try: () => mkdir(storage.path, { recursive: true }).then(() => writeFile(file, "")).then(() => rm(file)),
    catch: (cause) => ({ message: `${storage.path} can't be written to (${errorCode(cause) || "unknown error"}).` })
  }).pipe(Effect.as(`${storage.path} is writable.`))
}

const answers = (model: ModelSettings) =>
  Effect.flatMap(modelCheck(model).run, (findings) => {
    const detail = findings.map(({ detail, fix }) => fix === null ? detail : `${detail} ${fix}`).join(" ")
    return findings.every(({ status }) => status === "ok") ? Effect.succeed(detail) : Effect.fail({ message: detail })
  })

/** The model that works on tasks now, which need not be the one of the settings. */
const defaultAnswers = (model: ModelSettings) =>
  Effect.gen(function*() {
    const { report, test } = yield* Models
    const { default: name, models } = yield* report
    if (models.find((one) => one.name === name)?.provider === "offline") return yield* answers(model)
    const { detail, ok } = yield* Effect.mapError(test(name), ({ message }) => ({ message }))
    return ok ? detail : yield* Effect.fail({ message: detail })
  })

const verified = Effect.flatMap(Mail, ({ verify }) => verify)

const within = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.timeoutFail(work, { duration: "15 seconds", onTimeout: () => ({ message: "No answer within 15 s." }) })

const unknown = (detail: string) => ({ name: "Receiving", status: "unknown" as const, detail })

/** Sends a mail; where receiving is set, also to the service itself, which then reads it. */
const sent = ({ mail: { inbox, smtp } }: SettingValues, mailTo: string) =>
  Effect.gen(function*() {
    const to = Either.match(mailboxOf(mailTo), { onLeft: () => [], onRight: (mailbox) => [mailbox] })
    const own = Option.map(Option.all({ inbox, smtp }), ({ inbox: { imap }, smtp }) => ownAddress(imap.user, smtp.from))
    const all = [...to, ...Option.toArray(own)]
    const watching = yield* Effect.either(within(watchMailbox)).pipe(Effect.when(() => Option.isSome(own)))
    const sending = yield* Effect.either(within(sendTrial(all)))
    const addressees = all.map(({ address }) => address).join(" and ")
    return [
      yield* tried("Sending", Effect.as(sending, `A mail was sent to ${addressees}.`)),
      Option.isNone(watching)
        ? unknown("No mailbox is set up for mail to the service, so nothing is read back.")
        : Either.isLeft(sending)
        ? unknown("There is no mail to read back.")
        : yield* tried("Receiving", Effect.flatMap(watching.value, (arrives) => arrives(sending.right)))
    ]
  }).pipe(Effect.scoped)

const mailboxRead = Effect.scoped(Effect.flatMap(Imap, ({ open }) => open)).pipe(
  Effect.map(({ announces, name }) => `${name} can be read${announces ? ", and the server announces new mail" : ""}.`)
)

const inboxOf = ({ mail }: SettingValues) => MailServers.imap(Option.map(mail.inbox, ({ imap }) => imap))

const one = <A, R>(step: Effect.Effect<A, never, R>): Effect.Effect<ReadonlyArray<A>, never, R> =>
  Effect.map(step, (found) => [found])

/** Tries what the settings of a section are for, with connections of their own. */
export const settingTests: SettingTests<Models> = {
  model: ({ isGiven, values: { model } }) => one(tried("Model", isGiven ? answers(model) : defaultAnswers(model))),
  chat: ({ values: { chat, http } }) => {
    const token = Effect.flatMap(ChatPlatform, ({ health }) => health).pipe(
      Effect.map(({ name, team, userId }) =>
        `The chat platform accepts the token as ${name ?? userId} of ${team}. ${
          Option.isSome(chat.signingSecret)
            ? "Its requests are accepted where they are signed."
            : "Its requests are refused until CHAT_SIGNING_SECRET is set."
        }`
      ),
      Effect.provide(platform(chat))
    )
    return Effect.zipWith(tried("Token", token), checkAddresses(http.publicUrl), (step, others) => [step, ...others], {
      concurrent: true
    })
  },
  smtp: ({ mailTo, values }: SettingTrial) =>
    (mailTo === null ? one(tried("Sign-in", verified)) : sent(values, mailTo)).pipe(
      Effect.provide([MailServers.smtp(values.mail.smtp), inboxOf(values)])
    ),
  imap: ({ values }) => one(tried("Sign-in", Effect.provide(mailboxRead, inboxOf(values)))),
  storage: ({ values }) => one(tried("Folder", writable(values)))
}
