import { Effect, Predicate } from "effect"
import readSheets, { type Sheet } from "read-excel-file/node"
import { DocumentUnreadable } from "./DocumentUnreadable.ts"
import { type OfficeParts, repacked } from "./OfficeParts.ts"

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

const maxRows = 1_048_576
const maxColumns = 16_384

/** Cells from A1 to a sheet's last row and last column with a value: the reader makes an array of them all. */
const maxCells = 5_000_000
/** A growing array has room for about so many cells at first. */
const minCellsPerRow = 16

/** Why reading the sheets would take too much memory, found before any array is made; null when it would not. */
const boundsExceeded = (parts: OfficeParts): DocumentUnreadable | null => {
  // Any part may be a sheet, whatever its name.
  for (const bytes of parts.values()) {
    if (!Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes("sheetData")) continue
    let rows = 0
    let columns = 0
    for (const [, letters = "", digits = "", end, empty] of places(bytes)) {
      const column = columnOf(letters)
      const row = Number(digits)
      if (end !== "\"" && end !== "'") {
        return new DocumentUnreadable({
          reason: "A cell or row of the workbook has an address of another form than A1 or 1. "
            + "Save it again with a spreadsheet program."
        })
      }
      if (column > maxColumns || row > maxRows) {
        return new DocumentUnreadable({
          reason: `The workbook reaches to ${(letters + digits).slice(0, 20)}, beyond XFD${maxRows}, `
            + "the last cell a sheet can have. Save it again with a spreadsheet program."
        })
      }
      rows = Math.max(rows, row)
      if (empty === undefined) columns = Math.max(columns, column)
    }
    if (rows * Math.max(columns, minCellsPerRow) > maxCells) {
      return new DocumentUnreadable({
        reason: `A sheet of the workbook reaches to row ${rows} and column ${columns}, which is too large to be read. `
          + "Remove the values far out at its end, or save the part that matters as a file of its own."
      })
    }
  }
  return null
}

/**
 * An address of a row or a cell, and what follows if the element is empty. Searched everywhere, as comments or a `>` in
 * an attribute could hide where tags end; with escapes (`&#49;`) and other numbers (`1e6`).
 */
const place =
  /\sr\s{0,9}=\s{0,9}["']([A-Z]*)(\d*)(["'&+.\sebox])((?:\s{1,9}[\w.:-]{1,30}="[^"<>]{0,99}"){0,9}\s{0,9}\/>)?/gi

/** The addresses in a part; decoded in pieces, as a whole sheet may have a hundred megabytes. */
function* places(bytes: Uint8Array): Iterable<RegExpExecArray> {
  for (let from = 0, to = 0; from < bytes.length; from = to) {
    const next = bytes.indexOf(lessThan, from + pieceBytes)
    to = next === -1 ? bytes.length : next
    const text = new TextDecoder().decode(bytes.subarray(from, to))
    yield* text.matchAll(place)
  }
}

const lessThan = 0x3c
const pieceBytes = 1_000_000

/** A is 1. More letters than a column can have give a number out of bounds. */
const columnOf = (letters: string): number => {
  let column = 0
  for (const letter of letters.toUpperCase()) column = Math.min(column * 26 + letter.charCodeAt(0) - 64, maxColumns + 1)
  return column
}
