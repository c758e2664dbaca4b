import { assert } from "@effect/vitest"
import { Duration, Effect, Fiber, Queue } from "effect"
import { createTransport } from "nodemailer"
import { dovecotNeed, makeDovecot } from "../../support/Dovecot.ts"
import { eventually } from "../../support/Eventually.ts"
import { localhost as ca, makeMailServer, password } from "../../support/MailServer.ts"
import { inWorld } from "../../support/TaskWorld.ts"
import { check, taskRows } from "./inbox.ts"

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

inWorld(dovecotNeed.named("The inbox of a real mail server"), (real) => {
  const test: typeof real = (name, body) => dovecotNeed.isMissing ? undefined : real(name, body)
  if (dovecotNeed.isMissing) real("is not tested", Effect.void)

  test("makes one task of a mail that arrives by SMTP and is announced five times, at once", function*() {
    const dovecot = yield* makeDovecot
    const smtp = yield* makeMailServer()
    yield* sendAsPerson(smtp.port, { subject: "Grüße", text: "Please check the plan." })
    const { raw } = yield* Queue.take(smtp.arrivals)
    const session = yield* Effect.fork(check(dovecot.settings, { ca, interval: Duration.seconds(60) }))
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
})
