import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Layer, Option, Queue, Stream } from "effect"
import * as MailServers from "../../src/apps/MailServers.ts"
import { makeCheck } from "../../src/Intake/Mail/InboxMonitor.ts"
import { Mail, type OutgoingMail } from "../../src/Wire/Mail.ts"
import type { SmtpSettings } from "../../src/Wire/Smtp.ts"
import { inboxLayer, mailText, outcomes, rules } from "../Intake/Mail/inbox.ts"
import { makeImapServer } from "../support/ImapServer.ts"
import { makeMailServer } from "../support/MailServer.ts"
import { until } from "../support/Processes.ts"
import { inWorld } from "../support/TaskWorld.ts"

const mail: OutgoingMail = {
  id: "task.call",
  to: [{ name: "", address: "zoe@example.org" }],
  cc: [],
  subject: "Hello",
  text: "Hello",
  html: "<p>Hello</p>",
  attachments: [],
  answers: Option.none()
}

const open = { secure: "false", login: Option.none() } as const

describe("Mail by the settings of the moment", () => {
  it.scopedLive("goes to the new server, while a mail that is on its way keeps its own", () =>
    Effect.gen(function*() {
      const one = yield* makeMailServer({ authOptional: true })
      const other = yield* makeMailServer({ authOptional: true })
      let now: Option.Option<SmtpSettings> = Option.none()
      yield* Effect.gen(function*() {
        const port = yield* Mail
        assert.deepInclude(yield* Effect.flip(port.send(mail)), { kind: "unconfigured" })
        now = Option.some(one.settings(open))
        assert.strictEqual(Option.getOrNull(port.sender)?.address, "troupe@example.org")
        const [reached, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const first = yield* Effect.fork(
          port.send(mail, Effect.zipRight(Deferred.succeed(reached, undefined), Deferred.await(goOn)))
        )
        yield* Deferred.await(reached)
        now = Option.some(other.settings(open))
        yield* port.send(mail)
        assert.deepStrictEqual([one.count(), other.count()], [0, 1])
        yield* Deferred.succeed(goOn, undefined)
        yield* Fiber.join(first)
        assert.deepStrictEqual([one.count(), other.count()], [1, 1])
      }).pipe(Effect.provide(MailServers.mail(() => now)))
    }))
})

inWorld("The inbox by the settings of the moment", (test) => {
  test("is another one after a change: the check ends, and the next one reads it", function*() {
    const [one, other] = [yield* makeImapServer, yield* makeImapServer]
    one.deliver(mailText("First"))
    other.deliver(mailText("Second"))
    let now = one.settings()
    const changes = yield* Queue.unbounded<void>()
    const services = yield* Layer.build(
      Layer.provideMerge(MailServers.mailbox(() => Option.some(now)), inboxLayer(one.settings()))
    )
    const check = yield* makeCheck({
      ...rules,
      interval: Duration.minutes(10),
      changes: Stream.fromQueue(changes)
    }).pipe(Effect.provide(services))
    const waiting = yield* Effect.fork(Effect.provide(check, services))
    yield* until("the inbox waits", Effect.sync(() => one.idling() === 1))
    now = other.settings()
    yield* Queue.offer(changes, undefined)
    yield* Fiber.join(waiting)
    const next = yield* Effect.fork(Effect.provide(check, services))
    yield* until("the other inbox waits", Effect.sync(() => other.idling() === 1))
    assert.deepStrictEqual([one.mails[0]?.seen, other.mails[0]?.seen], [true, true])
    assert.lengthOf(yield* outcomes, 2)
    yield* Fiber.interrupt(next)
  })
})
