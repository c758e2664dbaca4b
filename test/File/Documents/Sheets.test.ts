import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { momentFormatOf, momentText } from "../../../src/File/Documents/CellFormats.ts"
import { documentText } from "../../../src/File/Documents/Extraction.ts"
import { archive, namespaces, rels, sheetParts } from "./files.ts"

type Parts = Readonly<Record<string, string | Uint8Array>>

/** What is read of a workbook with a sheet of these rows, after the line with its name. */
const rowsOf = (rows: string, change: (parts: Record<string, string>) => Parts = (parts) => parts) =>
  Effect.map(
    documentText("a.xlsx", archive(change(sheetParts({ A: rows })))),
    (text) => text.replace(/^\[Sheet "A"\]\n/, "")
  )

const book = (parts: Parts) => documentText("a.xlsx", archive(parts))

const without = (parts: Readonly<Record<string, string>>, name: string): Parts =>
  Object.fromEntries(Object.entries(parts).filter(([one]) => one !== name))

const sheet = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"

/** Numbers by the codes of their formats, and how they are read. */
const moments: ReadonlyArray<readonly [code: string, value: number, text: string | null]> = [
  ["h:mm", 0.5, "12:00"],
  ["h:mm", 0, "00:00"],
  ["h:mm", 0.99999999, "23:59:59"],
  ["[$-409]h:mm AM/PM;@", 1 / 3, "08:00"],
  ["hh:mm:ss", 0.25, "06:00:00"],
  ["mm:ss.0", 0.0001, "00:00:08.640"],
  ["h:mm", 45_000.5, "2023-03-15T12:00:00"],
  ["[h]:mm", 1.5, "36:00"],
  ["[hh]:mm:ss", 0.0625, "1:30:00"],
  ["[h]:mm", -0.0625, "-1:30"],
  ["[mm]:ss", 0.01, "14:24"],
  ["[ss]", 0.001, "86"],
  ["yyyy\\-mm\\-dd", 45_000, "2023-03-15"],
  ["[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy", 45_000, "2023-03-15"],
  ["mmm-yy", 45_000, "2023-03-15"],
  ["dd.mm.yyyy hh:mm", 45_000.75, "2023-03-15T18:00:00"],
  ["yyyy-mm-dd", 61, "1900-03-01"],
  ["yyyy-mm-dd", 60, "1900-02-29"],
  ["yyyy-mm-dd", 59, "1900-02-28"],
  ["yyyy-mm-dd", 1, "1900-01-01"],
  ["yyyy-mm-dd", 0, "1900-01-00"],
  ["yyyy-mm-dd", -1, "1899-12-29"],
  ["yyyy-mm-dd", 2_958_465, "9999-12-31"],
  ["yyyy-mm-dd", 2_958_466, null]
]

describe("The text of a workbook", () => {
  it.each(moments)("shows %s of %d as %s", (code, value, text) => {
    const format = momentFormatOf(code)
    assert(format !== null)
    assert.strictEqual(momentText(value, format, false), text)
  })

  it.each(["General", "0.00%", "#,##0.00\\ \"days\"", "[Red]#,##0_);\\(#,##0\\)", "0.00E+00", "@", "# ?/?", "0\\d"])(
    "takes %s for the format of a number",
    (code) => assert.isNull(momentFormatOf(code))
  )

  it.effect("counts from 1904 where the workbook does, however it says so", () =>
    Effect.gen(function*() {
      for (const [value, year] of [["1", "2026"], ["true", "2026"], ["0", "2022"], ["false", "2022"]] as const) {
        const text = yield* rowsOf("<row><c s=\"1\"><v>44892</v></c></row>", (parts) => ({
          ...parts,
          "xl/workbook.xml":
            parts["xl/workbook.xml"]?.replace("<sheets>", `<workbookPr date1904="${value}"/><sheets>`) ?? ""
        }))
        assert.match(text, new RegExp(`^${year}-11-2[78]$`), value)
      }
    }))

  it.effect("has cells and rows without a reference, and those with one at their places", () =>
    Effect.gen(function*() {
      assert.strictEqual(
        yield* rowsOf(
          "<row><c><v>1</v></c><c><v>42</v></c></row><row><c r=\"B2\"><v>2</v></c><c><v>43</v></c></row>"
            + "<row r=\"4\"><c r=\"C4\"><v>5</v></c><c r=\"A4\"><v>3</v></c></row>"
        ),
        "1\t42\n\t2\t43\n\n3\t\t5"
      )
    }))

  it.effect("has values of every type, and marks of formulas whose results are not stored", () =>
    Effect.gen(function*() {
      const cells = {
        "<c t=\"b\"><v>1</v></c>": "true",
        "<c t=\"e\"><f>1/0</f><v>#DIV/0!</v></c>": "#DIV/0!",
        "<c t=\"str\"><f>A1</f><v>text</v></c>": "text",
        "<c><f>A1*2</f><v>7</v></c>": "7",
        "<c><f>SUM(A1:A3)</f></c>": "[=SUM(A1:A3): no stored value]",
        "<c><f t=\"shared\" si=\"0\"/><v></v></c>": "[A formula: no stored value]",
        "<c t=\"d\"><v>2026-11-28T00:00:00</v></c>": "2026-11-28",
        "<c t=\"d\"><v>2026-11-28T12:30:00</v></c>": "2026-11-28T12:30:00",
        "<c t=\"inlineStr\"><is><r><t>ri</t></r><r><t>ch</t></r><rPh><t>x</t></rPh></is></c>": "rich",
        "<c t=\"inlineStr\"><is><t>a_x000D_b _x20AC_</t></is></c>": "a b €",
        "<c t=\"s\"><v>0</v></c>": "shared text",
        "<c t=\"s\"><v>9</v></c>": "[Text 9 of the workbook is missing]",
        "<c><v>0.5</v></c>": "0.5"
      }
      const found = yield* rowsOf(`<row>${Object.keys(cells).join("")}</row>`, (parts) => ({
        ...parts,
        "xl/_rels/workbook.xml.rels": rels([
          ["rId1", "worksheet", "worksheets/sheet1.xml"],
          ["rId2", "sharedStrings", "SharedStrings.xml"]
        ]),
        "xl/sharedStrings.xml":
          `<sst xmlns="${sheet}"><si><r><t>shared </t></r><r><t>text</t></r><rPh><t>x</t></rPh></si></sst>`
      }))
      assert.deepStrictEqual(found.split("\t"), Object.values(cells))
    }))

  it.effect("says which sheets are hidden, charts or macros, and has what is in them", () =>
    Effect.gen(function*() {
      const parts = sheetParts({ Shown: "<row><c><v>42</v></c></row>", Chart: "", Macros: "", Secret: "" })
      const found = yield* book({
        ...parts,
        "xl/workbook.xml": parts["xl/workbook.xml"]?.replace("name=\"Secret\"", "$& state=\"veryHidden\"") ?? "",
        "xl/_rels/workbook.xml.rels": rels([
          ["rId1", "worksheet", "/xl/worksheets/sheet1.xml"],
          ["rId2", "chartsheet", "chartsheets/sheet1.xml"],
          ["rId3", "xlMacrosheet", "worksheets/sheet3.xml"],
          ["rId4", "worksheet", "worksheets\\sheet4.xml"]
        ]),
        "xl/chartsheets/sheet1.xml": `<chartsheet xmlns="${sheet}"><drawing/></chartsheet>`,
        "xl/chartsheets/_rels/sheet1.xml.rels": rels([["rId1", "drawing", "../drawings/drawing1.xml"]]),
        "xl/drawings/drawing1.xml": `<wsDr ${namespaces}/>`,
        "xl/drawings/_rels/drawing1.xml.rels": rels([["rId1", "chart", "../charts/chart1.xml"]]),
        "xl/charts/chart1.xml":
          `<c:chartSpace ${namespaces}><c:ser><c:val><c:pt idx="0"><c:v>5</c:v></c:pt></c:val></c:ser></c:chartSpace>`
      })
      assert.strictEqual(
        found,
        "[Sheet \"Shown\"]\n42\n\n[Sheet \"Chart\" (chart)]\n[Chart]\nSeries: 5\n\n[Sheet \"Macros\" (macros)]\n\n"
          + "[Sheet \"Secret\" (hidden)]"
      )
    }))

  it.effect("has the comments and the text boxes on a sheet", () =>
    Effect.gen(function*() {
      const found = yield* rowsOf("<row><c><v>1</v></c></row>", (parts) => ({
        ...parts,
        "xl/worksheets/_rels/sheet1.xml.rels": rels([
          ["rId1", "comments", "../comments1.xml"],
          ["rId2", "drawing", "../drawings/drawing1.xml"]
        ]),
        "xl/comments1.xml":
          `<comments xmlns="${sheet}"><comment ref="A1"><text><r><t>Check </t></r><r><t>it</t></r></text></comment></comments>`,
        "xl/drawings/drawing1.xml": `<wsDr ${namespaces}><a:p><a:r><a:t>In a box</a:t></a:r></a:p></wsDr>`
      }))
      assert.strictEqual(found, "1\n[Comment on A1: Check it]\nIn a box")
    }))

  it.effect("is read in other encodings, prefixes, namespaces and with backslashes in the names of parts", () =>
    Effect.gen(function*() {
      const rows = (prefix: string) =>
        `<${prefix}sheetData><${prefix}row><${prefix}c t="inlineStr"><${prefix}is><${prefix}t>Müller €</${prefix}t></${prefix}is>`
        + `</${prefix}c></${prefix}row></${prefix}sheetData>`
      const prefixed = `<x:worksheet xmlns:x="${sheet}">${rows("x:")}</x:worksheet>`
      const strict = `<worksheet xmlns="http://purl.oclc.org/ooxml/spreadsheetml/main">${rows("")}</worksheet>`
      const western = `<?xml version="1.0" encoding="windows-1252"?>${prefixed}`.replace("€", "\x80")
      const wide = Buffer.from(`\uFEFF<?xml version="1.0" encoding="UTF-16"?>${strict}`, "utf16le")
      for (const content of [prefixed, strict, Buffer.from(western, "latin1"), wide]) {
        const parts = { ...sheetParts({ A: "" }), "xl/worksheets/sheet1.xml": content }
        const renamed = Object.entries(parts).map(([name, one]) => [name.replaceAll("/", "\\"), one] as const)
        assert.strictEqual(yield* book(Object.fromEntries(renamed)), "[Sheet \"A\"]\nMüller €")
      }
    }))

  it.effect("loses only the part that is damaged, which is named", () =>
    Effect.gen(function*() {
      const parts = sheetParts({ A: "<row><c><v>1</v></c></row>", B: "", C: "<row><c r=\"ZZZZ1\"><v>3</v></c></row>" })
      const cut = { ...parts, "xl/worksheets/sheet2.xml": "<worksheet><sheetData><row><c><v>2</v></c></row><row><c>" }
      const found = (yield* book(cut)).split("\n\n")
      assert.deepStrictEqual(found.map((one) => one.split(/[:,]/)[0]), [
        "[Sheet \"A\"]\n1",
        "[Sheet \"B\"]\n2\n[The rest of the sheet can't be read",
        "[Sheet \"C\" can't be read"
      ])
      const missing = yield* book(without(parts, "xl/worksheets/sheet2.xml"))
      assert.match(missing, /\n\n\[Sheet "B" can't be read: .*"xl\/worksheets\/sheet2\.xml" is missing\.\]\n\n/)
      const noFormats = yield* book(without(sheetParts({ A: "<row><c s=\"1\"><v>9</v></c></row>" }), "xl/styles.xml"))
      assert.match(noFormats, /^\[The number formats of the workbook can't be read: .*\]\n\n\[Sheet "A"\]\n9$/)
    }))
})
