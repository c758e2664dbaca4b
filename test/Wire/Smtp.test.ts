import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, Queue, Redacted } from "effect"
import { createServer, type Socket } from "node:net"
import { Mail, type OutgoingMail } from "../../src/Wire/Mail.ts"
import * as Smtp from "../../src/Wire/Smtp.ts"
import type { SmtpSettings } from "../../src/Wire/Smtp.ts"
import { listening } from "../support/LocalServer.ts"
import { localhost, makeMailServer, password, status } from "../support/MailServer.ts"
import { until } from "../support/Processes.ts"

const mail: OutgoingMail = {
  id: "task.call",
  to: [{ name: "Zoë, the \"boss\"", address: "zoe@xn--bcher-kva.example" }],
  cc: [{ name: "", address: "bob@example.org" }],
  subject: "Grüße 🎭",
  text: "Hello\n.\nWorld",
  html: "<p>Hello</p>",
  attachments: [{ filename: "Übersicht.csv", content: Buffer.from("a,b\n") }],
  answers: Option.none()
}

const trusting = { ca: localhost }

const send = <E = never>(
  settings: SmtpSettings,
  options: Smtp.SmtpOptions = trusting,
  given: OutgoingMail = mail,
  before?: Effect.Effect<void, E>
) => Effect.flatMap(Mail, (port) => port.send(given, before)).pipe(Effect.provide(Smtp.layer(settings, options)))

const verify = (settings: SmtpSettings, options: Smtp.SmtpOptions = trusting) =>
  Effect.flatMap(Mail, (port) => port.verify).pipe(Effect.provide(Smtp.layer(settings, options)))

describe("Mail by SMTP", () => {
  it.scopedLive("arrives unchanged after STARTTLS and sign-in", () =>
    Effect.gen(function*() {
      const server = yield* makeMailServer()
      const delivery = yield* send(server.settings())
      assert.deepStrictEqual(delivery, {
        messageId: "<task.call@example.org>",
        accepted: ["zoe@xn--bcher-kva.example", "bob@example.org"],
        refused: []
      })
      const { encrypted, from, mail: parse, raw, to } = yield* Queue.take(server.arrivals)
      const found = yield* parse
      assert.isTrue(encrypted)
      assert.deepStrictEqual([from, ...to], ["troupe@example.org", "zoe@bücher.example", "bob@example.org"])
      assert.deepStrictEqual([found.from?.name, found.from?.address], ["Troupe", "troupe@example.org"])
      assert.strictEqual(found.subject, mail.subject)
      assert.strictEqual(found.messageId, "<task.call@example.org>")
      assert.deepStrictEqual(found.to?.map(({ name }) => name), ["Zoë, the \"boss\""])
      assert.match(found.text ?? "", /^Hello\r?\n\.\r?\nWorld/)
      assert.include(found.html ?? "", "<p>Hello</p>")
      assert.deepStrictEqual(found.attachments.map(({ filename }) => filename), ["Übersicht.csv"])
      assert.match(raw, /^Auto-Submitted: auto-generated\r$/m)
    }))

  it.scopedLive("uses TLS from the start, or none, as SMTP_SECURE says", () =>
    Effect.gen(function*() {
      const secure = yield* makeMailServer({ secure: true })
      yield* send(secure.settings({ secure: "true" }))
      assert.isTrue((yield* Queue.take(secure.arrivals)).encrypted)
      const plain = yield* makeMailServer({ authOptional: true })
      yield* send(plain.settings({ secure: "false", login: Option.none() }))
      assert.isFalse((yield* Queue.take(plain.arrivals)).encrypted)
    }))

  it.scopedLive("sends no password to a server without a valid certificate or encryption", () =>
    Effect.gen(function*() {
      const server = yield* makeMailServer()
      const untrusted = yield* Effect.flip(send(server.settings(), {}))
      assert.deepInclude(untrusted, { kind: "unavailable" })
      assert.match(untrusted.reason, /certificate that can't be trusted/)
      const bare = yield* makeMailServer({ hideSTARTTLS: true, disabledCommands: ["STARTTLS"] })
      const unencrypted = yield* Effect.flip(send(bare.settings()))
      assert.match(unencrypted.reason, /does not offer STARTTLS\. Set SMTP_SECURE=true/)
      const late = yield* Effect.flip(send(server.settings({ secure: "true" })))
      assert.match(late.reason, /does not speak TLS from the start\. Set SMTP_SECURE=starttls/)
      assert.strictEqual(server.count() + bare.count(), 0)
    }))

  it.scopedLive("reports a failed sign-in without the password", () =>
    Effect.gen(function*() {
      const server = yield* makeMailServer()
      const login = Option.some({ user: "troupe", password: Redacted.make("wrong-secret") })
      const error = yield* Effect.flip(send(server.settings({ login })))
      assert.deepInclude(error, { kind: "unavailable" })
      assert.match(error.reason, /refused the sign-in\. Check SMTP_USER and SMTP_PASSWORD/)
      assert.notInclude(JSON.stringify(error), "wrong-secret")
      const busy = yield* makeMailServer({ onAuth: (_auth, _session, done) => done(status(454, "Busy")) })
      assert.deepInclude(yield* Effect.flip(send(busy.settings())), { kind: "unavailable" })
    }))

  it.scopedLive("reaches the accepted recipients and names the refused ones", () =>
    Effect.gen(function*() {
      const server = yield* makeMailServer({
        onRcptTo: ({ address }, _session, done) =>
          address.startsWith("bob") ? done(status(550, "5.1.1 No\tsuch user")) : done()
      })
      const delivery = yield* send(server.settings())
      assert.deepStrictEqual(delivery.accepted, ["zoe@xn--bcher-kva.example"])
      assert.deepStrictEqual(delivery.refused, [{ address: "bob@example.org", reason: "550 5.1.1 No such user" }])
      const none = yield* Effect.flip(send(server.settings(), trusting, { ...mail, to: mail.cc, cc: [] }))
      assert.deepInclude(none, { kind: "refused" })
      assert.match(none.reason, /refused any of the recipients: 550 5\.1\.1 No such user/)
    }))

  it.scopedLive("reports whether a refusal is temporary or permanent", () =>
    Effect.gen(function*() {
      const grey = yield* makeMailServer({ onRcptTo: (_to, _session, done) => done(status(450, "4.2.0 Greylisted")) })
      const later = yield* Effect.flip(send(grey.settings()))
      assert.deepInclude(later, { kind: "unavailable" })
      assert.match(later.reason, /try later: 450 4\.2\.0 Greylisted/)
      const strict = yield* makeMailServer({ onMailFrom: (_from, _session, done) => done(status(553, "Not yours")) })
      assert.match((yield* Effect.flip(send(strict.settings()))).reason, /refused the sender \(SMTP_FROM\): 553/)
      const spam = yield* makeMailServer({ answer: (done) => done(status(554, "Spam")) })
      assert.deepInclude(yield* Effect.flip(send(spam.settings())), { kind: "refused" })
      const small = yield* makeMailServer({ size: 100 })
      assert.match((yield* Effect.flip(send(small.settings()))).reason, /does not accept a mail of this size/)
    }))

  it.scopedLive("is uncertain when no answer follows the transfer", () =>
    Effect.gen(function*() {
      const silent = yield* makeMailServer({ answer: () => {} })
      const errors = yield* Effect.forEach(
        [{ idle: "1 second" }, { total: "2 seconds" }] as const,
        (limit) => Effect.flip(send(silent.settings(), { ...trusting, ...limit })),
        { concurrency: 2 }
      )
      for (const error of errors) {
        assert.deepInclude(error, { kind: "uncertain" })
        assert.match(error.reason, /may have been sent/)
      }
      assert.strictEqual(silent.count(), 2)
    }))

  it.scopedLive("hands nothing over if what has to be saved before can't be, and can be repeated if it broke off", () =>
    Effect.gen(function*() {
      const server = yield* makeMailServer()
      const refused = yield* Effect.flip(send(server.settings(), trusting, mail, Effect.fail("no database")))
      assert.strictEqual(refused, "no database")
      assert.strictEqual(server.count(), 0)
      const content = Buffer.alloc(8_000_000, "line of text\n")
      const large = { ...mail, attachments: [{ filename: "large.bin", content }] }
      const broken = yield* socketServer((socket) => {
        socket.write("220 Hello\r\n")
        let isData = false
        socket.on("data", (chunk) => {
          if (isData) socket.destroy()
          isData = isData || chunk.toString().startsWith("DATA")
          socket.write(isData ? "354 Go on\r\n" : "250 Fine\r\n")
        })
      })
      const cut = yield* Effect.flip(send({ ...base, port: broken }, {}, large))
      assert.deepInclude(cut, { kind: "unavailable" })
      let isSaved = false
      yield* send(server.settings(), trusting, large, Effect.sync(() => void (isSaved = true)))
      assert.isTrue(isSaved)
      const { mail: parse } = yield* Queue.take(server.arrivals)
      const [attachment] = (yield* parse).attachments
      assert.isTrue(attachment?.content instanceof ArrayBuffer && attachment.content.byteLength === content.length)
    }))

  it.scopedLive("names the mail that it answers", () =>
    Effect.gen(function*() {
      const server = yield* makeMailServer()
      const answers = Option.some({ messageId: "<two@example.org>", references: ["<one@example.org>"] })
      yield* send(server.settings(), trusting, { ...mail, answers })
      const { mail: parse, raw } = yield* Queue.take(server.arrivals)
      const found = yield* parse
      assert.strictEqual(found.inReplyTo, "<two@example.org>")
      assert.strictEqual(found.references, "<one@example.org> <two@example.org>")
      assert.match(raw, /^Auto-Submitted: auto-replied\r$/m)
    }))

  it.scopedLive("times out with a silent server, and fails with one that hangs up or is absent", () =>
    Effect.gen(function*() {
      const mute = yield* socketServer(() => {})
      const settings = (port: number) => ({ ...base, port })
      const silent = yield* Effect.flip(send(settings(mute), { connect: "300 millis" }))
      assert.deepInclude(silent, { kind: "unavailable" })
      assert.match(silent.reason, /did not respond in time\. Check SMTP_HOST/)
      const rude = yield* socketServer((socket) => socket.destroy())
      assert.deepInclude(yield* Effect.flip(send(settings(rude))), { kind: "unavailable" })
      const babbling = yield* socketServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"))
      assert.deepInclude(yield* Effect.flip(verify(settings(babbling))), { kind: "unavailable" })
      assert.match((yield* Effect.flip(send(settings(1)))).reason, /can't be reached\. Check SMTP_HOST/)
    }))

  it.scopedLive("closes its connection, also when it is interrupted", () =>
    Effect.gen(function*() {
      const silent = yield* makeMailServer({ answer: () => {} })
      const sending = yield* Effect.fork(send(silent.settings()))
      yield* Queue.take(silent.arrivals)
      yield* Fiber.interrupt(sending)
      yield* until("the connection is closed", Effect.sync(() => silent.connections() === 0))
    }))

  it.scopedLive("can be verified without sending a mail", () =>
    Effect.gen(function*() {
      const server = yield* makeMailServer()
      assert.strictEqual(
        yield* verify(server.settings()),
        `127.0.0.1:${server.port} answers and accepts the sign-in.`
      )
      assert.strictEqual(server.count(), 0)
      const login = Option.some({ user: "troupe", password: Redacted.make(`${password}!`) })
      assert.deepInclude(yield* Effect.flip(verify(server.settings({ login }))), { kind: "unavailable" })
      const nowhere = Effect.flatMap(Mail, (port) => port.verify).pipe(Effect.provide(Mail.layerUnconfigured))
      assert.match((yield* Effect.flip(nowhere)).reason, /set SMTP_HOST and SMTP_FROM/)
    }))
})

const base: SmtpSettings = {
  host: "127.0.0.1",
  port: 1,
  secure: "false",
  login: Option.none(),
  from: { name: "", address: "troupe@example.org" }
}

const socketServer = (talk: (socket: Socket) => void) =>
  listening(createServer((socket) => {
    socket.on("error", () => {})
    talk(socket)
  }))
