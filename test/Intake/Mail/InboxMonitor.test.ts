import { assert, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Schedule } from "effect"
import { checks } from "../../../src/Intake/Mail/InboxMonitor.ts"
import { makeMailLedger } from "../../../src/Intake/Mail/MailLedger.ts"
import { eventually } from "../../support/Eventually.ts"
import { makeImapServer } from "../../support/ImapServer.ts"
import { inWorld, Wire } from "../../support/TaskWorld.ts"
import { check, mailText, makeChecks, outcomes, received, taskRows } from "./inbox.ts"

it.effect("The next check after a failure comes within seconds, and later if failures go on", () =>
  Effect.gen(function*() {
    const delays = yield* Schedule.run(Schedule.delays(checks(() => Duration.minutes(2))), 0, [0, 1, 2, 3, 30, 0])
    assert.deepStrictEqual(Array.from(delays, Duration.toSeconds), [120, 15, 30, 60, 15, 120])
  }))

inWorld("The inbox monitor", (test) => {
  test("makes a task of an unread mail, once, and marks the mail as read", function*() {
    const server = yield* received([
      mailText("Please write the report.\n\n-- \nAda\n", { "Message-ID": "<one@example.net>" })
    ])
    const [task, ...others] = yield* taskRows
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(
      [task?.title, task?.description, task?.creator, task?.source, task?.reply_channel],
      ["The report", "Please write the report.", "ada@example.net", "email", "email"]
    )
    assert.deepStrictEqual(JSON.parse(task?.reply_to ?? ""), {
      address: "ada@example.net",
      name: "Ada",
      subject: "The report",
      messageId: "<one@example.net>",
      references: [],
      participants: ["troupe@example.org"]
    })
    assert.include(task?.context ?? "", "From: Ada <ada@example.net>")
    const { query } = yield* Wire
    assert.deepStrictEqual(yield* query("select channel, key from task_threads"), [
      { channel: "email", key: "<one@example.net>" }
    ])
    assert.deepStrictEqual(yield* query("select name, email from users where id = 'ada@example.net'"), [
      { name: "Ada", email: "ada@example.net" }
    ])
    assert.isTrue(server.mails[0]?.seen)
  })

  test("makes one task of a mail that is delivered three times, stays unread and gets another UID", function*() {
    const server = yield* makeImapServer
    for (const source of [mailText("Once"), mailText("Without an id", { "Message-ID": "" })]) {
      for (let n = 0; n < 3; n++) server.deliver(source)
    }
    server.faults.refuseStore = true
    yield* check(server.settings())
    yield* check(server.settings())
    assert.deepStrictEqual(yield* outcomes, ["task", "duplicate", "duplicate", "task", "duplicate", "duplicate"])
    assert.isTrue(server.mails.every(({ seen }) => !seen))
    server.renumber()
    server.faults.refuseStore = false
    yield* check(server.settings())
    assert.strictEqual((yield* taskRows).length, 2)
    assert.isTrue(server.mails.every(({ seen }) => seen))
  })

  test("skips a mail that can't be fetched after five attempts, and reads the others meanwhile", function*() {
    const server = yield* makeImapServer
    server.faults.dropFetchOf = server.deliver(mailText("Poison"))
    server.deliver(mailText("Fine", { From: "bea@example.net" }))
    const checks = Effect.ignore(check(server.settings(), { firstPause: Duration.minutes(1) }))
    yield* checks
    yield* checks
    assert.deepStrictEqual((yield* taskRows).map(({ description }) => description), ["Fine"])
    const { query } = yield* Wire
    yield* query("update mail_ledger set next_attempt_at = now() where outcome is null")
    for (let n = 0; n < 4; n++) yield* Effect.ignore(check(server.settings()))
    assert.deepStrictEqual(yield* outcomes, ["failed", "task"])
    assert.deepStrictEqual(server.mails.map(({ seen }) => seen), [false, true])
    const logins = server.logins()
    yield* check(server.settings())
    assert.strictEqual(server.logins(), logins + 1)
  })

  test("skips what is no mail at once, and leaves it unread", function*() {
    const nested = Array.from({ length: 60 }, (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n`)
    const server = yield* received([`From: ada@example.net\n${nested.join("")}`])
    assert.deepStrictEqual(yield* outcomes, ["failed"])
    assert.isFalse(server.mails[0]?.seen)
  })

  test("reads only the beginning of a huge mail, and says so", function*() {
    const boundary = "Content-Type: multipart/mixed; boundary=b"
    yield* received([
      `From: ada@example.net\nSubject: Huge\nMIME-Version: 1.0\n${boundary}\n\n--b\n\nSee the file.\n--b\n`
      + `Content-Type: text/plain; name=a.txt\nContent-Disposition: attachment; filename=a.txt\n\n`
      + `${`${"0123456789abcdef".repeat(60)}\n`.repeat(28_000)}\n--b--\n`
    ])
    const [task] = yield* taskRows
    assert.strictEqual(task?.description, "See the file.")
    assert.include(task?.context ?? "", "the mail is too large")
    assert.deepStrictEqual(task?.attachments, [])
  })

  test("reads an announced mail at once, and every one that came before, and closes when it is stopped", function*() {
    const server = yield* makeImapServer
    const session = yield* Effect.fork(check(server.settings(), { interval: Duration.seconds(60) }))
    yield* eventually(Effect.sync(server.idling), (n) => n === 1)
    server.deliver(mailText("At once"))
    yield* eventually(taskRows, (tasks) => tasks.length === 1)
    yield* eventually(Effect.sync(server.idling), (n) => n === 1)
    server.deliver(mailText("And again"))
    yield* eventually(taskRows, (tasks) => tasks.length === 2)
    yield* eventually(Effect.sync(server.idling), (n) => n === 1)
    yield* Fiber.interrupt(session)
    yield* eventually(Effect.sync(server.idling), (n) => n === 0)
  })

  test("stays signed in from check to check, and signs in again after a failure", function*() {
    const server = yield* makeImapServer
    const next = yield* makeChecks(server.settings(), { interval: Duration.millis(100) })
    yield* next
    server.deliver(mailText("Between two checks"))
    yield* next
    yield* next
    yield* eventually(Effect.sync(server.idling), (n) => n === 1)
    assert.deepStrictEqual([yield* outcomes, server.logins()], [["task"], 1])
    server.faults.dropFetchOf = server.deliver(mailText("Broken"))
    assert.strictEqual((yield* Effect.flip(next))._tag, "ImapFailed")
    server.faults.dropFetchOf = null
    yield* next
    assert.deepStrictEqual([yield* outcomes, server.logins()], [["task", "task"], 2])
  })

  test("ends its session at once where the server announces nothing", function*() {
    const server = yield* makeImapServer
    server.faults.idle = false
    yield* check(server.settings(), { interval: Duration.seconds(60) })
    assert.strictEqual(server.logins(), 1)
  })

  test("forgets what is older than 90 days", function*() {
    const { query } = yield* Wire
    yield* query(
      `insert into mail_ledger (mailbox, uid_validity, uid, outcome, done_at, next_attempt_at) values
         ('INBOX', 1, 1, null, null, now() - interval '91 days'),
         ('INBOX', 1, 2, 'task', now() - interval '91 days', now() - interval '91 days'),
         ('INBOX', 1, 3, 'task', now() - interval '89 days', now() - interval '91 days')`
    )
    yield* Effect.flatMap(makeMailLedger, ({ deleteOld }) => deleteOld)
    assert.deepStrictEqual(yield* query("select uid::integer from mail_ledger"), [{ uid: 3 }])
  })

  test("lets one of two monitors at once have each mail", function*() {
    const server = yield* makeImapServer
    for (let n = 0; n < 8; n++) server.deliver(mailText(`Mail ${n}`, { From: `a${n}@example.net` }))
    yield* Effect.all([check(server.settings()), check(server.settings())], { concurrency: 2 })
    assert.strictEqual((yield* taskRows).length, 8)
    assert.isTrue(server.mails.every(({ seen }) => seen))
  })
})
