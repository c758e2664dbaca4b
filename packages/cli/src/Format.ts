import type { TaskStatus } from "@troupe/domain/Task"
import { DateTime, Option } from "effect"
import type { TextStyle } from "./TextStyle.ts"

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

export const mark = (status: TaskStatus, paint: TextStyle): string => {
  const [symbol, style] = marks[status]
  return paint[style](symbol)
}

export const statusText = (status: TaskStatus, paint: TextStyle): string => paint[marks[status][1]](status)

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
