import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck, Option } from "effect"
import { parseMail } from "../../src/Wire/MailParser.ts"

const parsed = (text: string, encoding: BufferEncoding = "utf8") =>
  parseMail(Buffer.from(text.replaceAll(/\r?\n/g, "\r\n"), encoding))

describe("MailParser", () => {
  it.effect("reads addresses, encoded words, references and the Message-ID", () =>
    Effect.gen(function*() {
      const mail = yield* parsed(
        "From: =?utf-8?B?QWTDqQ==?= <Ada@example.net>\nTo: Team: bea@example.net, c@example.net;, d@example.net\n"
          + "Subject: =?iso-8859-1?Q?Gr=FC=DFe?=\n =?utf-8?Q?_weiter?=\nMessage-ID: <1@x>\nIn-Reply-To: <3@x>\n"
          + "References: <1@x> <2@x>\n <3@x>\n\nHello\n"
      )
      assert.deepStrictEqual(Option.getOrNull(mail.from), { name: "Adé", address: "Ada@example.net" })
      assert.deepStrictEqual(mail.to.map(({ address }) => address), [
        "bea@example.net",
        "c@example.net",
        "d@example.net"
      ])
      assert.strictEqual(mail.subject, "Grüße weiter")
      assert.deepStrictEqual([mail.messageId, ...mail.references], ["<1@x>", "<1@x>", "<2@x>", "<3@x>"])
      assert.strictEqual(mail.text.trim(), "Hello")
    }))

  it.effect("decodes the character sets and encodings of bodies", () =>
    Effect.gen(function*() {
      const latin = yield* parsed(
        "From: a@b.cd\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nGr=FC=DFe"
      )
      assert.strictEqual(latin.text.trim(), "Grüße")
      const raw = yield* parsed(
        "From: a@b.cd\nContent-Type: text/plain; charset=windows-1252\n\nGr\u00fc\u00dfe",
        "latin1"
      )
      assert.strictEqual(raw.text.trim(), "Grüße")
      const japanese = yield* parsed(
        `From: a@b.cd\nContent-Type: text/plain; charset=iso-2022-jp\n\n\u001b$B$3$s\u001b(B`,
        "latin1"
      )
      assert.strictEqual(japanese.text.trim(), "こん")
      assert.strictEqual(
        (yield* parsed("From: a@b.cd\nContent-Type: text/plain; charset=x-nonsense\n\nHi")).text.trim(),
        "Hi"
      )
    }))

  it.effect("reads the text of HTML where there is no other, with quotes marked", () =>
    Effect.gen(function*() {
      const mail = yield* parsed(
        "From: a@b.cd\nContent-Type: text/html\n\n<p>Blue &amp; <b>big</b></p><script>bad()</script><style>p{}</style>"
          + "<img src=\"https://spy.example/x.png\"><a href=\"https://x.example/\">here</a><blockquote>Red?</blockquote>"
      )
      assert.include(mail.text, "Blue & big")
      assert.include(mail.text, "> Red?")
      assert.include(mail.text, "https://x.example/")
      assert.notMatch(mail.text, /bad\(\)|p\{\}|spy/)
    }))

  it.effect("prefers plain text, and reads attachments with their names", () =>
    Effect.gen(function*() {
      const mail = yield* parsed(
        "From: a@b.cd\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: multipart/alternative; boundary=y\n\n"
          + "--y\nContent-Type: text/plain\n\nPlain\n--y\nContent-Type: text/html\n\n<b>HTML</b>\n--y--\n--x\n"
          + "Content-Type: text/csv\nContent-Disposition: attachment; filename*=utf-8''%C3%BCber.csv\n"
          + "Content-Transfer-Encoding: base64\n\nYSxi\n--x--\n"
      )
      assert.strictEqual(mail.text.trim(), "Plain")
      assert.deepStrictEqual(
        mail.attachments.map(({ content, filename }) => [filename, Buffer.from(content).toString()]),
        [["über.csv", "a,b"]]
      )
    }))

  it.effect("keeps enclosed mails and invitations apart from the sender's words, and names what is in them", () =>
    Effect.gen(function*() {
      const inner = "From: Bob <bob@x.yz>\nSubject: Offer\nContent-Type: multipart/mixed; boundary=z\n\n"
        + "--z\n\nPay me\n--z\nContent-Disposition: attachment; filename=a.pdf\n\n%PDF\n--z--\n"
      for (
        const disposition of ["", "Content-Disposition: inline\n", "Content-Disposition: attachment; filename=a.eml\n"]
      ) {
        const mail = yield* parsed(
          "From: a@b.cd\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nRead this\n--x\n"
            + `Content-Type: message/rfc822\n${disposition}\n${inner}\n--x\n`
            + "Content-Type: text/calendar; method=REQUEST\n\nBEGIN:VCALENDAR\n--x--\n"
        )
        assert.strictEqual(mail.text.trim(), "Read this")
        assert.strictEqual(
          mail.enclosed,
          "From: Bob <bob@x.yz>\nSubject: Offer\nAttachment, not read: a.pdf\n\nPay me\n\nBEGIN:VCALENDAR"
        )
        assert.deepStrictEqual(mail.attachments, [])
      }
      const part = (content: string) => `From: a@b.cd\nContent-Type: message/rfc822\nSubject: of\n\n${content}`
      const deep = yield* parsed(part(part(part(part("From: e@f.gh\n\nToo deep")))))
      assert.include(deep.enclosed, "From: ")
      assert.notInclude(deep.enclosed, "Too deep")
      const long = yield* parsed(part(`From: e@f.gh\n\n${"word\n".repeat(100_000)}`))
      assert.match(
        long.enclosed,
        /^From: [^]*\n\n\[This is the first part of a long mail; the rest was left out\.\]$/
      )
    }))

  it.effect("names no author if there are two, or two From headers", () =>
    Effect.gen(function*() {
      assert.isTrue(Option.isNone((yield* parsed("From: a@b.cd, e@f.gh\n\nHi")).from))
      assert.isTrue(Option.isNone((yield* parsed("From: a@b.cd\nFrom: e@f.gh\n\nHi")).from))
      assert.isTrue(Option.isNone((yield* parsed("Subject: x\n\nHi")).from))
    }))

  it.effect("reads the beginning of a long HTML text, within a second however it is nested", () =>
    Effect.gen(function*() {
      const html = (body: string) => parsed(`From: a@b.cd\nContent-Type: text/html\n\n${body}`)
      const styled = yield* html(
        `<style>${"p { color: red }\n".repeat(10_000)}</style><p>Hello</p>${"<p>more</p>".repeat(9_000)}`
      )
      assert.match(styled.text, /^Hello\n/)
      assert.include(styled.text, "[This is the first part of a long HTML text; the rest was left out.]")
      for (const tag of ["<div>", "<blockquote>", "<table><tr><td>", "<style>", "<ul><li>", "<"]) {
        const start = process.cpuUsage()
        yield* html(tag.repeat(950_000 / tag.length))
        assert.isBelow(process.cpuUsage(start).user, 2_000_000, tag)
      }
    }))

  it.effect("refuses what is built to exhaust it, and otherwise never fails", () =>
    Effect.gen(function*() {
      const headers = `From: a@b.cd\nX: ${"y".repeat(600_000)}\n\nHi`
      assert.include((yield* Effect.flip(parsed(headers))).reason, "can't be read")
      const html = `From: a@b.cd\nContent-Type: text/html\n\n${"<div>".repeat(20_000)}Hi`
      assert.isBelow((yield* parsed(html)).text.length, 1_000)
      yield* Effect.promise(() =>
        FastCheck.assert(
          FastCheck.asyncProperty(FastCheck.uint8Array({ maxLength: 500 }), async (bytes) => {
            await Effect.runPromise(Effect.ignore(parseMail(bytes)))
          }),
          { numRuns: 100 }
        )
      )
    }))
})
