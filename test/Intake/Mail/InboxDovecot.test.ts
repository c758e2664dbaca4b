import { assert } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Option, Queue } from "effect"
import { createTransport } from "nodemailer"
import { makeCheck } from "../../../src/Intake/Mail/InboxMonitor.ts"
import { Imap } from "../../../src/Wire/Imap.ts"
import * as ImapClient from "../../../src/Wire/ImapClient.ts"
import { Mail } from "../../../src/Wire/Mail.ts"
import * as Smtp from "../../../src/Wire/Smtp.ts"
import { type Dovecot, dovecotNeed, makeDovecot } from "../../support/Dovecot.ts"
import { eventually } from "../../support/Eventually.ts"
import { localhost, makeMailServer, password } from "../../support/MailServer.ts"
import { inWorld, Wire } from "../../support/TaskWorld.ts"
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

  test("makes one task of a mail that arrives by SMTP and is delivered five times", function*() {
    const dovecot = yield* makeDovecot
    const smtp = yield* makeMailServer()
    yield* sendAsPerson(smtp.port, { subject: "Grüße", text: "Please check the plan." })
    const { raw } = yield* Queue.take(smtp.arrivals)
    for (let n = 0; n < 5; n++) yield* dovecot.append(raw)
    yield* check(dovecot.settings(), { ca })
    const tasks = yield* taskRows
    assert.deepStrictEqual(
      tasks.map(({ attachments, description, title }) => [title, description, attachments.length]),
      [["Grüße", "Please check the plan.", 1]]
    )
    assert.strictEqual(yield* dovecot.unread, 0)
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

  test("is read at once when a mail is announced", function*() {
    const dovecot = yield* makeDovecot
    const session = yield* Effect.fork(check(dovecot.settings(), { ca, interval: Duration.seconds(60) }))
    yield* eventually(dovecot.unread, (unread) => unread === 0)
    yield* dovecot.append(mailText("At once"))
    yield* eventually(taskRows, (tasks) => tasks.length === 1)
    yield* Fiber.interrupt(session)
  })

  test("ends a loop of two agents: at the first mail of a marked one, within the limit for one without marks", function*() {
    const dovecot = yield* makeDovecot
    const { query } = yield* Wire
    const smtp = yield* makeMailServer()
    yield* Effect.flatMap(Mail, (mail) =>
      mail.send({
        id: "0190",
        to: [{ name: "", address: "troupe@example.org" }],
        cc: [],
        subject: "Re: The report",
        text: "Done.",
        html: "<p>Done.</p>",
        attachments: [],
        answers: Option.none()
      }, Effect.void)).pipe(
        Effect.provide(
          Smtp.layer(smtp.settings({ host: "localhost", from: { name: "", address: "agent@example.net" } }), { ca })
        )
      )
    yield* dovecot.append((yield* Queue.take(smtp.arrivals)).raw)
    yield* check(dovecot.settings(), { ca })
    assert.deepStrictEqual(yield* outcomes, ["ignored"])
    let before = ""
    for (let n = 0; n < 14; n++) {
      const id = `<echo-${n}@example.net>`
      yield* dovecot.append(
        mailText("Thank you!", { From: "echo@example.net", "Message-ID": id, "In-Reply-To": before })
      )
      before = id
      yield* check(dovecot.settings(), { ca })
      // Each of its tasks ends, and is answered.
      yield* query("update actors set status = 'completed', wake_at = null")
    }
    assert.strictEqual((yield* taskRows).length, 10)
    assert.strictEqual(yield* dovecot.unread, 4)
  })
})
