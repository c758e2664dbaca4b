import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { documentText } from "../../../src/File/Documents/Extraction.ts"
import { archive, namespaces, rels, wordParagraph, wordParts } from "./files.ts"
import { drawing, paragraph, run, text, words } from "./wordParts.ts"

const part = (root: string, content: string) => `<w:${root} ${namespaces}>${content}</w:${root}>`

const box = (content: string) => `<wps:txbx><w:txbxContent>${content}</w:txbxContent></wps:txbx>`

describe("The text of a Word document", () => {
  it.effect("has the text of a box once, with its tables, whichever alternative has it", () =>
    Effect.gen(function*() {
      const table = `<w:tbl><w:tr><w:tc>${wordParagraph("a")}</w:tc><w:tc>${wordParagraph("b")}</w:tc></w:tr></w:tbl>`
      const choice = `<mc:Choice Requires="wps">${drawing(box(wordParagraph("Price 500 EUR") + table))}</mc:Choice>`
      const old = run(`<w:pict><v:textbox><w:txbxContent>${wordParagraph("Old")}</w:txbxContent></v:textbox></w:pict>`)
      const boxes = [
        `<mc:AlternateContent>${choice}</mc:AlternateContent>`,
        `<mc:AlternateContent>${choice}<mc:Fallback>${old}</mc:Fallback></mc:AlternateContent>`,
        drawing(box(wordParagraph("Price 500 EUR") + table))
      ]
      for (const one of boxes) {
        assert.strictEqual(yield* text(paragraph(words("Start"), one)), "Start\n\nPrice 500 EUR\n\na   b")
      }
      const unknown = "<mc:AlternateContent><mc:Choice Requires=\"x\"/>"
      const found = yield* text(paragraph(`${unknown}<mc:Fallback>${old}</mc:Fallback></mc:AlternateContent>`))
      assert.strictEqual(found, "Old")
    }))

  it.effect("has deleted rows and the paragraph whose end is deleted", () =>
    Effect.gen(function*() {
      const deleted = `<w:del>${run("<w:delText>gone</w:delText>")}</w:del>`
      const row = `<w:tr><w:trPr><w:del/></w:trPr><w:tc>${paragraph(deleted)}</w:tc></w:tr>`
      const last = paragraph("<w:pPr><w:rPr><w:del/></w:rPr></w:pPr>", words("last"))
      assert.strictEqual(yield* text(`<w:tbl>${row}</w:tbl>${last}`), "[Deleted: gone]\n\nlast")
    }))

  it.effect("has its headers, footers, notes and comments", () =>
    Effect.gen(function*() {
      const found = yield* text(
        paragraph(
          words("Fact"),
          run("<w:footnoteReference w:id=\"2\"/>"),
          run("<w:commentReference w:id=\"0\"/>"),
          run("<w:endnoteReference w:id=\"3\"/>")
        ),
        {
          "word/_rels/document.xml.rels": rels([
            ["rId1", "footnotes", "footnotes.xml"],
            ["rId2", "endnotes", "/word/endnotes.xml"],
            ["rId3", "comments", "Comments.xml"],
            ["rId4", "header", "header1.xml"],
            ["rId5", "header", "header2.xml"],
            ["rId6", "footer", "footer1.xml"]
          ]),
          "word/footnotes.xml": part(
            "footnotes",
            `<w:footnote w:id="0" w:type="separator"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>`
              + `<w:footnote w:id="2">${
                paragraph(run("<w:footnoteRef/>"), `<w:bdo>${words("Foot")}</w:bdo>`)
              }</w:footnote>`
          ),
          "word/endnotes.xml": part("endnotes", `<w:endnote w:id="3">${wordParagraph("End")}</w:endnote>`),
          "word/comments.xml": part(
            "comments",
            `<w:comment w:id="0" w:author="Ann &amp; Co">${wordParagraph("Is a &lt; b?")}${
              wordParagraph("Yes")
            }</w:comment>`
          ),
          "word/header1.xml": part("hdr", wordParagraph("Confidential")),
          "word/header2.xml": part("hdr", wordParagraph("Confidential")),
          "word/footer1.xml": part("ftr", "<w:p/>")
        }
      )
      assert.strictEqual(
        found,
        "Fact[1][Comment by Ann & Co: Is a < b? Yes][2]\n\n 1. Foot ↑\n\n 2. End ↑\n\n[Header]\n\nConfidential"
      )
    }))

  it.effect("has notes and headers that no relation names", () =>
    Effect.gen(function*() {
      const found = yield* text(paragraph(words("Fact"), run("<w:footnoteReference w:id=\"2\"/>")), {
        "word/footnotes.xml": part("footnotes", `<w:footnote w:id="2">${wordParagraph("Foot")}</w:footnote>`),
        "word/header1.xml": part("hdr", wordParagraph("Confidential"))
      })
      assert.strictEqual(found, "Fact[1]\n\n 1. Foot ↑\n\n[Header]\n\nConfidential")
    }))

  it.effect("has charts and diagrams, and names the documents in it that are not read", () =>
    Effect.gen(function*() {
      const point = (index: number, value: string) => `<c:pt idx="${index}"><c:v>${value}</c:v></c:pt>`
      const found = yield* text(
        paragraph(drawing("<c:chart r:id=\"rId1\"/>"), drawing("<dgm:relIds r:dm=\"rId2\"/>"), words("Text"))
          + paragraph(drawing("<c:chart r:id=\"rId9\"/>")) + "<w:altChunk r:id=\"rId3\"/>",
        {
          "word/_rels/document.xml.rels": rels([
            ["rId1", "chart", "charts/chart1.xml"],
            ["rId2", "diagramData", "diagrams/data1.xml"],
            ["rId3", "aFChunk", "afchunk.mht"]
          ]),
          "word/charts/chart1.xml":
            `<c:chartSpace ${namespaces}><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx></c:title>`
            + `<c:ser><c:idx val="0"/><c:tx>${point(0, "North")}</c:tx><c:cat>${point(0, "Jan")}${
              point(1, "Feb")
            }</c:cat>`
            + `<c:val>${point(0, "5")}${point(1, "7")}</c:val></c:ser></c:chartSpace>`,
          "word/diagrams/data1.xml":
            `<dgm:dataModel ${namespaces}><dgm:pt><dgm:t><a:p><a:r><a:t>Step</a:t></a:r></a:p></dgm:t>`
            + "</dgm:pt></dgm:dataModel>"
        }
      )
      assert.strictEqual(
        found.replaceAll("\n\n", "\n"),
        "Text\n[Chart]\nSales\nNorth: Jan = 5, Feb = 7\n[SmartArt]\nStep\n"
          + "[A chart or diagram can't be read: its part is missing]\n[Inserted document not read: word/afchunk.mht]"
      )
    }))

  it.effect("is read without the parts that are damaged, which are named", () =>
    Effect.gen(function*() {
      const found = yield* text(paragraph(words("Text"), run("<w:footnoteReference w:id=\"1\"/>")), {
        "word/_rels/document.xml.rels": rels([
          ["rId1", "footnotes", "footnotes.xml"],
          ["rId2", "styles", "styles.xml"],
          ["rId3", "header", "header1.xml"]
        ]),
        "word/footnotes.xml": "<w:footnotes",
        "word/styles.xml": "<!DOCTYPE x><w:styles/>"
      })
      assert.match(found, /^Text\[Note 1 can't be read\]/)
      for (const name of ["footnotes", "styles", "header1"]) assert.include(found, `[word/${name}.xml can't be read: `)
    }))

  it.effect("is read in other encodings, namespaces and with backslashes in the names of parts", () =>
    Effect.gen(function*() {
      const document = (declaration: string) =>
        `${declaration}<d:document xmlns:d="http://purl.oclc.org/ooxml/wordprocessingml/main"><d:body><d:p><d:r>`
        + "<d:t>Müller 12 €</d:t></d:r></d:p></d:body></d:document>"
      const western = Buffer.from(
        document("<?xml version=\"1.0\" encoding=\"windows-1252\"?>").replace("€", "\x80"),
        "latin1"
      )
      const wide = Buffer.from(document("<?xml version=\"1.0\" encoding=\"UTF-16\"?>"), "utf16le")
      for (const content of [western, wide, document("")]) {
        const parts = { ...wordParts(""), "word/document.xml": content }
        const renamed = Object.entries(parts).map(([name, one]) => [name.replaceAll("/", "\\"), one] as const)
        const found = yield* documentText("a.docx", archive(Object.fromEntries(renamed)))
        assert.strictEqual(found, "Müller 12 €")
      }
    }))
})
