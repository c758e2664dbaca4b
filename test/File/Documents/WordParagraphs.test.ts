import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { drawing, paragraph, run, text, words } from "./wordParts.ts"

const fieldMark = (type: string, form = "") => run(`<w:fldChar w:fldCharType="${type}">${form}</w:fldChar>`)

const field = (instruction: string, result = "", form = "") =>
  fieldMark("begin", form) + run(`<w:instrText> ${instruction} </w:instrText>`)
  + (result === "" ? "" : fieldMark("separate") + words(result)) + fieldMark("end")

const math = (content: string) => `<m:r><m:t>${content}</m:t></m:r>`

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
})
