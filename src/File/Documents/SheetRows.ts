import { Effect } from "effect"
import { type MomentFormat, momentText } from "./CellFormats.ts"
import type { DocumentUnreadable } from "./DocumentUnreadable.ts"
import type { OfficeParts } from "./OfficeParts.ts"
import { type Attributes, readXml } from "./OfficeXml.ts"

/** What the cells of all sheets refer to. */
export interface Workbook {
  readonly strings: ReadonlyArray<string>
  readonly formats: ReadonlyArray<MomentFormat | null>
  readonly is1904: boolean
}

export interface SheetEnd {
  /** Why the rest was not read, if there is more. */
  readonly stopped: string | null
}

const maxRows = 1_048_576
const maxColumns = 16_384

/** Reads the rows of a sheet one by one; `add` answers whether to continue. A cell without a reference follows the one before. */
export const readRows = (
  parts: OfficeParts,
  part: string,
  workbook: Workbook,
  add: (row: number, cells: ReadonlyMap<number, string>) => boolean
): Effect.Effect<SheetEnd, DocumentUnreadable> => {
  let row = 0
  let column = 0
  let cells = new Map<number, string>()
  let cell: Cell | null = null
  let into: "value" | "formula" | null = null
  let stopped: string | null = null
  let isDone = false
  const check = (place = `row ${row}, column ${column}`) => {
    if (row <= maxRows && column <= maxColumns) return
    stopped = `The sheet reaches to ${place.slice(0, 40)}, beyond XFD${maxRows}, the last cell a sheet can have.`
    isDone = true
  }
  const read = readXml(parts, part, {
    isDone: () => isDone,
    text: (text) => {
      if (cell !== null && into !== null) cell[into] = (cell[into] ?? "") + text
    },
    open: (name, attributes) => {
      // Pronunciations of East Asian texts.
      if (isDone || name === "rPh") return false
      if (name === "row") {
        row = numberIn(attributes["r"]) ?? row + 1
        column = 0
        cells = new Map()
        check(attributes["r"])
      }
      if (name === "c") {
        column = columnIn(attributes["r"]) ?? column + 1
        cell = { attributes, value: null, formula: null }
        check(attributes["r"])
      }
      if (name === "v" || name === "t") into = "value"
      if (name === "f") into = "formula"
      if (name === "f" && cell !== null) cell.formula = ""
      return true
    },
    close: (name) => {
      if (name === "v" || name === "t" || name === "f") into = null
      if (isDone) return
      if (name === "c" && cell !== null) {
        const text = cellText(cell, workbook)
        if (text !== "") cells.set(column, text)
        cell = null
      }
      if (name === "row") isDone = !add(row, cells)
    }
  })
  return Effect.map(read, () => ({ stopped }))
}

interface Cell {
  readonly attributes: Attributes
  value: string | null
  formula: string | null
}

const numberIn = (place = ""): number | undefined => {
  const digits = /^\s*\+?(\d{1,9})\s*$/.exec(place)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** A is 1. More letters than a column can have give a number out of bounds. */
const columnIn = (place = ""): number | undefined => {
  const letters = /^\s*\$?([A-Z]{1,99})/i.exec(place)?.[1]
  if (letters === undefined) return undefined
  let column = 0
  for (const letter of letters.toUpperCase()) column = Math.min(column * 26 + letter.charCodeAt(0) - 64, maxColumns + 1)
  return column
}

const cellText = ({ attributes, formula, value }: Cell, { formats, is1904, strings }: Workbook): string => {
  const { s = "0", t } = attributes
  // A formula whose result is an empty text has that as its type.
  if ((value === null || value === "") && formula !== null && t !== "str") {
    return `[${formula === "" ? "A formula" : onOneLine(`=${formula}`)}: no stored value]`
  }
  if (value === null) return ""
  switch (t) {
    case "s":
      return strings[Number(value)] ?? `[Text ${value} of the workbook is missing]`
    case "b":
      return value.trim() === "1" || value.trim() === "true" ? "true" : "false"
    case "d":
      return value.trim().replace(/T00:00:00(?:\.0+)?Z?$/, "")
    case "e":
    case "str":
    case "inlineStr":
      return onOneLine(value)
    default:
      return numberText(value.trim(), formats[Number(s)] ?? null, is1904)
  }
}

const numberText = (value: string, format: MomentFormat | null, is1904: boolean): string => {
  const number = Number(value)
  if (value === "" || !Number.isFinite(number)) return onOneLine(value)
  return (format === null ? null : momentText(number, format, is1904)) ?? String(number)
}

/** The text without line breaks. Excel writes characters that XML does not allow as `_x000D_`. */
export const onOneLine = (text: string): string =>
  text
    .replace(/_x([0-9A-F]{4})_/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    .replace(/\s+/g, (space) => (/[\r\n\t]/.test(space) ? " " : space))
