import * as HttpClient from "@effect/platform/HttpClient"
import { assert } from "@effect/vitest"
import type { IgnoredMail } from "@troupe/domain/IgnoredMail"
import { DateTime, Effect, Layer, Option } from "effect"
import { IgnoredMails } from "../../../src/Intake/Mail/IgnoredMails.ts"
import { makeFakes } from "../../Http/Fakes.ts"
import { inProcess } from "../../Http/TestServer.ts"
import { givenCompleted, givenTask } from "../../support/GivenTasks.ts"
import { makeImapServer } from "../../support/ImapServer.ts"
import { inWorld, Wire } from "../../support/TaskWorld.ts"
import { answering, check, inThread, mailText, outcomes, received, taskRows } from "./inbox.ts"

const listed = Effect.provide(Effect.flatMap(IgnoredMails, ({ list }) => list), IgnoredMails.layer)

const reasons = Effect.map(listed, (mails) => mails.map(({ reason }) => reason).toReversed())

const shown = (
  { detail, from, message_id, reason, subject }: IgnoredMail
) => [reason, from, subject, message_id, detail]

inWorld("The mails that are not taken", (test) => {
  test("are listed with sender, subject, Message-ID and reason, the newest first", function*() {
    const server = yield* makeImapServer
    const arrived = DateTime.unsafeMake("2026-01-02T03:04:05Z")
    const recently = DateTime.subtract(yield* DateTime.now, { hours: 5 })
    server.deliver(mailText("Away", { "Auto-Submitted": "auto-replied", "Message-ID": "<1@example.net>" }), recently)
    server.deliver(mailText("Hi", {
      From: "=?iso-8859-1?Q?J=FCrg?= <jurg@example.net>",
      Subject: "=?windows-1252?Q?=80_5?=",
      "List-Id": "<news.example.net>",
      "Message-ID": ""
    }))
    server.deliver(mailText("Taken"))
    yield* check(server.settings())
    const [second, first, ...others] = yield* listed
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(first === undefined ? null : shown(first), [
      "automatic",
      "Ada <ada@example.net>",
      "The report",
      "<1@example.net>",
      "it is marked as Auto-Submitted"
    ])
    assert.strictEqual(Date.parse(first?.received_at ?? ""), Math.floor(recently.epochMillis / 1_000) * 1_000)
    assert.isAbove(Date.parse(first?.ignored_at ?? ""), arrived.epochMillis)
    assert.match(first?.mailbox ?? "", /^troupe@127\.0\.0\.1:\d+\/INBOX$/)
    assert.deepStrictEqual(second === undefined ? null : shown(second).slice(0, 4), [
      "list",
      "Jürg <jurg@example.net>",
      "€ 5",
      null
    ])
  })

  test("are all of them, whatever the reason", function*() {
    yield* Effect.flatMap(givenTask(), inThread)
    const nested = Array.from({ length: 60 }, (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n`)
    const twice = mailText("Twice")
    yield* received([
      mailText("Gone", { "Return-Path": "<>", From: "MAILER-DAEMON" }),
      mailText("Loop", { From: "troupe@example.org" }),
      mailText("Two", { From: "a@example.net, b@example.net" }),
      mailText("", { Subject: "" }),
      mailText("I want", { ...answering, From: "eve@example.net" }),
      mailText("I am away", { ...answering, Subject: "Automatic reply: Which one" }),
      `From: ada@example.net\nSubject: Deep\n${nested.join("")}`,
      twice,
      twice
    ])
    assert.deepStrictEqual(yield* reasons, [
      "report",
      "own",
      "no_sender",
      "empty",
      "not_allowed",
      "automatic",
      "unreadable",
      "duplicate"
    ])
    assert.deepStrictEqual((yield* listed).map(({ from }) => from).at(-1), "MAILER-DAEMON")
    const unreadable = (yield* listed).find(({ reason }) => reason === "unreadable")
    assert.deepStrictEqual(unreadable === undefined ? null : shown(unreadable).slice(1, 3), ["ada@example.net", "Deep"])
  })

  test("are those of strangers and of forgers in hosted mode", function*() {
    const trustedAuthserv = Option.some("mx.example.org")
    const pass = { "Authentication-Results": "mx.example.org; dmarc=pass header.from=example.net" }
    yield* received([mailText("Hi"), mailText("Hi", pass)], { isHosted: true, trustedAuthserv })
    assert.deepStrictEqual(yield* reasons, ["unauthenticated", "unknown_sender"])
  })

  test("are those whose attempts failed, and not those that are tried again", function*() {
    const server = yield* makeImapServer
    server.faults.dropFetchOf = server.deliver(mailText("Poison", { Subject: "Poison" }))
    const failing = Effect.ignore(check(server.settings()))
    for (let n = 0; n < 4; n++) yield* failing
    assert.deepStrictEqual(yield* listed, [])
    yield* failing
    assert.deepStrictEqual(yield* reasons, ["failed"])
  })

  test("are not those over an hourly limit, which only wait", function*() {
    yield* received([mailText("One"), mailText("Two")], { maxPerSender: 1 })
    assert.deepStrictEqual([yield* outcomes, yield* listed], [["task", null], []])
  })

  test("are those that nobody has read for more than a week, but not all that a mailbox has collected", function*() {
    const server = yield* makeImapServer
    const ago = (days: number) => Effect.map(DateTime.now, DateTime.subtract({ days }))
    server.deliver(mailText("Ancient"), yield* ago(40))
    server.deliver(mailText("Missed", { Subject: "Missed" }), yield* ago(9))
    server.deliver(mailText("New"))
    yield* check(server.settings())
    yield* check(server.settings())
    assert.deepStrictEqual((yield* listed).map(({ reason, subject }) => [reason, subject]), [["too_old", "Missed"]])
    assert.deepStrictEqual((yield* taskRows).map(({ description }) => description), ["New"])
    assert.deepStrictEqual(server.mails.map(({ seen }) => seen), [false, false, true])
  })

  test("are the last 200", function*() {
    const { query } = yield* Wire
    yield* query(
      `insert into mail_ledger (mailbox, uid_validity, uid, outcome, done_at, ignored_id, reason_code, subject)
       select 'm', 1, n, 'ignored', now(), lpad(n::text, 32, '0')::uuid, 'list', 'Mail ' || n from generate_series(1, 200) n`
    )
    yield* received([mailText("Away", { Precedence: "bulk" })])
    const mails = yield* listed
    assert.deepStrictEqual([mails.length, mails[0]?.subject, mails.at(-1)?.subject], [200, "The report", "Mail 2"])
    assert.deepStrictEqual(yield* query("select subject from mail_ledger where uid = 1 and mailbox = 'm'"), [
      { subject: null }
    ])
  })

  test("reach operators over HTTP", function*() {
    yield* received([mailText("Away", { Precedence: "bulk" })])
    const ignored = Layer.succeed(IgnoredMails, yield* Effect.provide(IgnoredMails, IgnoredMails.layer))
    const [mail] = yield* Effect.flatMap(HttpClient.get("/api/mail/ignored"), ({ json }) => json).pipe(
      Effect.scoped,
      Effect.provide(inProcess(makeFakes(), ignored)),
      Effect.map((body) => Array.isArray(body) ? body : [])
    )
    assert.deepInclude(mail, { reason: "list", subject: "The report", from: "Ada <ada@example.net>" })
  })
})

inWorld("A person's answer through a list", (test) => {
  test("reaches the task that it answers", function*() {
    yield* Effect.flatMap(givenCompleted(), inThread)
    yield* received([
      mailText("Blue", { ...answering, "List-Id": "<team.example.net>", Precedence: "list" }),
      mailText("Away", { ...answering, "List-Id": "<team.example.net>", "Auto-Submitted": "auto-replied" })
    ])
    assert.deepStrictEqual(yield* outcomes, ["continuation", "ignored"])
  })
})
