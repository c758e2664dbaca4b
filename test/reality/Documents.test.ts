import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Documents } from "../../src/File/Documents/Documents.ts"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { readDocument } from "../../src/Tool/DocumentTools.ts"
import { attachFile, readFile } from "../../src/Tool/FileTools.ts"
import { Toolboxes } from "../../src/Tool/Toolboxes.ts"
import {
  archive,
  namespaces,
  rels,
  sheetParts,
  slideParagraph,
  slideParts,
  wordParagraph,
  wordParts
} from "../File/Documents/files.ts"
import { Service, startService } from "../Http/service.ts"
import { file, formOf, onDisk, upload, user } from "../Http/uploads.ts"
import { withinTeam } from "../support/FakeTool.ts"
import { readableFiles } from "../support/PromptContexts.ts"
import { scriptedModel } from "../support/ScriptedModel.ts"
import { opened } from "../Tool/builtIns.ts"
import { alice, contentOf } from "../Tool/calls.ts"

const service = Layer.scoped(Service, startService())

/** The agent's tools over the files of the service. */
const tools = Layer.effect(
  Toolboxes,
  Effect.gen(function*() {
    const sandbox = yield* Sandbox
    const documents = yield* Documents
    return Toolboxes.make(() => [
      readDocument(readableFiles(sandbox), documents, scriptedModel().model),
      readFile(readableFiles(sandbox)),
      attachFile(sandbox, withinTeam)
    ])
  })
).pipe(
  Layer.provide([
    Layer.unwrapEffect(Effect.map(Service, ({ files }) => Sandbox.layer({ root: files }))),
    Documents.layer()
  ])
)

const withTool = (name: string, path: string) =>
  Effect.flatMap(opened(), (toolbox) => contentOf(toolbox, name, { path }))

/** What the agent reads of a document that its user uploads. */
const uploaded = (name: string, content: Uint8Array, tool = "read_document") =>
  Effect.gen(function*() {
    const answer = yield* upload(formOf(user(alice), file(name, content)))
    assert.strictEqual(answer.status, 201, answer.text)
    return yield* withTool(tool, name)
  })

const words = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`

const word = (body: string) => uploaded("a.docx", archive(wordParts(body)))

const sheet = (rows: string, change: (parts: Record<string, string>) => object = (parts) => parts) =>
  uploaded("a.xlsx", archive({ ...sheetParts({ S1: rows }), ...change(sheetParts({ S1: rows })) }))

layer(Layer.provideMerge(tools, service), { excludeTestServices: true })("Documents as the world sends them", (it) => {
  it.effect("Word, a short field: its result", () =>
    Effect.map(
      word(
        `<w:p>${words("Contract no. ")}<w:fldSimple w:instr=" DOCPROPERTY No ">${words("4711")}</w:fldSimple></w:p>`
      ),
      (text) => assert.strictEqual(text, "Contract no. 4711")
    ))

  it.effect("Word, a text box without a fallback: its text", () =>
    Effect.map(
      word(
        `<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx><w:txbxContent>${
          wordParagraph("Price 500 EUR")
        }</w:txbxContent></wps:txbx></w:drawing></mc:Choice></mc:AlternateContent></w:r></w:p>`
      ),
      (text) => assert.strictEqual(text, "Price 500 EUR")
    ))

  it.effect("Word, a formula: its text", () =>
    Effect.map(
      word("<w:p><m:oMath><m:r><m:t>x=2</m:t></m:r></m:oMath></w:p>"),
      (text) => assert.strictEqual(text, "x=2")
    ))

  it.effect("Sheet, date1904=\"true\": the day that Excel shows", () =>
    Effect.map(
      sheet("<row><c s=\"1\"><v>44892</v></c></row>", ({ "xl/workbook.xml": main = "" }) => ({
        "xl/workbook.xml": main.replace("<sheets>", "<workbookPr date1904=\"true\"/><sheets>")
      })),
      (text) => assert.include(text, "2026-11-28")
    ))

  it.effect("Sheet, a cell with a time of day: the time", () =>
    Effect.map(
      sheet("<row><c s=\"1\"><v>0.5</v></c></row>", ({ "xl/styles.xml": styles = "" }) => ({
        "xl/styles.xml": styles.replace("numFmtId=\"14\"", "numFmtId=\"20\"")
      })),
      (text) => assert.strictEqual(text, "[Sheet \"S1\"]\n12:00")
    ))

  it.effect("Sheet, cells and rows without a reference: all of them", () =>
    Effect.map(
      sheet("<row><c><v>1</v></c><c><v>42</v></c></row><row><c><v>2</v></c><c><v>43</v></c></row>"),
      (text) => assert.strictEqual(text, "[Sheet \"S1\"]\n1\t42\n2\t43")
    ))

  it.effect("Sheet, a chart sheet among the sheets: the others", () =>
    Effect.map(
      sheet("<row><c><v>42</v></c></row>", ({ "xl/workbook.xml": main = "" }) => ({
        "xl/workbook.xml": main.replace("<sheets>", "<sheets><sheet name=\"Chart1\" sheetId=\"9\" r:id=\"rId9\"/>"),
        "xl/_rels/workbook.xml.rels": rels([
          ["rId1", "worksheet", "worksheets/sheet1.xml"],
          ["rId9", "chartsheet", "chartsheets/sheet1.xml"]
        ]),
        "xl/chartsheets/sheet1.xml": "<chartsheet/>"
      })),
      (text) => assert.strictEqual(text, "[Sheet \"Chart1\" (chart)]\n\n[Sheet \"S1\"]\n42")
    ))

  it.effect("Slides, SmartArt: its text", () =>
    Effect.map(
      uploaded(
        "a.pptx",
        archive({
          ...slideParts([{ stored: 1, body: slideParagraph("Title") }]),
          "ppt/slides/_rels/slide1.xml.rels": rels([["rId2", "diagramData", "../diagrams/data1.xml"]]),
          "ppt/diagrams/data1.xml": `<dgm:dataModel ${namespaces}><dgm:t>${
            slideParagraph("First step")
          }</dgm:t></dgm:dataModel>`
        })
      ),
      (text) => assert.strictEqual(text, "[Slide 1]\nTitle\n[SmartArt]\nFirst step")
    ))

  it.effect("a CSV in windows-1252: readable by both tools", () =>
    Effect.gen(function*() {
      const csv = Buffer.from("Name;Betrag\r\nM\xfcller;12,50 \x80\r\n", "latin1")
      assert.include(yield* uploaded("a.csv", csv), "Müller;12,50 €")
      assert.include(yield* uploaded("a.csv", csv, "read_file"), "Müller;12,50 €")
    }))

  it.effect("a screenshot of macOS: found by its plain name", () =>
    Effect.gen(function*() {
      const name = "Shot 9.41.00\u202FAM \u2013 Bob\u2019s.txt"
      yield* uploaded(name, Buffer.from("text"))
      for (const tool of ["read_file", "read_document"]) {
        assert.strictEqual(yield* withTool(tool, "Shot 9.41.00 AM - Bob's.txt"), "text")
      }
      assert.include(yield* withTool("attach_file", "Shot 9.41.00 AM - Bob's.txt"), name)
    }))

  it.effect("an upload whose name is an encoded word or latin1: the name that was meant", () =>
    Effect.gen(function*() {
      const nina = user("nina")
      const latin = formOf(nina, file("L#we.txt")).toString("latin1").replace("#", "\xf6")
      yield* upload(formOf(nina, file("=?UTF-8?Q?M=C3=BCller.txt?=")))
      yield* upload(Buffer.from(latin, "latin1"))
      assert.deepStrictEqual(yield* onDisk("nina"), ["Löwe.txt", "Müller.txt"])
    }))
})
