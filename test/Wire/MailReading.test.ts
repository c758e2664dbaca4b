import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { kill, pid } from "node:process"
import { descendants } from "../../src/Runtime/Process/Termination.ts"
import { parseMail } from "../../src/Wire/MailParser.ts"
import { readMail } from "../../src/Wire/MailReading.ts"
import { linux } from "../support/Need.ts"

const headers =
  "From: Ann <ann@example.org>\r\nTo: troupe@example.org\r\nSubject: Plan\r\nMessage-ID: <1@example.org>\r\n"

const withAttachment = (content: Buffer) =>
  Buffer.from(
    `${headers}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nH\u00e9llo\r\n--b\r\nContent-Type: image/png; name=a.png\r\n`
      + `Content-Transfer-Encoding: base64\r\n\r\n${
        content.toString("base64").replaceAll(/.{76}/g, "$&\r\n")
      }\r\n--b--\r\n`
  )

describe("A large mail", () => {
  it.live("is read in a process of its own as a small one is here", () =>
    Effect.gen(function*() {
      const content = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251))
      const source = withAttachment(content)
      const mail = yield* readMail(source)
      assert.deepEqual({ ...mail, attachments: [] }, { ...(yield* parseMail(source)), attachments: [] })
      assert.deepStrictEqual(mail.attachments.map(({ filename }) => filename), ["a.png"])
      assert.isTrue(mail.attachments.every((one) => content.equals(one.content)))
    }))

  it.live("whose parsing exceeds the time limit is refused", () =>
    Effect.gen(function*() {
      const source = Buffer.from(`${headers}\r\n${"\r\n".repeat(1_000_000)}`)
      const { message } = yield* Effect.flip(readMail(source, { memoryMegabytes: 3_000, seconds: 1 }))
      assert.strictEqual(message, "Reading the mail takes longer than 1 s.")
    }))

  it.live.skipIf(linux.isMissing)(
    linux.named("is read later if its reader is stopped with the service"),
    () =>
      Effect.gen(function*() {
        const readers = Effect.map(descendants([pid], 100), (found) => found.filter((one) => one.pid === one.group))
        const before = new Set((yield* readers).map((one) => one.pid))
        const reading = yield* Effect.fork(Effect.flip(readMail(withAttachment(Buffer.alloc(300_000)))))
        const [reader] = yield* Effect.repeat(
          Effect.delay(Effect.map(readers, (found) => found.filter((one) => !before.has(one.pid))), "5 millis"),
          { until: ({ length }) => length > 0 }
        )
        kill(reader?.pid ?? 0, "SIGTERM")
        assert.strictEqual((yield* Fiber.join(reading))._tag, "GuardedProcessFailed")
      }),
    30_000
  )

  it.live("that names no format is refused with the reason of its reader", () =>
    Effect.gen(function*() {
      const source = Buffer.from(`From: a@b.cd\r\nX: ${"y".repeat(600_000)}\r\n\r\nHi`)
      assert.include((yield* Effect.flip(readMail(source))).message, "The mail can't be read: ")
    }))
})

it.live("A mail of many lines, which keep its reader busy, is no small one", () =>
  Effect.gen(function*() {
    const source = Buffer.from(`${headers}\r\n${"\n".repeat(60_000)}`)
    const outcome = yield* Effect.match(readMail(source, { memoryMegabytes: 140, seconds: 30 }), {
      onFailure: ({ message }) => message,
      onSuccess: () => "It was read in this process."
    })
    assert.strictEqual(outcome, "Reading the mail needs more memory than 140 MB.")
  }), 30_000)
