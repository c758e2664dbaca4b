import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { documentText } from "../../../src/File/Documents/Extraction.ts"
import { archive, namespaces, rels, wordParagraph, wordParts } from "./files.ts"

const text = (body: string, more: Readonly<Record<string, string>> = {}) =>
  documentText("a.docx", archive({ ...wordParts(body), ...more }))

const run = (content: string) => `<w:r>${content}</w:r>`
const words = (content: string) => run(`<w:t xml:space="preserve">${content}</w:t>`)
const paragraph = (...content: ReadonlyArray<string>) => `<w:p>${content.join("")}</w:p>`
const part = (root: string, content: string) => `<w:${root} ${namespaces}>${content}</w:${root}>`
const fieldMark = (type: string, form = "") => run(`<w:fldChar w:fldCharType="${type}">${form}</w:fldChar>`)
const field = (instruction: string, result = "", form = "") =>
  fieldMark("begin", form) + run(`<w:instrText> ${instruction} </w:instrText>`)
  + (result === "" ? "" : fieldMark("separate") + words(result)) + fieldMark("end")
const math = (content: string) => `<m:r><m:t>${content}</m:t></m:r>`
const box = (content: string) => `<wps:txbx><w:txbxContent>${content}</w:txbxContent></wps:txbx>`
const drawing = (content: string, properties = "") =>
  run(
    `<w:drawing><wp:inline><wp:docPr id="1" name="x" ${properties}/><a:graphic>${content}</a:graphic></wp:inline></w:drawing>`
  )

/** What a paragraph has, and what is read of it. */
const paragraphs: Readonly<Record<string, readonly [content: string, text: string]>> = {
  "a short field": [
    `${words("No. ")}<w:fldSimple w:instr=" DOCPROPERTY No ">${words("4711")}</w:fldSimple>`,
    "No. 4711"
  ],
  "a short field that is a link": [
    `<w:fldSimple w:instr=" HYPERLINK &quot;http://a.b/&quot; ">${words("here")}</w:fldSimple>`,
    "here [http://a.b/]"
  ],
  "a long field that is a link to a place": [
    field("HYPERLINK \"http://a.b/?x=1&amp;y\" \\l \"top\"", "there"),
    "there [http://a.b/?x=1&y]"
  ],
  "a field without a result": [`<w:fldSimple w:instr=" MERGEFIELD Name "/>`, "[Field: MERGEFIELD Name]"],
  "a field whose instruction has another": [
    words("Dear ") + fieldMark("begin") + run("<w:instrText> IF </w:instrText>") + field("MERGEFIELD Sex", "male")
    + run("<w:instrText> = \"male\" \"Mr\" \"Ms\" </w:instrText>") + fieldMark("separate") + words("Mr")
    + fieldMark("end"),
    "Dear Mr"
  ],
  "such a field without a result": [
    fieldMark("begin") + run("<w:instrText> = 2 * </w:instrText>") + field("MERGEFIELD Price", "7")
    + run("<w:instrText> + </w:instrText>") + field("MERGEFIELD Tax") + fieldMark("end"),
    "[Field: = 2 * 7 + {MERGEFIELD Tax}]"
  ],
  "an equation field": [field("EQ \\f(1,2)"), "[Field: EQ \\f(1,2)]"],
  "an entry for the index": [words("Tea") + field("XE \"Tea\""), "Tea"],
  "a checked box of a form": [
    field("FORMCHECKBOX", "", "<w:ffData><w:checkBox><w:default w:val=\"0\"/><w:checked/></w:checkBox></w:ffData>"),
    "☒"
  ],
  "a box of a form that is not checked": [
    field("FORMCHECKBOX", "", "<w:ffData><w:checkBox><w:default w:val=\"0\"/></w:checkBox></w:ffData>"),
    "☐"
  ],
  "a drop-down of a form": [
    field(
      "FORMDROPDOWN",
      "",
      "<w:ffData><w:ddList><w:result w:val=\"1\"/><w:listEntry w:val=\"red\"/><w:listEntry w:val=\"green\"/></w:ddList></w:ffData>"
    ),
    "green"
  ],
  "another direction of text": [
    `<w:bdo w:val="rtl">${words("one ")}</w:bdo><w:dir w:val="rtl">${words("two")}</w:dir>`,
    "one two"
  ],
  "smart tags and custom XML": [
    `<w:smartTag w:element="x"><w:smartTagPr/>${words("Ann ")}</w:smartTag><w:customXml>${words("Lee")}</w:customXml>`,
    "Ann Lee"
  ],
  "pronunciations": [
    run(`<w:ruby><w:rubyPr/><w:rt>${words("とう")}</w:rt><w:rubyBase>${words("東")}</w:rubyBase></w:ruby>`) +
    words("京"),
    "東(とう)京"
  ],
  "tracked changes": [
    `${words("for ")}<w:del>${run("<w:delText>500</w:delText>")}</w:del><w:ins>${words("600 EUR")}</w:ins>`,
    "for [Deleted: 500]600 EUR"
  ],
  "moved text": [`<w:moveFrom>${words("x")}</w:moveFrom><w:moveTo>${words("x")}</w:moveTo>`, "x"],
  "a checkbox": [
    `<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="1"/></w14:checkbox></w:sdtPr><w:sdtContent>${
      words("☒")
    }</w:sdtContent></w:sdt>${words(" yes")}`,
    "☒ yes"
  ],
  "a drop-down": [
    `<w:sdt><w:sdtPr><w:rPr><w:b/></w:rPr><w:dropDownList/></w:sdtPr><w:sdtContent>${
      words("B")
    }</w:sdtContent></w:sdt>`,
    "B"
  ],
  "symbols": [
    run(`<w:sym w:font="Wingdings" w:char="F0FE"/><w:sym w:font="Arial" w:char="20AC"/><w:noBreakHyphen/>`)
    + run(`<w:sym w:font="Own" w:char="F041"/>`),
    "🗹€\u2011[Symbol F041 of the font Own]"
  ],
  "elements that nothing shows": [run("<w:pgNum/>"), "[Not shown: pgNum]"],
  "pictures": [
    drawing("<pic:pic/>", "descr=\"A cat\"") + drawing("<pic:pic/>")
    + run("<w:pict><v:shape alt=\"A dog\"><v:imagedata/></v:shape></w:pict>"),
    "[Image: A cat][Image][Image: A dog]"
  ],
  "a watermark": [run("<w:pict><v:shape><v:textpath string=\"DRAFT\"/></v:shape></w:pict>"), "[WordArt: DRAFT]"],
  "an embedded object": [
    run("<w:object><v:shape><v:imagedata/></v:shape><o:OLEObject ProgID=\"Excel.Sheet.12\"/></w:object>"),
    "[Embedded object: Excel.Sheet.12]"
  ],
  "a formula": [
    `<m:oMathPara><m:oMath><m:f><m:num>${math("a+b")}</m:num><m:den>${math("2")}</m:den></m:f>${math("=")}`
    + `<m:sSup><m:e>${math("x")}</m:e><m:sup>${math("2")}</m:sup></m:sSup></m:oMath></m:oMathPara>`,
    "(a+b)/2=x^2"
  ],
  "a sum and a root": [
    `<m:oMath><m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${math("i=1")}</m:sub><m:sup>${math("n")}</m:sup>`
    + `<m:e><m:rad><m:deg/><m:e>${math("i")}</m:e></m:rad></m:e></m:nary></m:oMath>`,
    "∑_(i=1)^n (√(i))"
  ],
  "brackets and a matrix": [
    `<m:oMath><m:d><m:dPr><m:begChr m:val="|"/><m:endChr m:val="|"/></m:dPr><m:e><m:m><m:mr><m:e>${
      math("a")
    }</m:e><m:e>${math("b")}</m:e></m:mr><m:mr><m:e>${math("c")}</m:e><m:e>${
      math("d")
    }</m:e></m:mr></m:m></m:e></m:d></m:oMath>`,
    "|[a, b; c, d]|"
  ],
  "a page break in the middle": [words("end") + run("<w:br w:type=\"page\"/>") + words("start"), "end\nstart"],
  "a link whose address is missing": [`<w:hyperlink r:id="rId77">${words("here")}</w:hyperlink>`, "here"],
  "notes and comments that are missing": [
    run("<w:footnoteReference w:id=\"7\"/><w:commentReference w:id=\"8\"/>"),
    "[Note 7 can't be read][Comment 8 can't be read]"
  ]
}

describe("The text of a Word document", () => {
  it.effect.each(Object.entries(paragraphs))(
    "has %s",
    ([, [content, expected]]) => Effect.map(text(paragraph(content)), (found) => assert.strictEqual(found, expected))
  )

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
