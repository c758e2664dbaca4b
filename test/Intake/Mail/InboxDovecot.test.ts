import { assert } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Queue } from "effect"
import { createTransport } from "nodemailer"
import { makeCheck } from "../../../src/Intake/Mail/InboxMonitor.ts"
import { Imap } from "../../../src/Wire/Imap.ts"
import * as ImapClient from "../../../src/Wire/ImapClient.ts"
import { type Dovecot, dovecotNeed, makeDovecot } from "../../support/Dovecot.ts"
import { eventually } from "../../support/Eventually.ts"
import { localhost, makeMailServer, password } from "../../support/MailServer.ts"
import { inWorld } from "../../support/TaskWorld.ts"
import { check, inboxLayer, mailText, outcomes, rules, taskRows } from "./inbox.ts"

const ca = localhost

/** The mails of a person, over SMTP, as a mail program writes them. */
const sendAsPerson = (port: number, mail: { readonly subject: string; readonly text: string }) =>
  Effect.promise(() =>
    createTransport({ host: "localhost", port, auth: { user: "troupe", pass: password }, tls: { ca } }).sendMail({
      from: "Ada <ada@example.net>",
      to: "troupe@example.org",
      attachments: [{ filename: "plan.md", content: "# Plan" }],
      ...mail
    })
  )

/** As when the process is killed after the commit: it never marks a mail as read. */
const killedBeforeMarking = (dovecot: Dovecot) =>
  Layer.effect(
    Imap,
    Effect.map(Imap, ({ open }) =>
      Imap.of({ open: Effect.map(open, (mailbox) => ({ ...mailbox, markSeen: () => Effect.never })) }))
  ).pipe(Layer.provide(ImapClient.layer(dovecot.settings(), { ca })))

inWorld(dovecotNeed.named("The inbox of a real mail server"), (real) => {
  const test: typeof real = (name, body) => dovecotNeed.isMissing ? undefined : real(name, body)
  if (dovecotNeed.isMissing) real("is not tested", Effect.void)

  test("makes one task of a mail that arrives by SMTP and is announced five times, at once", function*() {
    const dovecot = yield* makeDovecot
    const smtp = yield* makeMailServer()
    yield* sendAsPerson(smtp.port, { subject: "Grüße", text: "Please check the plan." })
    const { raw } = yield* Queue.take(smtp.arrivals)
    const session = yield* Effect.fork(check(dovecot.settings(), { ca, interval: Duration.seconds(60) }))
    for (let n = 0; n < 5; n++) {
      yield* dovecot.append(raw)
      yield* eventually(dovecot.unread, (unread) => unread === 0)
    }
    yield* Fiber.interrupt(session)
    const tasks = yield* taskRows
    assert.deepStrictEqual(
      tasks.map(({ attachments, description, title }) => [title, description, attachments.length]),
      [["Grüße", "Please check the plan.", 1]]
    )
  })

  test("makes one task of a mail whose reader is killed between the commit and the marking", function*() {
    const dovecot = yield* makeDovecot
    yield* dovecot.append(mailText("Once"))
    const killed = yield* makeCheck({ interval: Duration.zero, ...rules }).pipe(
      Effect.flatten,
      Effect.scoped,
      Effect.provide(Layer.provideMerge(killedBeforeMarking(dovecot), inboxLayer(dovecot.settings(), { ca }))),
      Effect.fork
    )
    yield* eventually(outcomes, ([outcome]) => outcome === "task")
    yield* Fiber.interrupt(killed)
    assert.strictEqual(yield* dovecot.unread, 1)
    yield* check(dovecot.settings(), { ca })
    assert.strictEqual(yield* dovecot.unread, 0)
    assert.strictEqual((yield* taskRows).length, 1)
  })
})
