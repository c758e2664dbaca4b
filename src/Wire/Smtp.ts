import type { Mailbox } from "@troupe/domain/Mailbox"
import { Deferred, Duration, Effect, FiberId, Layer, Option, Redacted, type Scope } from "effect"
import { Readable } from "node:stream"
import MailComposer from "nodemailer/lib/mail-composer"
import SMTPConnection, { type SMTPConnectionSendInfo } from "nodemailer/lib/smtp-connection"
import { Mail, MailFailed, messageIdOf, type OutgoingMail, type SentMail } from "./Mail.ts"
import { mailFailureOf, type MailServer, quoted } from "./MailServerFailure.ts"

export interface SmtpSettings extends MailServer {
  readonly login: Option.Option<{ readonly user: string; readonly password: Redacted.Redacted }>
  readonly from: Mailbox
}

export interface SmtpOptions {
  readonly connect?: Duration.DurationInput
  readonly idle?: Duration.DurationInput
  readonly total?: Duration.DurationInput
  readonly ca?: string
}

/** Sends mail over SMTP, one connection a mail, with TLS as `SMTP_SECURE` requires or not at all. */
export const layer = (settings: SmtpSettings, options: SmtpOptions = {}): Layer.Layer<Mail> =>
  Layer.sync(Mail, () => {
    const failureOf = (cause: unknown, isHandedOver = false) => mailFailureOf(settings, cause, isHandedOver)

    const signedIn = Effect.gen(function*() {
      const failure = yield* Deferred.make<never, MailFailed>()
      const connection = yield* Effect.acquireRelease(
        Effect.sync(() => connectionOf(settings, options)),
        (open) => Effect.sync(() => open.close())
      )
      // Without a listener, an error after the race below would end the process.
      connection.on("error", (cause) => Deferred.unsafeDone(failure, Effect.fail(failureOf(cause))))
      const attempt = (start: (done: (cause?: unknown) => void) => void) =>
        Effect.async<void, MailFailed>((resume) =>
          start((cause) => resume(cause === undefined || cause === null ? Effect.void : Effect.fail(failureOf(cause))))
        ).pipe(Effect.raceFirst(Deferred.await(failure)))
      yield* attempt((done) => connection.connect(done))
      if (Option.isSome(settings.login)) {
        const { password, user } = settings.login.value
        const credentials = { user, pass: Redacted.value(password) }
        yield* attempt((done) => connection.login({ ...credentials, credentials }, done))
      }
      return connection
    })

    const transfer = (connection: SMTPConnection, mail: OutgoingMail, { isHandedOver, size, stream }: MailText) =>
      Effect.async<SMTPConnectionSendInfo, MailFailed>((resume) => {
        const failed = (cause: unknown) => resume(Effect.fail(failureOf(cause, isHandedOver())))
        connection.once("error", failed)
        connection.send(
          {
            from: settings.from.address,
            to: [...new Set([...mail.to, ...mail.cc].map(({ address }) => address))],
            size
          },
          stream,
          (cause, info) => cause === null ? resume(Effect.succeed(info)) : failed(cause)
        )
      }).pipe(Effect.map((info): SentMail => {
        connection.quit()
        return {
          messageId: info.serverMessageId ?? messageIdOf(settings.from, mail.id),
          accepted: info.accepted,
          refused: (info.rejectedErrors ?? []).map(({ recipient = "", response = "" }) => ({
            address: recipient,
            reason: quoted(response)
          }))
        }
      }))

    const inTime = <A, E>(work: Effect.Effect<A, MailFailed | E, Scope.Scope>, isHandedOver = () => false) =>
      Effect.scoped(work).pipe(
        Effect.timeoutFail({
          duration: options.total ?? "75 seconds",
          onTimeout: () => failureOf({ code: "ETIMEDOUT" }, isHandedOver())
        })
      )

    return Mail.of({
      sender: Option.some(settings.from),
      send: Effect.fn("Smtp.send")((mail, beforeTransfer = Effect.void) =>
        Effect.gen(function*() {
          const text = textOf(yield* compose(settings, mail))
          const sending = Effect.flatMap(signedIn, (connection) =>
            Effect.raceFirst(
              transfer(connection, mail, text),
              Effect.zipRight(
                Effect.zipRight(text.requested, beforeTransfer),
                Effect.zipRight(text.release, Effect.never)
              )
            ))
          return yield* inTime(sending, text.isHandedOver)
        })
      ),
      verify: Effect.withSpan(
        Effect.as(
          inTime(signedIn),
          `${settings.host}:${settings.port} answers${Option.isSome(settings.login) ? " and accepts the sign-in" : ""}.`
        ),
        "Smtp.verify"
      )
    })
  })

const compose = (settings: SmtpSettings, mail: OutgoingMail): Effect.Effect<Buffer, MailFailed> =>
  Effect.tryPromise({
    try: () =>
      new MailComposer({
        from: mailbox(settings.from),
        to: mail.to.map(mailbox),
        cc: mail.cc.map(mailbox),
        subject: mail.subject,
        text: mail.text,
        html: mail.html,
        messageId: messageIdOf(settings.from, mail.id),
        // RFC 3834: whoever answers mail by itself must not answer this.
        headers: { "Auto-Submitted": Option.isSome(mail.answers) ? "auto-replied" : "auto-generated" },
        ...Option.match(mail.answers, {
          onNone: () => ({}),
          onSome: ({ messageId, references }) => ({ inReplyTo: messageId, references: [...references, messageId] })
        }),
        attachments: mail.attachments.map(({ content, filename }) => ({ filename, content: Buffer.from(content) })),
        disableFileAccess: true,
        disableUrlAccess: true
      }).compile().build(),
    catch: () => new MailFailed({ kind: "refused", reason: "Composing the mail failed." })
  })

const mailbox = ({ address, name }: Mailbox) => ({ address, name })

const connectionOf = ({ host, port, secure }: SmtpSettings, options: SmtpOptions) => {
  const timeout = Duration.toMillis(options.connect ?? "10 seconds")
  return new SMTPConnection({
    host,
    port,
    secure: secure === "true",
    requireTLS: secure === "starttls",
    ignoreTLS: secure === "false",
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    dnsTimeout: timeout,
    socketTimeout: Duration.toMillis(options.idle ?? "30 seconds"),
    socketCloseTimeout: 1_000,
    tls: { minVersion: "TLSv1.2", rejectUnauthorized: true, ...(options.ca === undefined ? {} : { ca: options.ca }) },
    logger: false
  })
}

/** The text of a mail, which is transferred once it is released. */
const textOf = (content: Buffer) => {
  const requested = Deferred.unsafeMake<void>(FiberId.none)
  let isReleased = false
  let offset = 0
  let isHandedOver = false
  const stream = new Readable({
    highWaterMark: pieceBytes,
    read() {
      if (isReleased) next()
      else Deferred.unsafeDone(requested, Effect.void)
    }
  })
  const next = () => {
    const piece = content.subarray(offset, offset + pieceBytes)
    offset += piece.length
    isHandedOver = piece.length === 0
    stream.push(isHandedOver ? null : piece)
  }
  return {
    size: content.length,
    stream,
    /** Ends when the server asks for the text, having accepted the envelope. */
    requested: Deferred.await(requested),
    release: Effect.sync(() => {
      isReleased = true
      next()
    }),
    /** Whether all of it was written to the connection. Before that no server can have taken the mail. */
    isHandedOver: () => isHandedOver
  }
}

type MailText = ReturnType<typeof textOf>

const pieceBytes = 64 * 1024
