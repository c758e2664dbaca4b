import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { documentText } from "../../../src/File/Documents/Extraction.ts"
import { archive, namespaces, rels, slideParagraph, slideParts } from "./files.ts"

/** What is read of a presentation with a slide that has this body, after the line with its number. */
const slideOf = (body: string, more: Readonly<Record<string, string>> = {}) =>
  Effect.map(
    documentText("a.pptx", archive({ ...slideParts([{ stored: 1, body }]), ...more })),
    (text) => text.replace(/^\[Slide 1\]\n/, "")
  )

const related = "ppt/slides/_rels/slide1.xml.rels"
const part = (root: string, content: string) => `<${root} ${namespaces}>${content}</${root}>`

describe("The text of a presentation", () => {
  it.effect("has SmartArt, charts and comments of a slide", () =>
    Effect.gen(function*() {
      const point = (value: string) => `<c:pt idx="0"><c:v>${value}</c:v></c:pt>`
      const series = `<c:ser><c:tx>${point("North")}</c:tx><c:cat>${point("Jan")}</c:cat><c:val>${
        point("5")
      }</c:val></c:ser>`
      const found = yield* slideOf(slideParagraph("Title"), {
        [related]: rels([
          ["rId1", "diagramData", "../diagrams/data1.xml"],
          ["rId2", "chart", "../charts/chart1.xml"],
          ["rId3", "comments", "../comments/comment1.xml"]
        ]),
        "ppt/diagrams/data1.xml": part(
          "dgm:dataModel",
          `<dgm:pt><dgm:t>${slideParagraph("First step")}</dgm:t></dgm:pt><dgm:pt><dgm:t>${
            slideParagraph("Second")
          }</dgm:t></dgm:pt>`
        ),
        "ppt/charts/chart1.xml": part("c:chartSpace", `<c:title>${slideParagraph("Sales")}</c:title>${series}`),
        "ppt/comments/comment1.xml": part("p:cmLst", "<p:cm><p:text>Too long</p:text></p:cm>")
      })
      assert.strictEqual(
        found,
        "Title\n[SmartArt]\nFirst step\nSecond\n[Chart]\nSales\nNorth: Jan = 5\n[Comments]\nToo long"
      )
    }))

  it.effect("has grouped shapes, one of several alternatives, formulas, and marks of pictures and objects", () =>
    Effect.gen(function*() {
      const picture = (properties = "") =>
        `<p:pic><p:nvPicPr><p:cNvPr id="2" name="x" ${properties}/></p:nvPicPr></p:pic>`
      const alternatives = `<mc:AlternateContent><mc:Choice Requires="a14">${slideParagraph("New")}</mc:Choice>`
        + `<mc:Fallback>${slideParagraph("Old")}</mc:Fallback></mc:AlternateContent>`
      const formula =
        "<m:oMath><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>"
      assert.strictEqual(
        yield* slideOf(
          `<p:grpSp><p:grpSp>${slideParagraph("Grouped")}</p:grpSp></p:grpSp>${alternatives}<a:p>${formula}</a:p>`
            + `${picture("descr=\"A cat\"")}${picture()}<p:oleObj progId="Excel.Sheet.12"/>`
        ),
        "Grouped\nNew\nx^2\n[Image: A cat]\n[Image]\n[Embedded object: Excel.Sheet.12]"
      )
    }))

  it.effect("says which slides are hidden", () =>
    Effect.gen(function*() {
      const parts = slideParts([{ stored: 1, body: slideParagraph("a") }, { stored: 2, body: slideParagraph("b") }])
      const hidden = parts["ppt/slides/slide1.xml"]?.replace("<p:sld ", "<p:sld show=\"0\" ") ?? ""
      assert.strictEqual(
        yield* documentText("a.pptx", archive({ ...parts, "ppt/slides/slide1.xml": hidden })),
        "[Slide 1 (hidden)]\na\n\n[Slide 2]\nb"
      )
    }))

  it.effect("loses only the slide or diagram that is damaged, which is named", () =>
    Effect.gen(function*() {
      const parts = slideParts([{ stored: 1, body: slideParagraph("a") }, { stored: 2, body: "" }])
      const found = yield* documentText(
        "a.pptx",
        archive({
          ...parts,
          "ppt/slides/slide2.xml": "<p:sld><p:cSld>",
          [related]: rels([["rId1", "diagramData", "../diagrams/data1.xml"]])
        })
      )
      const [first = "", second = ""] = found.split("\n\n")
      assert.match(first, /^\[Slide 1\]\na\n\[SmartArt can't be read: .*"ppt\/diagrams\/data1\.xml" is missing\.\]$/)
      assert.match(second, /^\[Slide 2 can't be read: .*is incomplete\.\]$/)
    }))
})
