import { DateTime, Effect } from "effect"
import type { DocumentUnreadable } from "./DocumentUnreadable.ts"
import type { OfficeParts } from "./OfficeParts.ts"
import { readXml } from "./OfficeXml.ts"

/** How a number that means a moment or a duration is shown. */
export interface MomentFormat {
  /** The largest unit of a duration, as in `[h]:mm`. */
  readonly elapsed: "h" | "m" | "s" | null
  readonly hasTime: boolean
  readonly hasSeconds: boolean
  readonly hasFraction: boolean
}

/** The formats of the standard that show moments, by their ids; the ranges are of East Asian languages. */
const builtIn = (id: number): string | undefined =>
  id >= 14 && id <= 17
    ? "d"
    : (id >= 27 && id <= 36) || (id >= 50 && id <= 58)
    ? "d h"
    : ({
      18: "h:mm",
      19: "h:mm:ss",
      20: "h:mm",
      21: "h:mm:ss",
      22: "d h:mm",
      45: "mm:ss",
      46: "[h]:mm:ss",
      47: "mm:ss.0"
    })[
      id
    ]

/** What the code of a number format shows; null for a number. Only the format for positive numbers counts. */
export const momentFormatOf = (code: string): MomentFormat | null => {
  const [shown = ""] = code
    .replace(/"[^"]*"?|[\\_*]./g, "")
    .replace(/\[[^[\]]*\]/g, (bracketed) => (/^\[(?:h+|m+|s+)\]$/i.test(bracketed) ? bracketed : ""))
    .replace(/am\/pm|a\/p|general|standard/gi, "")
    .split(";")
  const hasFraction = /s\]?[.,]0/i.test(shown)
  const units = shown.replace(/(s\]?)[.,]0+/gi, "$1").toLowerCase()
  if (/[0#?@]/.test(units) || !/[ymdhs]/.test(units)) return null
  const elapsed = /\[([hms])/.exec(units)?.[1]
  return {
    elapsed: elapsed === "h" || elapsed === "m" || elapsed === "s" ? elapsed : null,
    hasTime: /[hs]/.test(units),
    hasSeconds: units.includes("s"),
    hasFraction
  }
}

/** The formats of moments by the style of a cell, from the part with the styles. */
export const cellFormats = (
  parts: OfficeParts,
  part: string
): Effect.Effect<ReadonlyArray<MomentFormat | null>, DocumentUnreadable> => {
  const codes = new Map<string, string>()
  const base: Array<string> = []
  const styles: Array<string> = []
  let into: Array<string> | null = null
  const read = readXml(parts, part, {
    open: (name, { formatCode, numFmtId, xfId = "" }) => {
      if (name === "numFmt" && numFmtId !== undefined && formatCode !== undefined) codes.set(numFmtId, formatCode)
      if (name === "cellStyleXfs") into = base
      if (name === "cellXfs") into = styles
      if (name === "xf") into?.push(numFmtId ?? base[Number(xfId)] ?? "0")
    },
    close: (name) => {
      if (name === "cellStyleXfs" || name === "cellXfs") into = null
    }
  })
  return Effect.map(read, () => styles.map((id) => momentFormatOf(codes.get(id) ?? builtIn(Number(id)) ?? "General")))
}

const dayMillis = 86_400_000
/** 1904-01-01 counted from the start of 1900 as Excel counts, with a 29th of February. */
const days1904 = 1_462
/** Days from 1899-12-31 to the years 0001 and 9999. */
const [firstDay, lastDay] = [-693_594, 2_958_465]

/** 1899-12-30 in epoch milliseconds: day 0 of programs that count no 29th of February 1900. */
const dayBefore1900 = -25_569 * dayMillis

const two = (number: number): string => String(Math.floor(number)).padStart(2, "0")

const timeText = (millis: number, { hasFraction, hasSeconds }: MomentFormat): string => {
  const seconds = (millis / 1_000) % 60
  const time = `${two(millis / 3_600_000)}:${two((millis / 60_000) % 60)}`
  if (!hasSeconds && seconds === 0) return time
  return `${time}:${two(seconds)}${hasFraction ? `.${String(millis % 1_000).padStart(3, "0")}` : ""}`
}

const durationText = (value: number, format: MomentFormat): string => {
  const millis = rounded(Math.abs(value), format)
  const sign = value < 0 ? "-" : ""
  if (format.elapsed === "s") return `${sign}${Math.floor(millis / 1_000)}`
  const seconds = two((millis / 1_000) % 60)
  if (format.elapsed === "m") return `${sign}${Math.floor(millis / 60_000)}:${seconds}`
  return `${sign}${timeText(millis, format).replace(/^0(?=\d:)/, "")}`
}

const rounded = (days: number, { hasFraction }: MomentFormat): number => {
  const unit = hasFraction ? 1 : 1_000
  return Math.round(days * dayMillis / unit) * unit
}

/** A moment or a duration that a workbook stores as a number of days; null if no date has that number. */
export const momentText = (value: number, format: MomentFormat, is1904: boolean): string | null => {
  if (format.elapsed !== null) return durationText(value, format)
  const millis = rounded(value, format)
  // Rounding must not turn the end of a day into the next day.
  if (format.hasTime && value >= 0 && value < 1) return timeText(Math.min(millis, dayMillis - 1_000), format)
  const days = Math.floor(millis / dayMillis) + (is1904 ? days1904 : 0)
  if (days < firstDay || days > lastDay) return null
  const time = millis - Math.floor(millis / dayMillis) * dayMillis
  const date = dateText(days)
  return time === 0 ? date : `${date}T${timeText(time, { ...format, hasSeconds: true })}`
}

/** Day 1 is 1900-01-01. Excel has a day 60 that never was; other programs have days before the first. */
const dateText = (days: number): string => {
  if (days === 0) return "1900-01-00"
  if (days === 60) return "1900-02-29"
  return DateTime.formatIsoDateUtc(
    DateTime.unsafeMake(dayBefore1900 + (days > 0 && days < 60 ? days + 1 : days) * dayMillis)
  )
}
