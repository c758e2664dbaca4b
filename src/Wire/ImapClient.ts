import { Clock, DateTime, Deferred, Duration, Effect, Layer, Option, Queue, Redacted, type Scope } from "effect"
import { ImapFlow } from "imapflow"
import { Imap, type ImapFailed, type OpenMailbox } from "./Imap.ts"
import { imapConnectionLost, imapFailureOf, imapTimedOut, type MailServer } from "./MailServerFailure.ts"

export interface ImapSettings extends MailServer {
  readonly user: string
  readonly password: Redacted.Redacted
  readonly mailbox: string
}

export interface ImapOptions {
  readonly connect?: Duration.DurationInput
  /** Time-out of a command, and of the silence in one. */
  readonly command?: Duration.DurationInput
  /** The largest answer that is accepted. */
  readonly maxBytes?: number
  readonly ca?: string
}

/** How long one wait for announcements lasts before it is renewed, so that a dead connection is noticed. */
const maxIdle = Duration.minutes(4)

/** Reads mail over IMAP, with TLS as `IMAP_SECURE` requires or not at all. Each `open` is a connection of its own. */
export const layer = (settings: ImapSettings, options: ImapOptions = {}): Layer.Layer<Imap> =>
  Layer.succeed(Imap, Imap.of({ open: Effect.withSpan(open(settings, options), "Imap.open") }))

const open = (
  settings: ImapSettings,
  options: ImapOptions
): Effect.Effect<OpenMailbox, ImapFailed, Scope.Scope> =>
  Effect.gen(function*() {
    const announcements = yield* Queue.sliding<void>(1)
    const failure = yield* Deferred.make<never, ImapFailed>()
    const lost = Deferred.await(failure)
    const client = yield* Effect.acquireRelease(
      Effect.sync(() => clientOf(settings, options)),
      (client) => Effect.sync(() => client.close())
    )
    // Without a listener, an error of the connection would end the process.
    client.on("error", (cause) => Deferred.unsafeDone(failure, Effect.fail(imapFailureOf(settings, cause))))
    client.on("close", () => Deferred.unsafeDone(failure, Effect.fail(imapConnectionLost(settings))))
    client.on("exists", ({ count, prevCount }) => {
      if (count > prevCount) announcements.unsafeOffer(undefined)
    })
    const run = <A>(command: () => Promise<A>, timeout: Duration.DurationInput = options.command ?? "60 seconds") =>
      Effect.tryPromise({ try: command, catch: (cause) => imapFailureOf(settings, cause) }).pipe(
        Effect.raceFirst(lost),
        Effect.timeoutFail({ duration: timeout, onTimeout: () => imapTimedOut(settings) })
      )
    const search = (
      criteria: { readonly seen?: false },
      maxAge: Duration.Duration,
      minAge = Option.none<Duration.Duration>()
    ) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const ago = (age: Duration.Duration) => DateTime.toDateUtc(DateTime.unsafeMake(now - Duration.toMillis(age)))
        const before = Option.match(minAge, { onNone: () => ({}), onSome: (age) => ({ before: ago(age) }) })
        return run(() => client.search({ ...criteria, since: ago(maxAge), ...before }, { uid: true }))
      }).pipe(
        Effect.filterOrFail((uids) => uids !== false && uids !== undefined, () => imapConnectionLost(settings)),
        Effect.map((uids) => uids.toSorted((one, other) => one - other))
      )
    yield* run(() => client.connect(), Duration.times(options.connect ?? "10 seconds", 2))
    const { uidValidity } = yield* run(() => client.mailboxOpen(settings.mailbox))
    return {
      name: `${settings.user}@${settings.host}:${settings.port}/${settings.mailbox}`,
      uidValidity: uidValidity.toString(),
      announces: client.capabilities.has("IDLE"),
      unseen: (maxAge) => search({ seen: false }, maxAge),
      unseenBefore: (minAge, maxAge) => search({ seen: false }, maxAge, Option.some(minAge)),
      recent: (maxAge) => search({}, maxAge),
      read: (uid, maxBytes) =>
        Effect.map(
          run(() =>
            client.fetchOne(
              String(uid),
              { size: true, internalDate: true, source: { start: 0, maxLength: maxBytes } },
              { uid: true }
            )
          ),
          (mail) =>
            mail === false || mail === undefined || mail.source === undefined
              ? Option.none()
              : Option.some({
                size: mail.size ?? mail.source.length,
                bytes: mail.source.subarray(0, maxBytes),
                receivedAt: Option.map(
                  Option.flatMap(Option.fromNullable(mail.internalDate), DateTime.make),
                  DateTime.formatIso
                )
              })
        ),
      markSeen: (uid) =>
        Effect.asVoid(run(() => client.messageFlagsAdd(String(uid), ["\\Seen"], { uid: true, silent: true }))),
      announced: Effect.suspend(() => {
        // Ended by the next command, or with the connection.
        void client.idle().catch(() => {})
        return Effect.raceFirst(Queue.take(announcements), lost)
      })
    }
  })

const clientOf = ({ host, password, port, secure, user }: ImapSettings, options: ImapOptions) => {
  const timeout = Duration.toMillis(options.connect ?? "10 seconds")
  const maxBytes = options.maxBytes ?? 32 * 1_024 * 1_024
  return new ImapFlow({
    host,
    port,
    secure: secure === "true",
    ...(secure === "true" ? {} : { doSTARTTLS: secure === "starttls" }),
    auth: { user, pass: Redacted.value(password) },
    clientInfo: { name: "Troupe" },
    disableAutoIdle: true,
    maxIdleTime: Duration.toMillis(maxIdle),
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: Duration.toMillis(options.command ?? "60 seconds"),
    maxLineLength: 1_024 * 1_024,
    maxLiteralSize: maxBytes,
    maxResponseSize: maxBytes + 1_024 * 1_024,
    tls: { minVersion: "TLSv1.2", rejectUnauthorized: true, ...(options.ca === undefined ? {} : { ca: options.ca }) },
    logger: false
  })
}
