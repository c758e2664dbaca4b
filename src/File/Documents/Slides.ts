import { Effect } from "effect"
import type { DocumentUnreadable } from "./DocumentUnreadable.ts"
import { drawingLines, drawingWithGraphics, orMark } from "./Drawing.ts"
import type { OfficeParts } from "./OfficeParts.ts"
import { mainPart, readXml, relations } from "./OfficeXml.ts"
import { textOfParts } from "./PartTexts.ts"

/** The text of the slides in the order in which they are shown, with their charts, diagrams, notes and comments. */
export const slidesText = (parts: OfficeParts): Effect.Effect<string, DocumentUnreadable> =>
  Effect.gen(function*() {
    const main = yield* mainPart(parts, "ppt/presentation.xml")
    const targets = yield* relations(parts, main)
    const slides: Array<string> = []
    yield* readXml(parts, main, {
      open: (name, { "r:id": id = "" }) => {
        if (name === "p:sldId") slides.push(targets.get(id)?.target ?? id)
      }
    })
    return yield* textOfParts(slides.map((slide, index) => ({
      name: `Slide ${index + 1}`,
      text: slideText(parts, slide, index + 1)
    })))
  })

const slideText = (parts: OfficeParts, slide: string, number: number): Effect.Effect<string, DocumentUnreadable> =>
  Effect.gen(function*() {
    const shown = yield* drawingWithGraphics(parts, slide)
    let isHidden = false
    yield* readXml(parts, slide, {
      open: (name, { show }) => {
        if (name === "p:sld") isHidden = show === "0" || show === "false"
        return false
      }
    })
    const links = [...(yield* relations(parts, slide)).values()]
    const added = yield* Effect.forEach(links, ({ target, type }) => {
      const title = titles[type]
      if (title === undefined) return Effect.succeed([])
      return Effect.map(orMark(drawingLines(parts, target), title), (lines) => {
        // Notes repeat the number of their slide as a field of its own, and have a picture of it.
        const said = lines.filter((line) => line !== String(number))
        return said.length === 0 ? [] : [`[${title}]`, ...said]
      })
    })
    return [`[Slide ${number}${isHidden ? " (hidden)" : ""}]`, ...shown, ...added.flat()].join("\n")
  })

const titles: Readonly<Record<string, string>> = { notesSlide: "Notes", comments: "Comments" }
