import { Effect, Predicate } from "effect"
import readSheets, { type Sheet } from "read-excel-file/node"
import { DocumentUnreadable } from "./DocumentUnreadable.ts"
import { type OfficeParts, repacked } from "./OfficeParts.ts"
import { boundsExceeded } from "./SheetBounds.ts"

/** The values of a workbook, sheet by sheet, up to about `maxChars` characters: a line for each row. */
export const sheetsText = (parts: OfficeParts, maxChars: number): Effect.Effect<string, DocumentUnreadable> =>
  boundsExceeded(parts) ?? Effect.map(sheetsOf(repacked(parts)), (sheets) => textOf(sheets, maxChars))

const sheetsOf = (archive: Buffer): Effect.Effect<ReadonlyArray<Sheet>, DocumentUnreadable> =>
  Effect.tryPromise({
    try: () => readSheets(archive),
    catch: () => new DocumentUnreadable({ reason: "The workbook is damaged: its sheets can't be read." })
  })

const textOf = (sheets: ReadonlyArray<Sheet>, maxChars: number): string => {
  let text = ""
  let emptyRows = 0
  const add = (line: string) => {
    if (line === "") return void emptyRows++
    if (emptyRows > maxEmptyRows) text += `[${emptyRows} empty rows]\n`
    else text += "\n".repeat(emptyRows)
    emptyRows = 0
    text += `${line}\n`
  }
  for (const { data, sheet } of sheets) {
    add(`[Sheet ${JSON.stringify(sheet)}]`)
    for (const row of data) {
      if (text.length > maxChars) break
      add(rowText(row))
    }
    emptyRows = 1
  }
  return text.trimEnd()
}

/** More empty rows than this become one line, so that a value far down is not behind a million line breaks. */
const maxEmptyRows = 20

const rowText = (row: ReadonlyArray<unknown>): string => row.map(cellText).join("\t").trimEnd()

const cellText = (cell: unknown): string => {
  if (cell === null || cell === undefined) return ""
  if (Predicate.isDate(cell)) return Number.isNaN(cell.getTime()) ? "" : dateText(cell.toISOString())
  return String(cell).replace(/\s+/g, (space) => /[\r\n\t]/.test(space) ? " " : space)
}

const dateText = (iso: string): string => iso.endsWith("T00:00:00.000Z") ? iso.slice(0, 10) : iso.slice(0, 19)
