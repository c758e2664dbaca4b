import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Option, Schema, TestClock, TestServices } from "effect"
import { mrkdwnOf } from "../../src/Chat/Slack/Mrkdwn.ts"
import { MailPayload } from "../../src/Delivery/MailChannel.ts"
import { mailTextOf } from "../../src/Delivery/NotificationText.ts"
import type { OutboxEntry } from "../../src/Delivery/Outbox.ts"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { Snapshots } from "../../src/File/Snapshots.ts"
import type { RecipientCheck } from "../../src/Tool/MailRecipients.ts"
import { sendEmail } from "../../src/Tool/SendEmail.ts"
import { makeToolbox } from "../../src/Tool/Toolbox.ts"
import type { Mail } from "../../src/Wire/Mail.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { alice, callOf, context } from "./calls.ts"

const troupe: Mail["Type"]["sender"] = Option.some({ name: "", address: "troupe@example.org" })

const everybody: RecipientCheck = { unexpected: [], mayAsk: true, leaves: false }

/** A toolbox, and the mails of its calls. */
const makeDesk = (sender = troupe, expected: (addresses: ReadonlyArray<string>) => RecipientCheck = () => everybody) =>
  Effect.gen(function*() {
    const sandbox = yield* Sandbox
    const snapshots = yield* Snapshots
    const queued: Array<OutboxEntry> = []
    const toolbox = makeToolbox([sendEmail(sandbox, snapshots, { sender }, {
      check: (_, addresses) => Effect.sync(() => expected(addresses))
    })])
    const send = (args: object, callId = context.callId) =>
      Effect.map(toolbox.call(callOf("send_email", args, callId), { ...context, callId }), (outcome) => {
        if (outcome._tag === "Answered") queued.push(...outcome.outgoing ?? [])
        return outcome.content
      })
    const sent = Effect.suspend(() =>
      Effect.orDie(Effect.forEach(queued, ({ payload }) => Schema.decode(MailPayload)(payload)))
    )
    return {
      sandbox,
      snapshots,
      queued,
      sent,
      send,
      reviewOf: (args: object) =>
        Effect.fromNullable(toolbox.find("send_email")?.review?.(args, context)).pipe(Effect.flatten, Effect.orDie),
      outcomeOf: (args: object, reviewed?: string) =>
        toolbox.call(
          callOf("send_email", args),
          reviewed === undefined ? context : { ...context, reviewed }
        )
    }
  })

const hello = { to: "ada@example.org", subject: "Hi", body: "Hello" }

describe("send_email", () => {
  it.effect("queues one mail, and says so", () =>
    Effect.gen(function*() {
      const { queued, send, sent } = yield* makeDesk()
      const answer = yield* send(hello)
      const [entry] = queued
      assert.strictEqual(
        answer,
        `The mail to ada@example.org is queued as ${entry?.id}. It is sent in the background, and again if the mail `
          + "server is not available. Don't send it a second time."
      )
      assert.deepInclude(entry, {
        channel: "email",
        recipient: "ada@example.org",
        user_id: alice,
        task_id: context.taskId
      })
      assert.deepInclude((yield* sent)[0], { subject: "Hi", body: "Hello", attachments: [] })
    }).pipe(Effect.provide(sandbox)))

  it.effect("accepts an address or a list, removes duplicates, and separates copies", () =>
    Effect.gen(function*() {
      const { send, sent: mails } = yield* makeDesk()
      yield* send({
        ...hello,
        to: ["Ada <ada@example.org>", "bob@Example.org", "bob@example.org"],
        cc: "Zoë <zoe@bücher.example>"
      })
      const [mail] = yield* mails
      assert.deepStrictEqual(mail?.to, [
        { name: "Ada", address: "ada@example.org" },
        { name: "", address: "bob@example.org" }
      ])
      assert.deepStrictEqual(mail?.cc, [{ name: "Zoë", address: "zoe@xn--bcher-kva.example" }])
    }).pipe(Effect.provide(sandbox)))

  it.effect("sends nothing to an invalid address, to nobody, or to too many", () =>
    Effect.gen(function*() {
      const { queued, send } = yield* makeDesk()
      const crowd = Array.from({ length: 21 }, (_, index) => `a${index}@example.org`)
      assert.match(yield* send({ ...hello, to: "a@example.org, b@example.org" }), /^Error: "to" has .*make a list/)
      assert.match(
        yield* send({ ...hello, cc: "a@example.org\r\nBcc: x@example.org" }),
        /^Error: "cc" has .*line breaks/
      )
      assert.match(yield* send({ ...hello, to: [] }), /^Error: "to" is empty/)
      assert.match(yield* send({ ...hello, to: crowd }), /^Error: .*at most 20 addresses/)
      assert.match(yield* send({ ...hello, subject: "Hi\r\nBcc: x@example.org" }), /^Error: "subject" must be one line/)
      assert.match(yield* send({ ...hello, subject: "" }), /^Error: .*"subject"/)
      assert.deepStrictEqual(queued, [])
    }).pipe(Effect.provide(sandbox)))

  it.effect("attaches files of the user's sandbox as they are at the time of the call, and nothing else", () =>
    Effect.gen(function*() {
      const { queued, sandbox, send, sent, snapshots } = yield* makeDesk()
      yield* sandbox.write(alice, "out/plan.md", "# Plan")
      yield* send({ ...hello, attachments: ["out/./plan.md"] })
      yield* sandbox.write(alice, "out/plan.md", "# Another plan")
      const [mail] = yield* sent
      const [file] = mail?.attachments ?? []
      assert.strictEqual(file?.filename, "plan.md")
      assert.deepStrictEqual(queued[0]?.files, [file?.digest ?? ""])
      const copy = yield* snapshots.read(file?.digest ?? "")
      assert.strictEqual(Buffer.from(Option.getOrThrow(copy)).toString(), "# Plan")
      for (const path of ["none.txt", "out", "../bob/a.txt", "/etc/passwd", "https://evil.example/x"]) {
        assert.match(yield* send({ ...hello, attachments: [path] }), /^Error: /, path)
      }
      yield* sandbox.write(alice, "big.bin", Buffer.alloc(8 * 1_024 * 1_024))
      assert.match(yield* send({ ...hello, attachments: ["big.bin", "big.bin"] }), /^Error: "big\.bin" does not fit/)
      assert.match(
        yield* send({ ...hello, attachments: Array.from({ length: 11 }, () => "out/plan.md") }),
        /^Error: .*at most 10 files/
      )
      assert.lengthOf(queued, 1)
    }).pipe(Effect.provide(sandbox)))

  it.effect("sends nothing without a mail server", () =>
    Effect.gen(function*() {
      const { queued, send } = yield* makeDesk(Option.none())
      assert.match(yield* send(hello), /^Error: .*SMTP_HOST and SMTP_FROM.* Nothing was sent\./)
      assert.deepStrictEqual(queued, [])
    }).pipe(Effect.provide(sandbox)))

  it.effect("says whether a person is to be asked, and sends only what was reviewed", () =>
    Effect.gen(function*() {
      const { outcomeOf, reviewOf, sandbox } = yield* makeDesk(troupe, (addresses) => ({
        unexpected: addresses.filter((address) => address.startsWith("new")),
        mayAsk: true,
        leaves: false
      }))
      yield* sandbox.write(alice, "plan.md", "# Plan")
      const mail = { ...hello, cc: "Ada <new@example.net>", attachments: ["plan.md"] }
      assert.isFalse((yield* reviewOf(hello)).isUnexpected)
      const { digest, files, isUnexpected } = yield* reviewOf(mail)
      assert.isTrue(isUnexpected)
      assert.deepStrictEqual(files.map(({ path, size }) => [path, size]), [["plan.md", 6]])
      assert.match(digest, /^[0-9a-f]{64}$/)
      for (
        const other of [
          { ...mail, body: "Hello!" },
          { ...mail, subject: "Hi!" },
          { ...mail, to: "new2@example.net" },
          { ...mail, cc: "Bob <new@example.net>" },
          { ...mail, cc: [] },
          { ...mail, to: ["ada@example.org", "new@example.net"], cc: [] },
          { ...mail, attachments: [] }
        ]
      ) {
        assert.match((yield* outcomeOf(other, digest)).content, /^Error: .*Nothing was sent/, JSON.stringify(other))
      }
      const sent = yield* outcomeOf(mail, digest)
      assert.strictEqual(sent._tag === "Answered" ? sent.outgoing?.length : 0, 1)
      yield* sandbox.write(alice, "plan.md", "# Another plan")
      const changed = yield* outcomeOf(mail, digest)
      assert.match(changed.content, /^Error: A file of the mail has changed/)
      assert.notProperty(changed, "outgoing")
    }).pipe(Effect.provide(sandbox)))

  it.effect("says what a person can do where nobody can be asked", () =>
    Effect.gen(function*() {
      const { reviewOf } = yield* makeDesk(troupe, (unexpected) => ({ unexpected, mayAsk: false, leaves: false }))
      const { mayAsk, refusal } = yield* reviewOf(hello)
      assert.isFalse(mayAsk)
      assert.match(refusal, /^Nothing was sent, because ada@example\.org .*SEND_MAIL_TO/)
    }).pipe(Effect.provide(sandbox)))

  it.effect("shows all recipients and files, and texts in a form that can't pass for the question", () =>
    Effect.gen(function*() {
      const { reviewOf, sandbox } = yield* makeDesk(
        troupe,
        (unexpected) => ({ unexpected, mayAsk: true, leaves: false })
      )
      const to = Array.from({ length: 20 }, (_, index) => `reader${index}@example.net`)
      const attachments = Array.from({ length: 10 }, (_, index) => `out/file${index}.md`)
      for (const path of attachments) yield* sandbox.write(alice, path, "x")
      const trick =
        "\n\nTo: ada@example.org\n\n</pre>```\n# May this be sent?\u202E![x](http://evil.example)\r\n- Send\n"
      const { question } = yield* reviewOf({
        to,
        subject: "Hi \u202E# Send",
        body: `${trick}${"filler ".repeat(20_000)}END`,
        attachments
      })
      const content = question ?? ""
      for (const each of [...to, ...attachments]) assert.include(content, each)
      assert.notMatch(content, /[^\n\P{C}]/u)
      const own = content.split("\n").filter((line) => line !== "" && !line.startsWith("    "))
      assert.deepStrictEqual(own, [
        "May this mail be sent? Neither you nor your team have named all of its recipients in this task. New:",
        "The mail:",
        `Its text, of ${trick.length + 140_003} characters:`,
        "It is sent if you answer Send and nothing else. The agent reads any other answer."
      ])
      assert.isBelow(content.length, 8_000)
      assert.notInclude(content, "END")
      assert.include(content, "the rest was left out")
      // As mail programs and the team chat show it.
      const { html } = mailTextOf(content)
      assert.notMatch(html, /<(?:img|a|h1|ul)\b/)
      assert.lengthOf(mrkdwnOf(content).split("```"), 7)
    }).pipe(Effect.provide(sandbox)))

  it.effect("keeps a copy as long as something needs it, and an hour at least", () =>
    Effect.gen(function*() {
      const { snapshots } = yield* makeDesk()
      const [used, unused] = [yield* snapshots.save(Buffer.from("used")), yield* snapshots.save(Buffer.from("unused"))]
      const exist = Effect.map(
        Effect.forEach([used, unused], (digest) => snapshots.read(digest)),
        (found) => found.map(Option.isSome)
      )
      const sweep = snapshots.sweep(Effect.succeed(new Set([used])))
      yield* TestClock.setTime(yield* TestServices.provideLive(Clock.currentTimeMillis))
      yield* sweep
      assert.deepStrictEqual(yield* exist, [true, true])
      yield* TestClock.adjust("2 hours")
      yield* sweep
      assert.deepStrictEqual(yield* exist, [true, false])
      assert.isTrue(Option.isNone(yield* snapshots.read("../alice/secret")))
    }).pipe(Effect.provide(sandbox)))
})

const sandbox = Layer.unwrapScoped(
  Effect.map(
    freshFolder,
    (root) => Layer.merge(Sandbox.layer({ root }), Snapshots.layer({ root }))
  )
)
