import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { documentText as text } from "../../../src/File/Documents/Extraction.ts"
import {
  archive,
  doublingPdf,
  formPdf,
  oneCellSheet,
  pdfOf,
  sheetParts,
  slideParagraph,
  slideParts,
  wideCellWord,
  wordParagraph,
  wordParts
} from "./files.ts"

const refusal = (name: string, bytes: Uint8Array) => Effect.map(Effect.flip(text(name, bytes)), ({ reason }) => reason)

const zeros = (bytes: number) => new Uint8Array(bytes)

/** Says in both places that the entry `name` inflates to `size` bytes. */
const lying = (bytes: Uint8Array, size: number): Uint8Array => {
  const file = Buffer.from(bytes)
  const local = file.indexOf("PK\x03\x04")
  const central = file.indexOf("PK\x01\x02")
  file.writeUInt32LE(size, local + 22)
  file.writeUInt32LE(size, central + 24)
  return file
}

describe("The text of documents", () => {
  it.effect("read text in UTF-8, UTF-16 and the encoding of old Windows", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* text("a.txt", Buffer.from("Grüße\r\nBMW")), "Grüße\nBMW")
      assert.strictEqual(yield* text("a.CSV", Buffer.from("\uFEFFa;ü\n", "utf16le")), "a;ü\n")
      assert.strictEqual(yield* text("a.csv", Buffer.from("a;ü\n", "utf16le")), "a;ü\n")
      assert.strictEqual(yield* text("a.md", Buffer.from("Gr\xfc\xdfe \x80", "latin1")), "Grüße €")
      assert.strictEqual(yield* text("a.txt", Buffer.from("BM is how a bitmap begins")), "BM is how a bitmap begins")
      assert.strictEqual(yield* text("a.json", new Uint8Array()), "")
    }))

  it.effect("read a PDF of 100 pages with a mark for each", () =>
    Effect.gen(function*() {
      const pdf = pdfOf(Array.from({ length: 100 }, (_, index) => `This is sheet ${index + 1}`))
      const found = yield* text("a.pdf", pdf)
      assert.isTrue(found.startsWith("[Page 1 of 100]\nThis is sheet 1\n\n[Page 2 of 100]"))
      assert.isTrue(found.endsWith("[Page 100 of 100]\nThis is sheet 100"))
    }))

  it.live("refuse a small PDF with billions of pages, or the same page thousands of times, at once", () =>
    Effect.gen(function*() {
      assert.isBelow(doublingPdf(28).length, 3_500)
      const [duration, reasons] = yield* Effect.timed(
        Effect.forEach([28, 14], (depth) => refusal("a.pdf", doublingPdf(depth)))
      )
      assert.match(reasons[0] ?? "", /has 268435456 pages; at most 20000 are read/)
      assert.match(reasons[1] ?? "", /lists the same pages again and again/)
      assert.isBelow(Duration.toSeconds(duration), 10)
      assert.match(yield* refusal("a.pdf", doublingPdf(5)), /pages but no text/)
    }))

  it.effect("read the form and the comments of a PDF, and say which page has no text", () =>
    Effect.map(text("a.pdf", formPdf()), (found) =>
      assert.strictEqual(
        found,
        "[Page 1 of 2]\nName:\n[Comment: Please check]\n[Field name: Ann Lee]\n[Field agreed: Yes]\n\n"
          + "[Page 2 of 2]\n[No text: the page is empty or a scanned image, which can't be read here]"
      )))

  it.effect("say so when a PDF has pages but no text", () =>
    Effect.map(refusal("a.pdf", pdfOf(["", ""])), (reason) => assert.match(reason, /pages but no text.*scanned/)))

  it.effect("read slides in the order in which they are shown, with tables and notes", () =>
    Effect.gen(function*() {
      const table = `<a:tbl><a:tr><a:tc>${slideParagraph("A")}</a:tc><a:tc>${slideParagraph("B")}</a:tc></a:tr>`
        + `<a:tr><a:tc>${slideParagraph("1")}</a:tc><a:tc><a:p/></a:tc></a:tr></a:tbl>`
      const found = yield* text(
        "a.pptx",
        archive(slideParts([
          { stored: 10, body: `${slideParagraph("First &amp; best &#8211; &#x41;")}<a:p/>${table}` },
          { stored: 2, body: slideParagraph("Second"), notes: "Smile" }
        ]))
      )
      assert.strictEqual(
        found,
        "[Slide 1]\nFirst & best – A\nA | B\n1 | \n\n[Slide 2]\nSecond\n[Notes]\nSmile"
      )
    }))

  it.effect("read a workbook sheet by sheet, with dates", () =>
    Effect.gen(function*() {
      const cell = (place: string, value: string) => `<c r="${place}" t="inlineStr"><is><t>${value}</t></is></c>`
      const found = yield* text(
        "a.xlsx",
        archive(sheetParts({
          Costs: `<row r="1">${cell("A1", "Item")}${cell("B1", "Price")}</row>`
            + `<row r="2">${
              cell("A2", "Tea &lt;green&gt;")
            }<c r="B2"><v>4.5</v></c><c r="C2" s="1"><v>45000</v></c></row>`,
          Empty: ""
        }))
      )
      assert.strictEqual(found, "[Sheet \"Costs\"]\nItem\tPrice\nTea <green>\t4.5\t2023-03-15\n\n[Sheet \"Empty\"]")
    }))

  it.effect("read no sheet whose cells are too far out, and say how far", () =>
    Effect.gen(function*() {
      const beyond = (place: string) => new RegExp(`reaches to ${place}, beyond XFD1048576`)
      assert.match(yield* refusal("a.xlsx", oneCellSheet("ZZZZZZ1")), beyond("ZZZZZZ1"))
      assert.match(yield* refusal("a.xlsx", oneCellSheet("A1048577")), beyond("1048577"))
      const wide = archive(sheetParts({ A: `<row>${"<c><v>1</v></c>".repeat(16_385)}</row>` }))
      assert.match(yield* refusal("a.xlsx", wide), beyond("row 1, column 16385"))
      assert.strictEqual(
        yield* text("a.xlsx", oneCellSheet("B100000")),
        "[Sheet \"A\"]\n[99999 empty rows]\n\tx"
      )
      assert.strictEqual(
        yield* text("a.xlsx", oneCellSheet("XFD1048576")),
        "[Sheet \"A\"]\n[1048575 empty rows]\n\t[16382 empty cells]\tx"
      )
      const far = sheetParts({ A: "<row r=\"5\"><c r=\"A5\"><v>1</v></c><c r=\"XFD5\" s=\"1\"/></row>" })
      assert.strictEqual(yield* text("a.xlsx", archive(far)), "[Sheet \"A\"]\n\n\n\n\n1")
    }))

  it.effect("refuse XML that is nested to be slow", () =>
    Effect.gen(function*() {
      const nested = "<w:x>".repeat(200_000) + "</w:x>".repeat(200_000)
      assert.match(yield* refusal("a.docx", archive(wordParts(nested))), /nested too deeply/)
    }))

  it.effect("read the spaces of a cell in linear time", () =>
    Effect.gen(function*() {
      const spaces = " ".repeat(1_000_000)
      const cell = `<row r="1"><c r="A1" t="inlineStr"><is><t xml:space="preserve">a${spaces}b \n c</t></is></c></row>`
      assert.strictEqual(
        yield* text("a.xlsx", archive(sheetParts({ A: cell }))),
        `[Sheet "A"]\na${spaces}b c`
      )
    }))

  it.effect("read a table whose cell claims to span two billion columns", () =>
    Effect.map(text("a.docx", wideCellWord()), (found) => assert.strictEqual(found, "wide")))

  it.effect("read a Word document", () =>
    Effect.gen(function*() {
      const body = wordParagraph("Hello &amp; welcome") + wordParagraph("Bye")
      assert.strictEqual(yield* text("a.docx", archive(wordParts(body))), "Hello & welcome\n\nBye")
    }))

  it.effect("say plainly that images can't be seen", () =>
    Effect.gen(function*() {
      const png = Buffer.from(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
        "base64"
      )
      assert.match(yield* text("a.png", png), /^\[This is an image/)
      assert.match(yield* refusal("a.jpg", png), /named \.jpg, but its content is that of a \.png file/)
    }))

  it.effect("refuse names and contents that don't agree", () =>
    Effect.gen(function*() {
      const word = archive(wordParts(wordParagraph("x")))
      assert.match(yield* refusal("a.exe", word), /can't be read.*\.docx/)
      assert.match(yield* refusal("docx", word), /can't be read/)
      assert.match(yield* refusal("a.pdf", word), /named \.pdf, but its content is a ZIP archive/)
      assert.match(yield* refusal("a.txt", word), /named \.txt/)
      assert.match(yield* refusal("a.txt", pdfOf(["x"])), /named \.txt.*\.pdf/)
      assert.match(yield* refusal("a.txt", Buffer.from("a\0b")), /not text/)
      assert.match(yield* refusal("a.docx", Buffer.from("hello")), /named \.docx/)
      assert.match(yield* refusal("a.xlsx", word), /not that of an Excel workbook/)
      assert.match(yield* refusal("a.pptx", archive({ "x.xml": "<x/>" })), /not that of a PowerPoint/)
      assert.match(yield* refusal("a.docx", new Uint8Array()), /empty/)
      const cfb = Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), zeros(600)])
      assert.match(yield* refusal("a.docx", cfb), /password or in an old Office format/)
    }))

  it.effect("refuse files that are cut short, wherever that is", () =>
    Effect.gen(function*() {
      const word = archive(wordParts(wordParagraph("some words ".repeat(500))))
      for (const part of [0.3, 0.6, 0.9]) {
        assert.match(yield* refusal("a.docx", word.subarray(0, Math.floor(word.length * part))), /damaged/)
      }
      const pdf = Buffer.from(pdfOf(["x"])).subarray(0, 60)
      assert.match(yield* refusal("a.pdf", pdf), /damaged|no text/)
      const incomplete = slideParts([{ stored: 1, body: "" }])
      delete incomplete["ppt/slides/slide1.xml"]
      assert.match(yield* refusal("a.pptx", archive(incomplete)), /slide1\.xml" is missing/)
    }))

  it.effect("open no archive that unpacks to far more than it holds", () =>
    Effect.gen(function*() {
      const bomb = archive({ ...wordParts(wordParagraph("x")), "word/media/image.bin": zeros(20_000_000) })
      assert.isBelow(bomb.length, 200_000)
      assert.match(yield* refusal("a.docx", bomb), /unpacks to far more/)
      const many = archive(Object.fromEntries(Array.from({ length: 2_001 }, (_, index) => [`word/${index}.xml`, ""])))
      assert.match(yield* refusal("a.docx", many), /unpacks to far more/)
    }))

  it.effect("do not trust the size that an archive claims", () =>
    Effect.gen(function*() {
      const inflating = archive({ "word/document.xml": zeros(20_000_000) })
      for (const size of [10, 19_999_999]) {
        assert.match(yield* refusal("a.docx", lying(inflating, size)), /damaged|unpacks to far more/)
      }
      const honest = lying(archive({ "word/document.xml": "<x/>" }), 3_000_000_000)
      assert.match(yield* refusal("a.docx", honest), /unpacks to far more/)
    }))

  it.effect("read a long document of the same line, however well it was packed", () =>
    Effect.gen(function*() {
      const word = archive(wordParts(wordParagraph("the same again").repeat(8_000)))
      assert.strictEqual((yield* text("a.docx", word)).split("\n").length, 15_999)
    }))

  it.effect("replace no entities that a document declares, and open no other file", () =>
    Effect.gen(function*() {
      const nested = Array.from({ length: 10 }, (_, index) => `<!ENTITY e${index + 1} "${`&e${index};`.repeat(10)}">`)
      const doctype = `<!DOCTYPE x [<!ENTITY e0 "ha"><!ENTITY file SYSTEM "file:///etc/passwd">${nested.join("")}]>`
      const word = archive(wordParts(wordParagraph("&e10; &file;"), doctype))
      const outcome = yield* Effect.exit(text("a.docx", word))
      assert.notInclude(JSON.stringify(outcome), "root:")
      assert.isBelow(JSON.stringify(outcome).length, 1_000)
      const slides = slideParts([{ stored: 1, body: slideParagraph("&e10;") }])
      const declared = { ...slides, "ppt/slides/slide1.xml": `${doctype}${slides["ppt/slides/slide1.xml"]}` }
      assert.match(yield* refusal("a.pptx", archive(declared)), /entities/)
    }))
})
