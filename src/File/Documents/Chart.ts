import { Effect } from "effect"
import type { DocumentUnreadable } from "./DocumentUnreadable.ts"
import type { OfficeParts } from "./OfficeParts.ts"
import { readXml } from "./OfficeXml.ts"

/** The texts of a chart, such as its titles, and a line for each series: `Sales: Jan = 5, Feb = 7`. */
export const chartLines = (
  parts: OfficeParts,
  part: string
): Effect.Effect<ReadonlyArray<string>, DocumentUnreadable> => {
  const lines: Array<string> = []
  /** Values by their numbers. Categories of several levels have several. */
  type Values = Map<string, string>
  let series: { readonly name: Values; readonly categories: Values; readonly values: Values } | null = null
  let into: Values = new Map()
  let index = ""
  let text: string | null = null
  let paragraph = ""
  const read = readXml(parts, part, {
    text: (piece) => {
      if (text !== null) text += piece
    },
    open: (name, { idx }) => {
      if (name === "c:ser") series = { name: new Map(), categories: new Map(), values: new Map() }
      if (name === "cx:lvl" || name === "c:tx") into = new Map()
      if (series !== null && name === "c:tx") into = series.name
      if (series !== null && (name === "c:cat" || name === "c:xVal")) into = series.categories
      if (series !== null && (name === "c:val" || name === "c:yVal")) into = series.values
      if (idx !== undefined) index = idx
      if (name === "c:v" || name === "cx:pt" || name === "cx:v" || name === "a:t") text = ""
    },
    close: (name) => {
      const closed = text ?? ""
      if (name === "c:v" || name === "cx:pt") into.set(index, [closed, into.get(index) ?? ""].join(" ").trim())
      if (name === "cx:v" && closed !== "") lines.push(closed)
      if (name === "a:t") paragraph += closed
      if (name === "a:p") {
        if (paragraph.trim() !== "") lines.push(paragraph.trim())
        paragraph = ""
      }
      if (name === "c:ser" && series !== null) {
        lines.push(seriesLine(series.name, series.categories, series.values))
        series = null
      }
      // A title may refer to a cell.
      if (name === "cx:lvl" || name === "c:title") {
        if (into.size > 0) lines.push([...into.values()].join(", "))
        into = new Map()
      }
      text = null
    }
  })
  return Effect.as(read, lines)
}

const seriesLine = (
  name: ReadonlyMap<string, string>,
  categories: ReadonlyMap<string, string>,
  values: ReadonlyMap<string, string>
): string => {
  const points = [...new Set([...categories.keys(), ...values.keys()])].map((key) =>
    [categories.get(key), values.get(key)].filter((one) => one !== undefined).join(" = ")
  )
  return `${[...name.values()].join(" ") || "Series"}: ${points.join(", ")}`
}
