import { Effect } from "effect"
import { withAlternatives } from "./Alternatives.ts"
import { chartLines } from "./Chart.ts"
import type { DocumentUnreadable } from "./DocumentUnreadable.ts"
import { formulaReader } from "./Formula.ts"
import type { OfficeParts } from "./OfficeParts.ts"
import { readXml, type Relation, relations } from "./OfficeXml.ts"

/** The lines of a part with drawings, such as a slide: texts, tables, formulas, marks of pictures and other objects. */
export const drawingLines = (
  parts: OfficeParts,
  part: string
): Effect.Effect<ReadonlyArray<string>, DocumentUnreadable> => {
  const lines: Array<string> = []
  const formula = formulaReader()
  let row: Array<string> | null = null
  let line = ""
  let inText = false
  let inPicture = false
  const endParagraph = () => {
    const text = line.trim()
    line = ""
    if (row !== null) row.push([row.pop() ?? "", text].filter((part) => part !== "").join(" "))
    else if (text !== "") lines.push(text)
  }
  const read = readXml(
    parts,
    part,
    withAlternatives({
      text: (text) => {
        if (formula.takes("")) formula.text(text)
        else if (inText) line += text
      },
      open: (name, attributes) => {
        if (formula.takes(name)) return formula.open(name, attributes)
        if (textElements.has(name)) inText = true
        if (name === "a:br" || name === "a:tab") line += " "
        if (name === "a:tr") row = []
        if (name === "a:tc") row?.push("")
        if (name === "a:p") line = ""
        if (name.endsWith(":pic")) inPicture = true
        if (name.endsWith(":cNvPr")) {
          const description = attributes["descr"]?.trim() || attributes["title"]?.trim()
          if (description) lines.push(`[Image: ${description}]`)
          else if (inPicture) lines.push("[Image]")
        }
        if (name === "a:videoFile" || name === "a:audioFile") lines.push("[Video or sound]")
        if (name === "p:oleObj") {
          lines.push(`[Embedded object: ${attributes["progId"] || attributes["name"] || "unknown"}]`)
        }
      },
      close: (name) => {
        if (formula.takes("")) {
          line += formula.close() ?? ""
          return
        }
        if (textElements.has(name)) inText = false
        if (name === "a:p" || name === "p:text") endParagraph()
        if (name.endsWith(":pic")) inPicture = false
        if (name !== "a:tr" || row === null) return
        lines.push(row.join(" | "))
        row = null
      }
    }, () => lines.length + line.length)
  )
  return Effect.as(read, lines)
}

/** `p:text` is the text of a comment in files of older programs. */
const textElements = new Set(["a:t", "p:text"])

const readers: Readonly<Record<string, typeof drawingLines>> = {
  chart: chartLines,
  chartEx: chartLines,
  diagramData: drawingLines
}

/** The lines of the chart or diagram that a relation names; null for other relations. A mark if it can't be read. */
export const graphicLines = (
  parts: OfficeParts,
  { target, type }: Relation
): Effect.Effect<ReadonlyArray<string> | null> => {
  const reader = readers[type]
  if (reader === undefined) return Effect.succeed(null)
  const title = type === "diagramData" ? "[SmartArt]" : "[Chart]"
  return orMark(Effect.map(reader(parts, target), (lines) => [title, ...lines]), title.slice(1, -1))
}

/** The lines, or a mark that says why `what` can't be read. */
export const orMark = (
  lines: Effect.Effect<ReadonlyArray<string>, DocumentUnreadable>,
  what: string
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.catchAll(lines, ({ reason }) => Effect.succeed([`[${what} can't be read: ${reason}]`]))

/** The lines of a part with drawings, and those of the charts and diagrams in it. */
export const drawingWithGraphics = (
  parts: OfficeParts,
  part: string
): Effect.Effect<ReadonlyArray<string>, DocumentUnreadable> =>
  Effect.gen(function*() {
    const lines = yield* drawingLines(parts, part)
    const found = yield* Effect.forEach((yield* relations(parts, part)).values(), (one) => graphicLines(parts, one))
    return [...lines, ...found.flatMap((graphic) => graphic ?? [])]
  })
