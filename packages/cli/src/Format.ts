import type { Task, TaskStatus } from "@troupe/domain/Task"
import { isCut } from "@troupe/domain/TaskEnd"
import { withChoices } from "@troupe/domain/Text"
import { DateTime, Option } from "effect"
import { inspect } from "node:util"

const controls = /[^\P{Cc}\n\t]/gu
/** Characters that reorder or hide what follows on a line. */
const invisible = /[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/g

const picture = (control: string): string => {
  const code = control.charCodeAt(0)
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? "\u2421" : "\ufffd"
}

/**
 * Text from a task, a file or a service as a terminal may show it: control characters become visible symbols, so that no
 * escape sequence reaches the terminal. Line feeds and tabs stay.
 */
export const safeText = (text: string): string =>
  text.replace(/\r\n/g, "\n").replace(controls, picture).replace(invisible, "")

/** The same on one line, cut to `max` characters. */
export const safeLine = (text: string, max = 200): string => {
  const line = safeText(text).replace(/\s+/g, " ").trim()
  return line.length > max ? `${line.slice(0, max - 1).replace(/[\ud800-\udbff]$/, "")}\u2026` : line
}

export const questionText = (
  { choices, question, title, url }: Pick<Task, "choices" | "question" | "title" | "url">
): string => safeText(withChoices(`${question ?? title}${url === null ? "" : `\n${url}`}`, choices))

/** JSON whose texts contain no control characters: `JSON.stringify` leaves those above U+007E as they are. */
export const safeJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(
    /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

const styles = ["bold", "dim", "red", "green", "yellow", "cyan"] as const
type Style = (typeof styles)[number]

/** Colours a text, or leaves it as it is. */
export type TextStyle = Readonly<Record<Style, (text: string) => string>>

const as = (hasColors: boolean, style: Style) => (text: string) => {
  const [open, close] = inspect.colors[style] ?? [0, 0]
  return hasColors && text !== "" ? `\u001b[${open}m${text}\u001b[${close}m` : text
}

export const makeTextStyle = (hasColors: boolean): TextStyle => ({
  bold: as(hasColors, "bold"),
  dim: as(hasColors, "dim"),
  red: as(hasColors, "red"),
  green: as(hasColors, "green"),
  yellow: as(hasColors, "yellow"),
  cyan: as(hasColors, "cyan")
})

/** Milliseconds of an ISO time. */
export const millisOf = (time: string | null): number | null =>
  time === null ? null : Option.getOrNull(Option.map(DateTime.make(time), DateTime.toEpochMillis))

/** `0.4 s`, `12 s`, `3 min 5 s`, `2 h 10 min`, `4 d 3 h`. */
export const duration = (millis: number): string => {
  const seconds = Math.max(0, millis) / 1000
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  if (whole < 86_400) return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
  return `${Math.floor(whole / 86_400)} d ${Math.floor((whole % 86_400) / 3600)} h`
}

export const count = (value: number): string => value.toLocaleString("en")

/** `2027-01-31 09:00 UTC`. */
export const minuteOf = (time: string): string => `${time.slice(0, 16).replace("T", " ")} UTC`

const units = ["B", "kB", "MB", "GB", "TB"] as const

/** `512 B`, `1.5 kB`, in units of 1,000. */
export const size = (bytes: number): string => {
  const power = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1)
  return `${power === 0 ? bytes : (bytes / 1000 ** power).toFixed(1)} ${units[power]}`
}

const marks: Readonly<Record<TaskStatus, readonly [mark: string, style: keyof TextStyle]>> = {
  pending: ["\u25cb", "dim"],
  running: ["\u25b6", "cyan"],
  waiting_input: ["?", "yellow"],
  waiting_subagents: ["\u25b6", "cyan"],
  completed: ["\u2713", "green"],
  failed: ["\u2717", "red"]
}

type Ended = Pick<Task, "end_label" | "ended_by" | "status">

export const look = ({ ended_by, status }: Ended): readonly [mark: string, style: keyof TextStyle] =>
  isCut(ended_by) ? ["!", "yellow"] : marks[status]

export const mark = (task: Ended, paint: TextStyle): string => {
  const [symbol, style] = look(task)
  return paint[style](symbol)
}

/** The status, or what ended the task before its agent was done. */
export const plainStatus = ({ end_label, ended_by, status }: Ended): string =>
  isCut(ended_by)
    ? safeLine(end_label ?? `${status} (${ended_by})`, 80)
    : ended_by === "cancelled"
    ? safeLine(end_label ?? status, 80)
    : status

export const statusText = (task: Ended, paint: TextStyle): string => paint[look(task)[1]](plainStatus(task))

/** Rows as columns, aligned by their plain texts; the last column is as long as it is. */
export const table = (
  rows: ReadonlyArray<ReadonlyArray<string>>,
  style: (cell: string, column: number, row: number) => string = (cell) => cell
): string => {
  const widths: Array<number> = []
  for (const row of rows) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, cell.length)))
  return rows.map((row, line) =>
    `${
      row.map((cell, at) =>
        `${style(cell, at, line)}${at === row.length - 1 ? "" : " ".repeat((widths[at] ?? 0) - cell.length + 2)}`
      ).join("").trimEnd()
    }\n`
  ).join("")
}

type StyleOf<Row> = Style | ((row: Row) => Style | null)

/** A list with a heading: of each column its title, what a row has in it, and in which style. */
export const list = <Row>(
  ...columns: ReadonlyArray<readonly [title: string, cellOf: (row: Row) => string, styleOf?: StyleOf<Row>]>
) =>
(rows: ReadonlyArray<Row>, paint: TextStyle): string =>
  table(
    [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, cellOf]) => cellOf(row)))],
    (cell, column, line) => {
      const row = rows[line - 1]
      const styleOf = columns[column]?.[2] ?? null
      const style = row === undefined ? "bold" : typeof styleOf === "function" ? styleOf(row) : styleOf
      return style === null ? cell : paint[style](cell)
    }
  )
