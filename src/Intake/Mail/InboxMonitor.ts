import { inboxJob } from "@troupe/api/Worker"
import {
  Cause,
  Clock,
  Duration,
  Effect,
  Exit,
  Layer,
  Option,
  RcMap,
  Schedule,
  ScheduleDecision,
  ScheduleInterval,
  Stream
} from "effect"
import { Superseded } from "../../Queue/AttemptFailed.ts"
import { ScheduledJobs } from "../../Runtime/Cluster/ScheduledJobs.ts"
import { counter } from "../../Runtime/Telemetry/Metrics.ts"
import { Imap, ImapFailed, maxMailAge, maxMissedAge, type OpenMailbox } from "../../Wire/Imap.ts"
import { maxIgnored } from "./IgnoredMails.ts"
import { headBytes, type InboxRules, makeProcessMail, Postponed } from "./InboxMails.ts"
import { type MailClaim, MailOutcome, makeMailLedger, noKeys, staysUnread } from "./MailLedger.ts"
import { summaryOf } from "./MailSummary.ts"

export interface InboxMonitorOptions extends InboxRules {
  /** Read before each check. */
  readonly interval: Duration.Duration
  /** The pause after the first failed attempt; each further one is four times as long. */
  readonly firstPause?: Duration.Duration
  /** Whether there is a mailbox to read, asked before each check. */
  readonly isOn?: () => boolean
  /** At each element the mailbox may be another one: the check ends after the mail at hand, and the next one follows. */
  readonly changes?: Stream.Stream<unknown>
}

/** Longer than one mail may take; after it, an attempt that was killed is repeated. */
const lease = Duration.minutes(2)
const mailTimeout = Duration.seconds(90)

const maxAttempts = 5

const tooOld = `it was unread for more than ${Duration.toDays(maxMailAge)} days`

/** Reads the inbox: every `interval`, and where the server announces mails, at once. One process of the cluster does it. */
export const layer = (options: InboxMonitorOptions) =>
  Layer.scopedDiscard(
    Effect.gen(function*() {
      const jobs = yield* ScheduledJobs
      const run = yield* makeCheck(options)
      // A run that waits for announcements ends when the next one is due.
      const { changes: wakeUps = Stream.empty, isOn = () => true } = options
      yield* jobs.start({
        name: inboxJob,
        scope: "cluster",
        schedule: checks(() => options.interval),
        wakeUps,
        run: Effect.suspend(() => isOn() ? run : Effect.void)
      })
      yield* jobs.start({
        name: "inbox_retention",
        scope: "cluster",
        schedule: Schedule.spaced("1 hour"),
        run: (yield* makeMailLedger).deleteOld
      })
    })
  )

/** Every `interval`; after a failure sooner, as a server that restarts is soon back. The input is the failures in a row. */
export const checks = (interval: () => Duration.Duration): Schedule.Schedule<unknown, number> =>
  Schedule.makeWithState<number, number, unknown>(0, (now, failures, before) =>
    Effect.sync(() => {
      const millis = Duration.toMillis(interval())
      // A check that takes longer than the interval delays the next ones.
      const due = before === 0
        ? now + millis
        : before > now
        ? Math.min(before, now + millis)
        : Math.max(now, before + millis)
      const at = failures === 0 ? due : Math.min(due, now + 15_000 * 2 ** (failures - 1))
      return [due, undefined, ScheduleDecision.continueWith(ScheduleInterval.after(at))]
    }))

/** Reads what is unread, then what the server announces until the next check is due, which uses the same connection. */
export const makeCheck = (options: InboxMonitorOptions) =>
  Effect.gen(function*() {
    const imap = yield* Imap
    const mailboxes = yield* RcMap.make({
      lookup: () => imap.open,
      // Open while no check runs, so that the next one need not sign in.
      idleTimeToLive: Duration.times(options.interval, 2)
    })
    const close = RcMap.invalidate(mailboxes, "inbox")
    const changed = yield* Effect.makeLatch(false)
    yield* (options.changes ?? Stream.empty).pipe(
      Stream.runForEach(() => Effect.zipRight(close, changed.open)),
      Effect.forkScoped
    )
    const readUnseen = yield* makeReadUnseen(options)
    return Effect.gen(function*() {
      yield* changed.close
      const due = (yield* Clock.currentTimeMillis) + Duration.toMillis(options.interval)
      const mailbox = yield* RcMap.get(mailboxes, "inbox")
      yield* readUnseen(mailbox)
      if (!mailbox.announces) return yield* close
      while (true) {
        const left = due - (yield* Clock.currentTimeMillis)
        if (left <= 0) return
        const announced = Effect.raceFirst(Effect.as(mailbox.announced, true), Effect.as(changed.await, false))
        if (!Option.getOrElse(yield* Effect.timeoutOption(announced, left), () => false)) return
        yield* readUnseen(mailbox)
      }
    }).pipe(
      Effect.scoped,
      Effect.onExit((exit) => Exit.isSuccess(exit) ? Effect.void : close)
    )
  })

const makeReadUnseen = Effect.fnUntraced(function*(options: InboxMonitorOptions) {
  const { firstPause = Duration.minutes(1) } = options
  const ledger = yield* makeMailLedger
  const processMail = yield* makeProcessMail(options)

  const mark = (mailbox: OpenMailbox, uid: number) =>
    Effect.catchTag(
      mailbox.markSeen(uid),
      "ImapFailed",
      ({ reason }) => Effect.logWarning(`Marking a mail as read failed; the next check retries it: ${reason}`)
    )

  /** Lists a mail that is not taken, as far as its beginning can be read. */
  const list = (mailbox: OpenMailbox, claim: MailClaim, result: Parameters<typeof ledger.finish>[1]) =>
    mailbox.read(claim.uid, headBytes).pipe(
      Effect.timeout("10 seconds"),
      Effect.orElseSucceed(Option.none),
      Effect.flatMap(summaryOf),
      Effect.flatMap((summary) => ledger.finish(claim, result, summary))
    )

  const failed = Effect.fnUntraced(function*(mailbox: OpenMailbox, claim: MailClaim, reason: string) {
    yield* list(mailbox, claim, { outcome: "failed", code: "failed", reason, ...noKeys })
    yield* Effect.logWarning(
      `Processing a mail failed ${claim.attempt} times; it is left unread and skipped: ${reason}`
    )
    inboxMails(1, { outcome: "failed" })
  })

  const retried = Effect.fnUntraced(function*(claim: MailClaim, reason: string) {
    const pause = Duration.times(firstPause, 4 ** (claim.attempt - 1))
    inboxRetries(1)
    yield* Effect.logWarning(`Processing a mail failed; next attempt in ${Duration.format(pause)}: ${reason}`)
    yield* ledger.retry(claim, pause)
  })

  /** Whether more mails may be processed now, whoever sent them. */
  const one = Effect.fnUntraced(
    function*(mailbox: OpenMailbox, uid: number) {
      const begun = yield* ledger.begin({ mailbox: mailbox.name, uidValidity: mailbox.uidValidity, uid }, lease)
      if (Option.isNone(begun)) return true
      const claim = begun.value
      // Its attempts ended with their process.
      if (claim.attempt > maxAttempts) {
        return yield* Effect.as(failed(mailbox, claim, "the process ended while it was read"), true)
      }
      const exit = yield* processMail(claim, mailbox).pipe(
        Effect.timeoutFail({
          duration: mailTimeout,
          onTimeout: () => new ImapFailed({ kind: "unavailable", reason: "Reading a mail timed out." })
        }),
        Effect.onInterrupt(() => Effect.ignore(Effect.timeout(ledger.release(claim, Duration.zero), "2 seconds"))),
        Effect.exit
      )
      if (Exit.isSuccess(exit)) {
        const { outcome, reason } = exit.value
        inboxMails(1, { outcome })
        yield* Effect.logInfo(
          reason === null ? `Processed a mail: ${outcome}` : `Skipped a mail (${outcome}): ${reason}`
        )
        if (!staysUnread(outcome)) yield* mark(mailbox, uid)
        return true
      }
      const error = Cause.squash(exit.cause)
      if (error instanceof Superseded) return true
      if (error instanceof Postponed) {
        yield* ledger.release(claim, error.pause)
        yield* Effect.logInfo(`Postponed a mail for ${Duration.format(error.pause)}: ${error.message}`)
        return error.scope !== "inbox"
      }
      const reason = error instanceof Error ? error.message.slice(0, 500) : String(error)
      yield* claim.attempt < maxAttempts ? retried(claim, reason) : failed(mailbox, claim, reason)
      // The connection can't be used any more.
      if (error instanceof ImapFailed) return yield* error
      return true
    },
    (work, _, uid) => Effect.annotateLogs(work, { mail_uid: uid })
  )

  /** After a week without service, mails are left unread; nobody would know of them. */
  const listMissed = Effect.fnUntraced(function*(mailbox: OpenMailbox, unseen: ReadonlySet<number>) {
    const found = yield* mailbox.unseenBefore(maxMailAge, maxMissedAge)
    const uids = found.filter((uid) => !unseen.has(uid)).slice(-maxIgnored)
    const known = yield* knownIn(mailbox, uids)
    for (const uid of uids.filter((one) => (known.get(one)?.outcome ?? null) === null)) {
      const claim = yield* ledger.begin({ mailbox: mailbox.name, uidValidity: mailbox.uidValidity, uid }, lease)
      if (Option.isNone(claim)) continue
      yield* list(mailbox, claim.value, { outcome: "ignored", code: "too_old", reason: tooOld, ...noKeys })
      yield* Effect.logWarning(`Skipped a mail and left it unread: ${tooOld}`)
      inboxMails(1, { outcome: "ignored" })
    }
  })

  const knownIn = ({ name, uidValidity }: OpenMailbox, uids: ReadonlyArray<number>) =>
    Effect.map(
      ledger.known({ mailbox: name, uidValidity }, uids),
      (mails) => new Map(mails.map((mail) => [mail.uid, mail]))
    )

  return Effect.fnUntraced(function*(mailbox: OpenMailbox) {
    const uids = yield* mailbox.unseen(maxMailAge)
    const known = yield* knownIn(mailbox, uids)
    let mayAct = true
    for (const uid of uids) {
      const before = known.get(uid)
      if (before?.outcome !== undefined && before.outcome !== null) {
        if (!staysUnread(before.outcome)) yield* mark(mailbox, uid)
      } else if (mayAct && (before === undefined || before.is_due)) mayAct = yield* one(mailbox, uid)
    }
    yield* listMissed(mailbox, new Set(uids))
  })
})

const inboxMails = counter(
  "troupe_inbox_mails",
  "Processed mails of the inbox, by their outcome.",
  { outcome: MailOutcome.literals }
)

const inboxRetries = counter(
  "troupe_inbox_retries",
  "Attempts to process a mail of the inbox that failed and are repeated."
)
