import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Option, Schema, TestClock, TestServices } from "effect"
import { MailPayload } from "../../src/Delivery/MailChannel.ts"
import type { OutboxEntry } from "../../src/Delivery/Outbox.ts"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { Snapshots } from "../../src/File/Snapshots.ts"
import { sendEmail } from "../../src/Tool/SendEmail.ts"
import { makeToolbox } from "../../src/Tool/Toolbox.ts"
import type { Mail } from "../../src/Wire/Mail.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { alice, callOf, context } from "./calls.ts"

/** A toolbox, and the mails of its calls. */
const makeDesk = (sender: Mail["Type"]["sender"] = Option.some({ name: "", address: "troupe@example.org" })) =>
  Effect.gen(function*() {
    const sandbox = yield* Sandbox
    const snapshots = yield* Snapshots
    const queued: Array<OutboxEntry> = []
    const toolbox = makeToolbox([sendEmail(sandbox, snapshots, { sender })])
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
      effect: (args: object) => toolbox.effectOf(callOf("send_email", args))
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
        userId: alice,
        taskId: context.taskId
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

  it.effect("may run again after a crash, because only its result sends the mail", () =>
    Effect.gen(function*() {
      const { effect } = yield* makeDesk()
      assert.strictEqual(effect(hello), "idempotent")
      assert.strictEqual(effect({ to: 1 }), "read")
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
