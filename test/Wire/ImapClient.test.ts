import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Option } from "effect"
import { Imap } from "../../src/Wire/Imap.ts"
import * as ImapClient from "../../src/Wire/ImapClient.ts"
import { eventually } from "../support/Eventually.ts"
import { type ImapServer, makeImapServer } from "../support/ImapServer.ts"

const open = (server: ImapServer, overrides: Parameters<ImapServer["settings"]>[0] = {}, options = {}) =>
  Effect.flatMap(Imap, (imap) => imap.open).pipe(
    Effect.provide(
      ImapClient.layer(server.settings(overrides), { connect: "5 seconds", command: "5 seconds", ...options })
    )
  )

const week = Duration.days(7)

describe("ImapClient", () => {
  it.scopedLive("lists unread mails, reads as much as asked for without marking, and marks", () =>
    Effect.gen(function*() {
      const server = yield* makeImapServer
      const [one, two] = [server.deliver("Subject: One\n\nHello"), server.deliver("Subject: Two\n\nHi")]
      const mailbox = yield* open(server)
      assert.strictEqual(mailbox.uidValidity, "1")
      assert.deepStrictEqual(yield* mailbox.unseen(week), [one, two])
      const whole = Option.getOrThrow(yield* mailbox.read(one, 1_000))
      assert.strictEqual(Buffer.from(whole.bytes).toString(), "Subject: One\r\n\r\nHello")
      const begin = Option.getOrThrow(yield* mailbox.read(two, 7))
      assert.deepStrictEqual([begin.size, Buffer.from(begin.bytes).toString()], [18, "Subject"])
      assert.isTrue(Option.isNone(yield* mailbox.read(99, 7)))
      assert.deepStrictEqual(server.mails.map(({ seen }) => seen), [false, false])
      yield* mailbox.markSeen(one)
      assert.deepStrictEqual(yield* mailbox.unseen(week), [two])
    }))

  it.scopedLive("returns when the server announces a mail, also one that came before the wait", () =>
    Effect.gen(function*() {
      const server = yield* makeImapServer
      const mailbox = yield* open(server)
      assert.isTrue(mailbox.announces)
      const waiting = yield* Effect.fork(mailbox.announced)
      yield* eventually(Effect.sync(server.idling), (n) => n === 1)
      server.deliver("Subject: One\n\n")
      yield* Fiber.join(waiting)
      server.deliver("Subject: Two\n\n")
      assert.deepStrictEqual(yield* mailbox.unseen(week), [1, 2])
      yield* mailbox.announced
    }))

  it.scopedLive("fails while it waits, once the connection is lost", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* makeImapServer
      const mailbox = yield* open(server)
      server.deliver("Subject: One\n\n")
      server.faults.dropFetchOf = 1
      const failure = yield* Effect.flip(mailbox.read(1, 1_000))
      assert.deepStrictEqual([failure.kind, /closed the connection/.test(failure.reason)], ["unavailable", true])
      assert.strictEqual((yield* Effect.flip(mailbox.announced)).kind, "unavailable")
      assert.strictEqual((yield* Effect.flip(mailbox.unseen(week))).kind, "unavailable")
    })))

  it.scopedLive("says what to check: sign-in, mailbox, encryption, a silent server, none at all", () =>
    Effect.gen(function*() {
      const server = yield* makeImapServer
      const reason = (overrides: Parameters<ImapServer["settings"]>[0] = {}, options = {}) =>
        Effect.map(Effect.flip(open(server, overrides, options)), (one) => `${one.kind}: ${one.reason}`)
      assert.include(yield* reason({ mailbox: "Other" }), "refused: The mail server 127.0.0.1")
      assert.include(yield* reason({ mailbox: "Other" }), "Check IMAP_MAILBOX")
      assert.include(yield* reason({ secure: "starttls" }), "refused: ")
      assert.include(yield* reason({ secure: "starttls" }), "does not offer STARTTLS")
      assert.include(yield* reason({ secure: "true" }), "does not speak TLS from the start")
      server.faults.refuseLogin = true
      const refused = yield* reason()
      assert.include(refused, "Check IMAP_USER and IMAP_PASSWORD")
      assert.notInclude(refused, "secret words")
      server.faults.isSilent = true
      const silent = yield* reason({}, { connect: "300 millis" })
      assert.include(silent, "unavailable: ")
      assert.include(silent, "did not respond in time")
      assert.include(yield* reason({ port: 1 }), "can't be reached")
    }))

  it.scopedLive("accepts no response that is larger than its limit", () =>
    Effect.gen(function*() {
      const server = yield* makeImapServer
      server.deliver(`Subject: Big\n\n${"x".repeat(100_000)}`)
      const mailbox = yield* open(server, {}, { maxBytes: 10_000 })
      assert.include((yield* Effect.flip(mailbox.read(1, 200_000))).reason, "more than was asked for")
    }))
})
