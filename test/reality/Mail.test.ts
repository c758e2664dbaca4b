import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { IgnoredMails } from "../../src/Intake/Mail/IgnoredMails.ts"
import { check, taskRows } from "../Intake/Mail/inbox.ts"
import { dovecotNeed, makeDovecot } from "../support/Dovecot.ts"
import { localhost as ca } from "../support/MailServer.ts"
import { inWorld } from "../support/TaskWorld.ts"

const mail = (headers: Readonly<Record<string, string>>, body: string) =>
  [
    ...Object.entries({
      From: "Ann <ann@people.test>",
      To: "agent@troupe.test",
      Date: "Sat, 28 Nov 2026 06:00:00 +0000",
      ...headers
    }).map(([name, value]) => `${name}: ${value}`),
    "",
    body,
    ""
  ].join("\r\n")

/** Delivers mails, whose characters are bytes, to the inbox of a real mail server, and reads it. */
const delivered = (...mails: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const server = yield* makeDovecot
    for (const one of mails) yield* server.append(one)
    yield* check(server.settings, { ca, maxPerSender: 100, maxUnknown: 100 })
    return yield* taskRows
  })

const ignored = Effect.provide(Effect.flatMap(IgnoredMails, ({ list }) => list), IgnoredMails.layer)

inWorld(dovecotNeed.named("A mail in a real inbox"), (real) => {
  const test: typeof real = (name, body) => dovecotNeed.isMissing ? undefined : real(name, body)
  if (dovecotNeed.isMissing) real("is not tested", Effect.void)

  test("of a device that has one Message-ID for all is a task each, and one task if it is delivered twice", function*() {
    const id = { "Message-ID": "<report@device.test>", Subject: "Daily report" }
    const first = mail({ ...id, Date: "Fri, 27 Nov 2026 06:00:00 +0000" }, "Level 41 %")
    const second = mail(id, "Level 43 %")
    const tasks = yield* delivered(first, second, `Received: from a by b\r\n${first}`, second)
    assert.deepStrictEqual(tasks.map(({ description }) => description), ["Level 41 %", "Level 43 %"])
    assert.deepStrictEqual((yield* ignored).map(({ reason }) => reason), ["duplicate", "duplicate"])
  })

  test("that asks for no automatic answer is a person's all the same", function*() {
    const tasks = yield* delivered(
      ...["DR, RN, NRN", "DR, OOF, AutoReply", "All"].map((suppressed) =>
        mail(
          { "X-Auto-Response-Suppress": suppressed, Subject: "Offer" },
          `Please compare both offers (${suppressed}).`
        )
      )
    )
    assert.strictEqual(tasks.length, 3)
    assert.deepStrictEqual(yield* ignored, [])
  })

  test("in windows-1252, labelled as such or as latin1, or in UTF-8 without a label, is readable", function*() {
    const qp = { "Content-Transfer-Encoding": "quoted-printable" }
    const [first, ...others] = yield* delivered(
      mail({
        Subject: "=?windows-1252?Q?=93Hi=94_=80100?=",
        "Content-Type": "text/plain; charset=windows-1252",
        ...qp
      }, "=93Hi=94 =96 =80100 =92s =FC"),
      mail({ Subject: "a", "Content-Type": "text/html; charset=iso-8859-1" }, "<p>\x93Hi\x94 \x80100</p>"),
      mail({ Subject: "b", "Content-Type": "text/plain; charset=us-ascii" }, "M\xc3\xbcller fertig"),
      mail({ Subject: "c", "Content-Type": "text/plain; charset=cp850" }, "M\x81ller"),
      mail({ Subject: "d", "Content-Type": "text/plain; charset=utf-7" }, "M+APw-ller"),
      mail({ Subject: "Gr\xfc\xdfe \x80 5" }, "e")
    )
    assert.deepStrictEqual([first?.title, first?.description], ["“Hi” €100", "“Hi” – €100 ’s ü"])
    assert.deepStrictEqual(others.map(({ description, title }) => [title, description]), [
      ["a", "“Hi” €100"],
      ["b", "Müller fertig"],
      ["c", "Müller"],
      ["d", "Müller"],
      ["Grüße € 5", "e"]
    ])
  })

  test("that is not taken is listed with the reason", function*() {
    const report = { "Content-Type": "multipart/report; report-type=disposition-notification; boundary=b" }
    const tasks = yield* delivered(
      mail({ Subject: "Automatic reply: Offer", "Auto-Submitted": "auto-generated" }, "I am away."),
      mail({ Subject: "Read: Offer", ...report }, "--b\r\n\r\nIt was read.\r\n--b--"),
      mail({ Subject: "News", "List-Id": "<news.people.test>" }, "News of the week"),
      mail({ Subject: "Loop", From: "troupe@example.org" }, "Our own")
    )
    assert.deepStrictEqual(tasks, [])
    assert.deepStrictEqual((yield* ignored).map(({ reason, subject }) => [reason, subject]), [
      ["own", "Loop"],
      ["list", "News"],
      ["report", "Read: Offer"],
      ["automatic", "Automatic reply: Offer"]
    ])
  })
})
