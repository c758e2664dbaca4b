import type { Mailbox } from "@troupe/domain/Mailbox"
import { Deferred, Duration, Effect, Layer, Option, Redacted, type Scope } from "effect"
import { Readable } from "node:stream"
import MailComposer from "nodemailer/lib/mail-composer"
import SMTPConnection, { type SMTPConnectionSendInfo } from "nodemailer/lib/smtp-connection"
import type { SmtpSettings } from "../Runtime/Settings.ts"
import { type Delivery, Mail, MailFailed, type OutgoingMail } from "./Mail.ts"
import { failureOf, quoted } from "./SmtpFailure.ts"

export interface SmtpOptions {
  /** How long a server may take to be reached, and to greet. */
  readonly connect?: Duration.DurationInput
  /** How long it may be silent. */
  readonly idle?: Duration.DurationInput
  /** How long all of it may take. */
  readonly total?: Duration.DurationInput
  /** The issuers whose certificates are trusted; those that Node trusts by default. */
  readonly ca?: string
}

/**
 * Sends mail through an SMTP server: one connection a mail, closed whatever happens. `SMTP_SECURE` is kept to the
 * letter, with the server's certificate checked; a server that does not offer it gets neither mail nor password.
 */
export const layer = (settings: SmtpSettings, options: SmtpOptions = {}): Layer.Layer<Mail> =>
  Layer.sync(Mail, () => {
    const inTime = <A>(work: Effect.Effect<A, MailFailed, Scope.Scope>, begun: () => boolean) =>
      Effect.scoped(work).pipe(
        Effect.timeoutFail({
          duration: options.total ?? "75 seconds",
          onTimeout: () => failureOf(settings, { code: "ETIMEDOUT" }, begun())
        })
      )
    return Mail.of({
      send: Effect.fn("Smtp.send")((mail) =>
        Effect.gen(function*() {
          const content = yield* composed(settings, mail)
          let begun = false
          // The client asks for the text only after the server has taken the envelope.
          const stream = Readable.from([content]).once("resume", () => (begun = true))
          const sending = Effect.flatMap(
            signedIn(settings, options),
            (connection) => handedOver(settings, connection, mail, { content, stream, begun: () => begun })
          )
          return yield* inTime(sending, () => begun)
        })
      ),
      verify: Effect.withSpan(
        Effect.as(
          inTime(signedIn(settings, options), () => false),
          `${settings.host}:${settings.port} answers${Option.isSome(settings.login) ? " and takes the sign-in" : ""}.`
        ),
        "Smtp.verify"
      )
    })
  })

const composed = (settings: SmtpSettings, mail: OutgoingMail): Effect.Effect<Buffer, MailFailed> =>
  Effect.tryPromise({
    try: () =>
      new MailComposer({
        from: mailbox(settings.from),
        to: mail.to.map(mailbox),
        cc: mail.cc.map(mailbox),
        subject: mail.subject,
        text: mail.text,
        html: mail.html,
        messageId: messageIdOf(settings, mail),
        headers: { "Auto-Submitted": "auto-generated" },
        attachments: mail.attachments.map(({ content, filename }) => ({ filename, content: Buffer.from(content) })),
        disableFileAccess: true,
        disableUrlAccess: true
      }).compile().build(),
    catch: () => new MailFailed({ kind: "refused", reason: "The mail can't be put together." })
  })

const mailbox = ({ address, name }: Mailbox) => ({ address, name })

const messageIdOf = ({ from }: SmtpSettings, { id }: OutgoingMail): string =>
  `<${id}@${from.address.slice(from.address.lastIndexOf("@") + 1)}>`

/** A connection past its greeting, TLS and sign-in. */
const signedIn = (
  settings: SmtpSettings,
  options: SmtpOptions
): Effect.Effect<SMTPConnection, MailFailed, Scope.Scope> =>
  Effect.gen(function*() {
    const failure = yield* Deferred.make<never, MailFailed>()
    const connection = yield* Effect.acquireRelease(
      Effect.sync(() => connectionOf(settings, options)),
      (open) => Effect.sync(() => open.close())
    )
    // Without a listener an error would end the process, as it would after the connection was given up.
    connection.on("error", (cause) => Deferred.unsafeDone(failure, Effect.fail(failureOf(settings, cause, false))))
    yield* Effect.async<void, MailFailed>((resume) =>
      connection.connect((cause) =>
        resume(cause === undefined || cause === null ? Effect.void : Effect.fail(failureOf(settings, cause, false)))
      )
    ).pipe(Effect.raceFirst(Deferred.await(failure)))
    if (Option.isSome(settings.login)) {
      const { password, user } = settings.login.value
      yield* Effect.async<void, MailFailed>((resume) =>
        connection.login(
          { user, pass: Redacted.value(password), credentials: { user, pass: Redacted.value(password) } },
          (cause) => resume(cause === null ? Effect.void : Effect.fail(failureOf(settings, cause, false)))
        )
      ).pipe(Effect.raceFirst(Deferred.await(failure)))
    }
    return connection
  })

const connectionOf = ({ host, port, secure }: SmtpSettings, options: SmtpOptions) => {
  const patience = Duration.toMillis(options.connect ?? "10 seconds")
  return new SMTPConnection({
    host,
    port,
    secure: secure === "true",
    requireTLS: secure === "starttls",
    ignoreTLS: secure === "false",
    connectionTimeout: patience,
    greetingTimeout: patience,
    dnsTimeout: patience,
    socketTimeout: Duration.toMillis(options.idle ?? "30 seconds"),
    socketCloseTimeout: 1_000,
    tls: { minVersion: "TLSv1.2", rejectUnauthorized: true, ...(options.ca === undefined ? {} : { ca: options.ca }) },
    logger: false
  })
}

interface Content {
  readonly content: Buffer
  readonly stream: Readable
  readonly begun: () => boolean
}

const handedOver = (
  settings: SmtpSettings,
  connection: SMTPConnection,
  mail: OutgoingMail,
  { begun, content, stream }: Content
): Effect.Effect<Delivery, MailFailed> =>
  Effect.async<SMTPConnectionSendInfo, MailFailed>((resume) => {
    const failed = (cause: unknown) => resume(Effect.fail(failureOf(settings, cause, begun())))
    connection.once("error", failed)
    connection.send(
      {
        from: settings.from.address,
        to: [...new Set([...mail.to, ...mail.cc].map(({ address }) => address))],
        size: content.length
      },
      stream,
      (cause, info) => cause === null ? resume(Effect.succeed(info)) : failed(cause)
    )
  }).pipe(Effect.map((info) => {
    connection.quit()
    return {
      messageId: info.serverMessageId ?? messageIdOf(settings, mail),
      accepted: info.accepted,
      refused: (info.rejectedErrors ?? []).map(({ recipient = "", response = "" }) => ({
        address: recipient,
        reason: quoted(response)
      }))
    }
  }))
