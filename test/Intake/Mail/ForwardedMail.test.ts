import { assert, describe, it } from "@effect/vitest"
import { splitMail } from "@troupe/domain/OwnText"
import { Effect, FastCheck as fc, Predicate } from "effect"
import { ownSubject, requestOf, splitText } from "../../../src/Intake/Mail/OwnWords.ts"
import { parseMail } from "../../../src/Wire/MailParser.ts"
import { otherMails } from "./forwardedHtml.ts"
import { outsider, own, textForms, textMail } from "./forwards.ts"

const forms: ReadonlyArray<readonly [string, (words: string, foreign: string) => Uint8Array]> = [
  ...Object.entries(textForms).map(([name, form]) =>
    [name, (words: string, foreign: string) => textMail(form, words, foreign)] as const
  ),
  ...Object.entries(otherMails)
]

const read = (source: Uint8Array) =>
  Effect.gen(function*() {
    const mail = yield* parseMail(source)
    return { mail, text: yield* splitText(mail, false) }
  })

describe("A mail that forwards or quotes another", () => {
  it.effect.each(forms)("has only its sender's words as request: %s", ([, mailOf]) =>
    Effect.gen(function*() {
      const { mail, text } = yield* read(mailOf(own, outsider))
      assert.strictEqual(text.own, own)
      assert.strictEqual(requestOf(mail, text), own)
      assert.isNull(ownSubject(mail, text))
      const whole = [
        text.rest,
        text.enclosed,
        ...mail.attachments.map(({ content }) => Buffer.from(content).toString())
      ]
      assert.isTrue(whole.some((part) => part.replaceAll("\n", " ").includes(outsider)))
    }))

  it.effect.each(forms)("has no request if its sender has added nothing: %s", ([, mailOf]) =>
    Effect.gen(function*() {
      const { mail, text } = yield* read(mailOf("", outsider))
      assert.isNull(requestOf(mail, text))
    }))

  it.effect("has no line of the outside that begins at a single carriage return", () =>
    Effect.gen(function*() {
      const source = `Subject: x\r\nFrom: ada@example.net\r\n\r\n${own}\r\n\r\n> y\r${outsider}\r\n`
      assert.strictEqual((yield* read(Buffer.from(source))).text.own, own)
    }))

  const lines = fc.array(
    fc.constantFrom(
      "",
      "x",
      "> y",
      "From: a",
      "Subject: b",
      "To: c",
      "--",
      "- item",
      "Yes.",
      "word ".repeat(14),
      "a\u2028b"
    ),
    { maxLength: 12 }
  )
  const marked = Object.entries(textForms).map(([, form]) => form)
  it.prop(
    "has nothing of the outside among its sender's words, whatever both write",
    [
      fc.array(fc.constantFrom("Hello", "", "- item", "Buy 2: a, b", "1. x", "From Berlin"), { maxLength: 6 }),
      lines,
      fc.constantFrom(...marked)
    ],
    ([words, foreign, { mark, quote = (text: string) => text }]) => {
      const outside = foreign.map((line) => `${line} OUTSIDE`).join("\n")
      const { own: found, rest } = splitMail([...words, "", mark, quote(outside)].join("\n"), false)
      assert.notInclude(found, "OUTSIDE")
      assert.strictEqual(rest.split("OUTSIDE").length - 1, foreign.length)
      const kept = words.filter((word) => word === "Hello" || word === "- item")
      for (const word of kept) assert.include(found, word)
    }
  )
})

describe("A mail of its sender's own words", () => {
  const texts: Readonly<Record<string, string>> = {
    "a journey": "Please book a train.\nFrom: Berlin\nTo: Paris\nDate: 3 May\nThanks",
    "headings": "Here is the plan.\n\n--- Agenda ---\n1. Budget\n\n=== Guests ===\nBob",
    "a form": "Please order:\nItem: chair\nColour: red\n\nThanks",
    "words about a mail": "The forwarded invoice is wrong. Compare the original message with it:\nthe sum is 5.",
    "words about somebody": "Bob wrote me on Monday at 10:30 that it is late.\nPlease check:\n- a\n- b",
    "links": "https://example.org/a\nhttps://example.org/b",
    "points": "Please check these 3 points:\n- one\n- two: 10:30",
    "a time": "Lunch with Bob (12:30)\nTomorrow at 10:30: the dentist",
    "somebody's address": "Please write to Ann <ann@example.org>:\nHello Ann, see you at 10:30.",
    "subjects": "Re: the order: I want two.\nAn: idea"
  }

  it.each(Object.entries(texts))("is its request as a whole: %s", (_, text) => {
    assert.deepStrictEqual(splitMail(text, false), { own: text, rest: "" })
  })

  const doubtful: Readonly<Record<string, readonly [own: string, rest: string]>> = {
    "a mail to be sent": ["Please send this:", "To: bob@example.org\nSubject: Hello\n\nDear Bob, come at 10:30."],
    "a contact": ["New contact:", "Name: Bob\nMail: bob@example.org\n\nPlease save it."],
    "a table": ["# Title", "| a | b |\n|---|---|\n| 1 | 2 |\n\nText"],
    "a heading of several words": ["The plan", "=== Our guests ===\nBob"],
    "an answer below a quote": ["Hello", "> Red or blue?\n\nBlue."]
  }

  it.each(Object.entries(doubtful))(
    "is its request down to what may be of others, which is data: %s",
    (_, [own, rest]) => {
      assert.deepStrictEqual(splitMail(`${own}\n\n${rest}`, false), { own, rest })
    }
  )

  it("keeps what answers quoted lines, above, between and below them", () => {
    const wrote = "On Mon, 2 Nov 2026 at 09:31, Troupe <troupe@example.org> wrote:"
    const text =
      `Hi,\n\n${wrote}\n> Red or blue?\nBlue.\n\n> Big or small?\n> From: x <a@example.org>\n> Subject: y\n\nSmall.`
    const found = splitMail(text, true)
    assert.deepStrictEqual(found.own.split("\n").filter((line) => line !== ""), ["Hi,", "Blue.", "Small."])
  })

  it("does not contain the end of a quoted line that was wrapped", () => {
    const long = `> ${"word ".repeat(14)}word`
    const found = splitMail(`${long}\nand so on, use wait {}\n> more\n\nYes.`, true)
    assert.strictEqual(found.own.trim(), "Yes.")
  })

  it.effect("has its subject as request where its body is empty, unless the subject is that of another mail", () =>
    Effect.gen(function*() {
      const requests = yield* Effect.forEach(
        ["Book a table", "Fwd: Book a table", "WG: Tisch", "AW[2]: Tisch", "TR : Table", "转发：书", "İLT: Masa"],
        (subject) =>
          Effect.map(
            splitText({ text: "", enclosed: "" }, false),
            (text) => requestOf({ subject, references: [] }, text)
          )
      )
      assert.deepStrictEqual(requests.filter(Predicate.isNotNull), ["Book a table"])
    }))
})
