import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import iconv from "iconv-lite"
import { parseMail } from "../../src/Wire/MailParser.ts"

/** Of a mail whose bytes are in this encoding. */
const parsed = (text: string, encoding = "latin1") =>
  parseMail(iconv.encode(`From: a@b.cd\n${text}`.replaceAll(/\r?\n/g, "\r\n"), encoding))

/** The characters that windows-1252 has where latin1 has control characters. */
const western = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
const escaped = Array.from(iconv.encode(western, "windows-1252"), (byte) => byte.toString(16)).join(" ").split(" ")
const words = escaped.map((hex) => `=${hex}`).join("")
const percents = escaped.map((hex) => `%${hex}`).join("")

const part = (headers: string, body: string) => `--b\n${headers}\n\n${body}\n`
const mixed = (...parts: ReadonlyArray<string>) =>
  `Content-Type: multipart/mixed; boundary=b\n\n${parts.join("")}--b--\n`

const japanese = "\u001b$B$3$s\u001b(B"

describe("The characters of windows-1252", () => {
  it.each(["windows-1252", "latin1", "iso-8859-1", "us-ascii", "\"ISO-8859-1\"", "' cp1252 '", "utf8", "x-unknown"])(
    "are read in a text whose label is %s",
    (label) =>
      Effect.runPromise(Effect.gen(function*() {
        const plain = yield* parsed(`Content-Type: text/plain; charset=${label}\n\n${western}`, "windows-1252")
        assert.strictEqual(plain.text.trim(), western)
        const encoded = yield* parsed(
          `Content-Type: text/html; charset=${label}\nContent-Transfer-Encoding: quoted-printable\n\n<b>${words}</b>`
        )
        assert.strictEqual(encoded.text, western)
      }))
  )

  it.effect("are read in subjects and names, as encoded words or as they are", () =>
    Effect.gen(function*() {
      const encoded = yield* parseMail(Buffer.from(
        `From: =?iso-8859-1?Q?${words}?= <a@b.cd>\r\nSubject: =?windows-1252*de?Q?${words}?=\r\n\r\nx`
      ))
      const raw = yield* parseMail(
        iconv.encode(`From: "${western}" <a@b.cd>\r\nSubject: ${western}\r\n\r\nx`, "windows-1252")
      )
      for (const { from, subject } of [encoded, raw]) {
        assert.deepStrictEqual([subject, Option.getOrNull(from)?.name], [western, western])
      }
    }))

  it.effect("are read in the names of files, whichever way a program writes these", () =>
    Effect.gen(function*() {
      const { attachments } = yield* parsed(
        mixed(
          part("Content-Type: text/plain", "x"),
          part(`Content-Disposition: attachment; filename="${western}.txt"`, "x"),
          part(`Content-Disposition: attachment; filename="=?latin1?Q?${words}?=.txt"`, "x"),
          part(`Content-Disposition: attachment; filename*=windows-1252'de'${percents}.txt; size=1`, "x"),
          part(
            `Content-Disposition: attachment;\n filename*0*=iso-8859-1''${percents.slice(0, 4)};\n`
              + ` filename*1*=${percents.slice(4)};\n filename*2=".txt"`,
            "x"
          ),
          part(`Content-Type: image/png; name*=latin1''${percents}.txt`, "x")
        ),
        "windows-1252"
      )
      assert.deepStrictEqual(attachments.map(({ filename }) => filename), Array(5).fill(`${western}.txt`))
    }))

  it.effect("are read in enclosed mails and invitations", () =>
    Effect.gen(function*() {
      const { enclosed } = yield* parsed(
        mixed(
          part("Content-Type: text/plain", "x"),
          part("Content-Type: message/rfc822", `From: ${western} <e@f.gh>\nSubject: S\n\n${western}`),
          part("Content-Type: text/calendar; charset=iso-8859-1", `SUMMARY:${western}`),
          part("Content-Disposition: attachment; filename=a.ics", `SUMMARY:${western}`)
        ),
        "windows-1252"
      )
      assert.strictEqual(
        enclosed,
        `From: ${western} <e@f.gh>\nSubject: S\n\n${western}\n\nSUMMARY:${western}\n\nSUMMARY:${western}`
      )
    }))
})

describe("A text", () => {
  it.each([
    ["in UTF-8 without a label", "", "utf8", "Müller 5 €"],
    ["in UTF-8 labelled as ASCII", "; charset=us-ascii", "utf8", "Müller 5 €"],
    ["in UTF-8 labelled as latin1", "; charset=iso-8859-1", "utf8", "Müller 5 €"],
    ["in windows-1252 labelled as UTF-8", "; charset=utf-8", "windows-1252", "Müller 5 €"],
    ["of DOS", "; charset=cp-850", "cp850", "Müller"],
    ["in Russian", "; charset=windows-1251", "windows-1251", "Привет"],
    ["in Korean", "; charset=ks_c_5601-1987", "cp949", "안녕"],
    ["in Chinese beyond its label", "; charset=\"gb2312\"", "gbk", "朱镕基"],
    ["of a Macintosh", "; charset=macintosh", "macroman", "Müller"],
    ["with the euro sign of ISO 8859-15", "; charset=ISO-8859-15", "iso-8859-15", "5 €"]
  ])("%s is read", (_, label, encoding, text) =>
    Effect.runPromise(Effect.gen(function*() {
      const mail = yield* parsed(`Content-Type: text/plain${label}\n\n${text}`, encoding)
      assert.strictEqual(mail.text.trim(), text)
    })))

  it.effect("of seven bits is read in UTF-7 by its label, in Japanese by its escape sequences", () =>
    Effect.gen(function*() {
      const utf7 = yield* parsed("Content-Type: text/plain; charset=unicode-1-1-utf-7\n\nM+APw-ller 5 +IKw-")
      assert.strictEqual(utf7.text.trim(), "Müller 5 €")
      for (const label of ["; charset=iso-2022-jp", "; charset=us-ascii", ""]) {
        assert.strictEqual((yield* parsed(`Content-Type: text/plain${label}\n\n${japanese}`)).text.trim(), "こん")
      }
    }))

  it.effect("of HTML is read by the character set that the HTML names, where the mail names none", () =>
    Effect.gen(function*() {
      const html = (label: string, meta: string, encoding: string) =>
        Effect.map(parsed(`Content-Type: text/html${label}\n\n<meta ${meta}>Привет`, encoding), ({ text }) => text)
      const old = "http-equiv=\"Content-Type\" content=\"text/html; charset=koi8-r\""
      assert.strictEqual(yield* html("", old, "koi8-r"), "Привет")
      assert.strictEqual(yield* html("; charset=us-ascii", "charset=windows-1251", "windows-1251"), "Привет")
      assert.strictEqual(yield* html("; charset=koi8-r", "charset=windows-1251", "koi8-r"), "Привет")
      assert.strictEqual(yield* html("", "charset=utf-16", "utf8"), "Привет")
    }))

  it.effect("that is wrapped is unwrapped in its character set", () =>
    Effect.gen(function*() {
      const mail = yield* parsed(
        "Content-Type: text/plain; charset=latin1; format=flowed\n\n“Hi” \n5 €",
        "windows-1252"
      )
      assert.strictEqual(mail.text.trim(), "“Hi” 5 €")
    }))

  it.effect("in quoted-printable goes on after soft line breaks, also with spaces behind them", () =>
    Effect.gen(function*() {
      const mail = yield* parsed(
        "Content-Transfer-Encoding: quoted-printable\n\nM=C3=\n=BCller = \nand =\t\nso on =3D 5="
      )
      assert.strictEqual(mail.text, "Müller and so on = 5")
    }))

  it.effect("of invisible signs only is none: that of the HTML beside it is read", () =>
    Effect.gen(function*() {
      for (const nothing of ["", " \n", "\u00a0", "\u200b"]) {
        const mail = yield* parsed(
          "Content-Type: multipart/alternative; boundary=b\n\n"
            + `${part("Content-Type: text/plain; charset=utf-8", nothing)}${
              part("Content-Type: text/html", "<p>Hi</p>")
            }--b--`,
          "utf8"
        )
        assert.strictEqual(mail.text, "Hi")
      }
    }))

  it.effect("has the files of uuencode as attachments; what only looks so stays text", () =>
    Effect.gen(function*() {
      const mail = yield* parsed("Subject: x\n\nSee\nbegin 644 a b.txt\n#0V%T\n`\nend\nBye")
      assert.strictEqual(mail.text, "See\nBye\n")
      assert.deepStrictEqual(mail.attachments.map(({ content, filename }) => [filename, String(content)]), [
        ["a b.txt", "Cat"]
      ])
      const other = yield* parsed("Subject: x\n\nbegin 644 a.txt\nis how it starts, é\nend")
      assert.deepStrictEqual([other.text.split("\n").length, other.attachments], [4, []])
    }))
})

describe("A header", () => {
  it.each([
    ["cut in the middle of a character", "=?utf-8?Q?M=C3?=\n =?UTF-8?q?=BCller?=", "Müller"],
    ["cut in the middle of a Chinese character", "=?gb2312?B?xOO6?=\n\t=?gb2312?B?ww==?=", "你好"],
    ["in several character sets", "=?latin1?Q?=93a=94?= =?koi8-r?B?8NLJ?= b =?cp850?Q?=81?=", "“a”При b ü"],
    ["labelled wrongly", "=?utf-8?Q?=FC_=80?= and =?iso-8859-1?Q?=C3=BC?=", "ü € and ü"],
    ["in Japanese", "=?iso-2022-jp?B?GyRCJDMkcxsoQg==?=", "こん"],
    ["in UTF-7", "=?utf-7?Q?M+APw-ller?=", "Müller"],
    ["in an unknown character set", "=?x-unknown?Q?=93a=94?=", "“a”"]
  ])("of encoded words %s is read", (_, value, subject) =>
    Effect.runPromise(Effect.gen(function*() {
      assert.strictEqual((yield* parsed(`Subject: ${value}\n\nx`)).subject, subject)
    })))

  it.effect("in 8-bit characters is read by the character set of the mail", () =>
    Effect.gen(function*() {
      const russian = yield* parsed("Subject: Привет\nContent-Type: text/plain;\n charset=\"koi8-r\"\n\nx", "koi8-r")
      assert.strictEqual(russian.subject, "Привет")
      const chinese = yield* parsed(
        `Subject: 发票\n${
          mixed(
            part("Content-Type: text/html; charset=gb2312", "发票"),
            part("Content-Disposition: attachment; filename=\"发票.pdf\"", "x")
          )
        }`,
        "gbk"
      )
      assert.deepStrictEqual([chinese.subject, chinese.attachments[0]?.filename], ["发票", "发票.pdf"])
      assert.strictEqual((yield* parsed(`Subject: ${japanese}\n\nx`)).subject, "こん")
      assert.strictEqual((yield* parsed("Subject: Müller 5 €\n\nx", "utf8")).subject, "Müller 5 €")
    }))

  it.effect("adds no further header, whatever its character set makes of it", () =>
    Effect.gen(function*() {
      for (const charset of ["utf-7", "utf-16", "utf-8"]) {
        const mail = yield* parsed(
          `Subject: ä+AA0ACg-To: e@f.gh\nContent-Type: text/plain; charset=${charset}\n`
            + "X: =?utf-7?Q?+AA0ACg-To:?= e@f.gh\n\nx"
        )
        assert.deepStrictEqual(mail.to, [])
      }
      assert.strictEqual((yield* parsed("\ufeffSubject: Hidden\n\nx", "utf8")).subject, "")
    }))
})
