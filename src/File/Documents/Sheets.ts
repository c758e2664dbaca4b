import { Effect } from "effect"
import { cellFormats } from "./CellFormats.ts"
import { DocumentUnreadable } from "./DocumentUnreadable.ts"
import { drawingWithGraphics, orMark } from "./Drawing.ts"
import { type OfficeParts, partNamed } from "./OfficeParts.ts"
import { type Attributes, mainPart, readXml, type Relation, relations } from "./OfficeXml.ts"
import { textOfParts } from "./PartTexts.ts"
import { onOneLine, readRows, type Workbook } from "./SheetRows.ts"

/** The values of a workbook, sheet by sheet, up to about `maxChars` characters: a line for each row. */
export const sheetsText = (parts: OfficeParts, maxChars: number): Effect.Effect<string, DocumentUnreadable> =>
  Effect.gen(function*() {
    const main = yield* mainPart(parts, "xl/workbook.xml")
    const targets = yield* relations(parts, main)
    const sheets: Array<Attributes> = []
    let is1904 = false
    yield* readXml(parts, main, {
      open: (name, attributes) => {
        if (name === "sheet") sheets.push(attributes)
        if (name === "workbookPr") is1904 = ["1", "true", "on"].includes(attributes["date1904"] ?? "")
      }
    })
    const marks: Array<string> = []
    const named = <A>(
      type: string,
      what: string,
      none: A,
      read: (part: string) => Effect.Effect<A, DocumentUnreadable>
    ): Effect.Effect<A> => {
      const target = [...targets.values()].find((relation) => relation.type === type)?.target
        ?? partNamed(parts, `xl/${type}.xml`)
      return target === undefined ? Effect.succeed(none) : Effect.catchAll(read(target), ({ reason }) => {
        marks.push(`[${what} of the workbook can't be read: ${reason}]\n\n`)
        return Effect.succeed(none)
      })
    }
    const formats = yield* named("styles", "The number formats", [], (part) => cellFormats(parts, part))
    const strings: Array<string> = []
    yield* named("sharedStrings", "Texts", undefined, (part) => readStrings(parts, part, strings))
    const workbook: Workbook = { strings, formats, is1904 }
    let room = maxChars
    const text = yield* textOfParts(sheets.map((sheet) => ({
      name: `Sheet ${JSON.stringify(sheet["name"] ?? "")}`,
      text: Effect.suspend(() =>
        Effect.tap(sheetText(parts, sheet, targets.get(sheet["r:id"] ?? ""), workbook, room), (text) => {
          room -= text.length
        })
      )
    })))
    return marks.join("") + text
  })

/** Adds the texts that cells refer to. After an error, those before it are kept. */
const readStrings = (parts: OfficeParts, part: string, strings: Array<string>) => {
  let text = ""
  let inText = false
  return readXml(parts, part, {
    text: (piece) => {
      if (inText) text += piece
    },
    open: (name) => {
      if (name === "rPh") return false
      if (name === "si") text = ""
      if (name === "t") inText = true
      return true
    },
    close: (name) => {
      if (name === "t") inText = false
      if (name === "si") strings.push(onOneLine(text))
    }
  })
}

/** Sheets of other types than worksheets. */
const otherKinds: Readonly<Record<string, string>> = {
  chartsheet: "chart",
  dialogsheet: "dialog",
  xlMacrosheet: "macros",
  xlIntlMacrosheet: "macros"
}

const sheetText = (
  parts: OfficeParts,
  { name = "", state = "visible" }: Attributes,
  relation: Relation | undefined,
  workbook: Workbook,
  room: number
): Effect.Effect<string, DocumentUnreadable> =>
  Effect.gen(function*() {
    if (relation === undefined) return yield* new DocumentUnreadable({ reason: "The workbook names no part for it." })
    const notes = [otherKinds[relation.type], state === "visible" ? undefined : "hidden"].filter((note) =>
      note !== undefined
    )
    const title = `[Sheet ${JSON.stringify(name)}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}]`
    let text = title
    let last = 0
    const rows = readRows(parts, relation.target, workbook, (row, cells) => {
      if (cells.size === 0) return true
      const empty = row - last - 1
      text += `${empty > maxEmpty ? `\n[${empty} empty rows]` : "\n".repeat(Math.max(empty, 0))}\n${rowText(cells)}`
      last = row
      return text.length < room
    })
    const { stopped } = yield* Effect.catchAll(rows, ({ reason }) => Effect.succeed({ stopped: reason }))
    if (stopped !== null && text === title) return yield* new DocumentUnreadable({ reason: stopped })
    if (stopped !== null) text += `\n[The rest of the sheet can't be read: ${stopped}]`
    if (text.length >= room) return `${text}\n[The workbook goes on, but no more is read.]`
    const added = yield* Effect.forEach((yield* relations(parts, relation.target)).values(), ({ target, type }) =>
      type === "drawing"
        ? orMark(drawingWithGraphics(parts, target), "A drawing on the sheet")
        : type === "comments"
        ? orMark(commentLines(parts, target), "The comments on the sheet")
        : Effect.succeed([]))
    return [text, ...added.flat()].join("\n")
  })

/** More empty rows or cells than these become a mark, so that a value far out is not behind a million of them. */
const maxEmpty = 20

const rowText = (cells: ReadonlyMap<number, string>): string => {
  let text = ""
  let last = 1
  for (const [column, cell] of [...cells].sort(([one], [other]) => one - other)) {
    const empty = column - last
    text += `${empty > maxEmpty ? `\t[${empty - 1} empty cells]\t` : "\t".repeat(empty)}${cell}`
    last = column
  }
  return text
}

const commentLines = (parts: OfficeParts, part: string): Effect.Effect<ReadonlyArray<string>, DocumentUnreadable> => {
  const lines: Array<string> = []
  let place = ""
  let text = ""
  let inText = false
  const read = readXml(parts, part, {
    text: (piece) => {
      if (inText) text += piece
    },
    open: (name, { ref = "" }) => {
      if (name === "comment") [place, text] = [ref, ""]
      if (name === "t") inText = true
    },
    close: (name) => {
      if (name === "t") inText = false
      if (name === "comment") lines.push(`[Comment on ${place}: ${onOneLine(text.trim())}]`)
    }
  })
  return Effect.as(read, lines)
}
