import { Effect, Predicate } from "effect"
import readSheets from "read-excel-file/node"
import { DocumentUnreadable } from "./DocumentUnreadable.ts"
import { type OfficeParts, repacked } from "./OfficeParts.ts"

/** The values of a workbook, sheet by sheet: a line for each row, tabs between its cells. */
export const sheetsText = (parts: OfficeParts): Effect.Effect<string, DocumentUnreadable> =>
  Effect.tryPromise({
    try: () => readSheets(Buffer.from(repacked(parts))),
    catch: () => new DocumentUnreadable({ reason: "The workbook is damaged: its sheets can't be read." })
  }).pipe(
    Effect.map((sheets) =>
      sheets.map(({ data, sheet }) => [`[Sheet ${JSON.stringify(sheet)}]`, ...data.map(rowText)].join("\n")).join(
        "\n\n"
      )
    )
  )

const rowText = (row: ReadonlyArray<unknown>): string => row.map(cellText).join("\t").trimEnd()

const cellText = (cell: unknown): string => {
  if (cell === null || cell === undefined) return ""
  if (Predicate.isDate(cell)) return Number.isNaN(cell.getTime()) ? "" : dateText(cell.toISOString())
  return String(cell).replace(/\s+/g, (blank) => /[\r\n\t]/.test(blank) ? " " : blank)
}

const dateText = (iso: string): string => iso.endsWith("T00:00:00.000Z") ? iso.slice(0, 10) : iso.slice(0, 19)
