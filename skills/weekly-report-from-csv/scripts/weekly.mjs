import { lstatSync, readFileSync } from "node:fs"
import { isAbsolute, join, normalize, sep } from "node:path"
import { parseArgs } from "node:util"

// Prints a weekly report of a CSV file as Markdown: counts and sums by ISO week, and the change on the week before.

const usage = "weekly.mjs <file.csv> [--date column] [--sum column,column] [--by column] [--week 2025-W07]"
const largest = 50 * 2 ** 20
const weeksShown = 8
const groupsShown = 10

class Refused extends Error {}

/** The rows of a CSV: quoted fields may hold separators, line ends and doubled quotes (RFC 4180). */
const rowsOf = (text, separator) => {
  const rows = []
  let row = []
  let field = ""
  let quoted = false
  const endField = () => {
    row.push(field)
    field = ""
  }
  const endRow = () => {
    endField()
    if (row.length > 1 || row[0].trim() !== "") rows.push(row)
    row = []
  }
  for (let index = 0; index < text.length; index++) {
    const char = text[index]
    if (quoted) {
      if (char !== "\"") field += char
      else if (text[index + 1] === "\"") field += text[++index]
      else quoted = false
    } else if (char === "\"" && field.trim() === "") {
      field = ""
      quoted = true
    } else if (char === separator) endField()
    else if (char === "\n") endRow()
    else field += char
  }
  if (quoted) throw new Refused("a quotation mark is never closed, so the rows can't be told apart")
  if (field !== "" || row.length > 0) endRow()
  return rows
}

/** The one of the usual separators that the first line has most of, outside of quotes. */
const separatorOf = (text) => {
  const line = text.split("\n", 1)[0].replace(/"[^"]*"/g, "")
  const count = (separator) => line.split(separator).length
  return [",", ";", "\t"].reduce((best, one) => count(one) > count(best) ? one : best)
}

const day = 24 * 60 * 60 * 1000

/** Milliseconds of a day's start in UTC, or null; 02/14/2025 is refused, as it may mean two days. */
const dateOf = (text) => {
  const iso = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ].*)?$/.exec(text.trim())
  const dotted = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?: .*)?$/.exec(text.trim())
  const [year, month, date] = iso?.slice(1).map(Number) ?? dotted?.slice(1).reverse().map(Number) ?? []
  if (year === undefined) return null
  const found = new Date(Date.UTC(year, month - 1, date))
  return found.getUTCMonth() === month - 1 && found.getUTCDate() === date ? found.getTime() : null
}

/** A number as people export it: 1234.5, 1,234.50, 1 234.50, and 1.234,50 where a comma doesn't separate fields. */
const numberOf = (text, separator) => {
  const plain = text.trim().replace(/^([-+]?)\s*[$€£]\s*|\s*[$€£]$/g, "$1").replace(
    /(?<=\d)[ \u00a0\u202f'](?=\d{3})/g,
    ""
  )
  if (/^[-+]?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?$/.test(plain)) return Number(plain.replaceAll(",", ""))
  if (separator !== "," && /^[-+]?(\d+|\d{1,3}(\.\d{3})+),\d+$/.test(plain)) {
    return Number(plain.replaceAll(".", "").replace(",", "."))
  }
  return null
}

/** Monday of the week of a day. */
const mondayOf = (time) => time - ((new Date(time).getUTCDay() + 6) % 7) * day

/** A week's name by ISO 8601: it belongs to the year of its Thursday. */
const weekOf = (monday) => {
  const thursday = new Date(monday + 3 * day)
  const year = thursday.getUTCFullYear()
  return `${year}-W${String(Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * day)) + 1).padStart(2, "0")}`
}

const shown = (value) => String(Math.round(value * 100) / 100)

const change = (now, before) => {
  if (before === undefined || before === 0) return "n/a"
  const percent = Math.round((now - before) / Math.abs(before) * 1000) / 10
  return `${percent > 0 ? "+" : ""}${percent}%`
}

const cell = (text) => text.replaceAll("|", "\\|").replace(/\s+/g, " ").trim()

const table = (head, rows) =>
  [head, head.map((_, index) => index === 0 ? "---" : "---:"), ...rows].map((row) =>
    `| ${row.map((one) => cell(String(one))).join(" | ")} |`
  ).join("\n")

const columnOf = (head, name) => {
  const found = head.findIndex((one) => one.toLowerCase() === name.trim().toLowerCase())
  if (found < 0) throw new Refused(`there is no column "${name.trim()}"; there are: ${head.join(", ")}`)
  return found
}

/** The path, which must lie in the working folder and lead through no link: not every machine can confine a script. */
const inside = (path) => {
  const names = normalize(path).split(sep)
  if (isAbsolute(path) || names[0] === "..") {
    throw new Refused("the file must lie in the working folder: give a path relative to it, such as reports/sales.csv")
  }
  names.forEach((_, index) => {
    const part = join(...names.slice(0, index + 1))
    if (lstatSync(part).isSymbolicLink()) throw new Refused(`${part} is a link, which is not followed`)
  })
  return join(...names)
}

const read = (given) => {
  const path = inside(given)
  const { size } = lstatSync(path)
  if (size > largest) throw new Refused(`the file is larger than ${largest / 2 ** 20} MB`)
  return new TextDecoder("utf-8").decode(readFileSync(path)).replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n")
}

const report = (path, options) => {
  const text = read(path)
  const separator = separatorOf(text)
  const [head = [], ...rows] = rowsOf(text, separator).map((row) => row.map((field) => field.trim()))
  if (rows.length === 0) throw new Refused("the file has no rows below its head")

  const filled = (column) => rows.map((row) => row[column] ?? "").filter((field) => field !== "")
  const columns = head.map((_, index) => index)
  const dates = options.date === undefined
    ? columns.find((column) => {
      const fields = filled(column)
      return fields.length > 0 && fields.filter((field) => dateOf(field) !== null).length * 2 > fields.length
    })
    : columnOf(head, options.date)
  if (dates === undefined) {
    throw new Refused("no column has dates such as 2025-02-14, 2025/02/14 or 14.02.2025")
  }
  const sums = options.sum === undefined
    ? columns.filter((column) => {
      const fields = filled(column)
      return column !== dates && !/(^|[ _-])id$/i.test(head[column]) && fields.length > 0
        && fields.every((field) => numberOf(field, separator) !== null)
    })
    : options.sum.split(",").map((name) => columnOf(head, name))
  const by = options.by === undefined ? null : columnOf(head, options.by)

  const weeks = new Map()
  let undated = 0
  let unread = 0
  for (const row of rows) {
    const time = dateOf(row[dates] ?? "")
    if (time === null) {
      undated++
      continue
    }
    const monday = mondayOf(time)
    const week = weeks.get(monday) ?? { count: 0, totals: sums.map(() => 0), groups: new Map() }
    weeks.set(monday, week)
    const group = by === null ? null : row[by] || "(empty)"
    const part = week.groups.get(group) ?? { count: 0, totals: sums.map(() => 0) }
    if (group !== null) week.groups.set(group, part)
    week.count++
    part.count++
    for (const [index, column] of sums.entries()) {
      const field = row[column] ?? ""
      const value = numberOf(field, separator)
      if (value === null && field !== "") unread++
      week.totals[index] += value ?? 0
      part.totals[index] += value ?? 0
    }
  }
  if (weeks.size === 0) throw new Refused(`no field of "${head[dates]}" is a date such as 2025-02-14`)

  const mondays = [...weeks.keys()].sort((one, other) => one - other)
  const chosen = options.week === undefined
    ? mondays.at(-1)
    : mondays.find((monday) => weekOf(monday) === options.week.toUpperCase())
  if (chosen === undefined) {
    throw new Refused(
      `there are no rows of ${options.week}; the weeks are ${weekOf(mondays[0])} to ${weekOf(mondays.at(-1))}`
    )
  }

  const nothing = { count: 0, totals: sums.map(() => 0), groups: new Map() }
  const first = Math.max(mondays[0], chosen - (weeksShown - 1) * 7 * day)
  const listed = Array.from(
    { length: Math.round((chosen - first) / (7 * day)) + 1 },
    (_, index) => first + index * 7 * day
  )
  const names = sums.map((column) => head[column])
  const now = weeks.get(chosen)
  const before = weeks.get(chosen - 7 * day)

  const parts = [
    `## ${weekOf(chosen)} (${new Date(chosen).toISOString().slice(0, 10)} to ${
      new Date(chosen + 6 * day).toISOString().slice(0, 10)
    })`,
    table(["Week", "Rows", ...names], [
      ...listed.map((monday) => {
        const { count, totals } = weeks.get(monday) ?? nothing
        return [weekOf(monday), count, ...totals.map(shown)]
      }),
      [
        "Change",
        change(now.count, before?.count),
        ...now.totals.map((total, index) => change(total, before?.totals[index]))
      ]
    ])
  ]
  if (by !== null) {
    const groups = [...now.groups].sort(([one, left], [other, right]) =>
      (right.totals[0] ?? right.count) - (left.totals[0] ?? left.count) || (one < other ? -1 : 1)
    )
    parts.push(
      `### By ${cell(head[by])}`,
      table(
        [head[by], "Rows", ...names],
        groups.slice(0, groupsShown).map(([name, { count, totals }]) => [name, count, ...totals.map(shown)])
      )
    )
    if (groups.length > groupsShown) parts.push(`${groups.length - groupsShown} more not shown.`)
  }
  const gaps = listed.filter((monday) => !weeks.has(monday)).map(weekOf)
  parts.push([
    `Rows: ${rows.length}, of which without a readable date in "${head[dates]}": ${undated}.`,
    ...unread > 0 ? [`Fields that are no number, counted as 0: ${unread}.`] : [],
    ...gaps.length > 0 ? [`Weeks without rows: ${gaps.join(", ")}.`] : []
  ].join("\n"))
  return parts.join("\n\n")
}

try {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      date: { type: "string" },
      sum: { type: "string" },
      by: { type: "string" },
      week: { type: "string" }
    }
  })
  if (positionals.length !== 1) throw new Refused(`one file is needed: ${usage}`)
  process.stdout.write(`${report(positionals[0], values)}\n`)
} catch (error) {
  process.stderr.write(`Error: ${error.message}\n`)
  process.exitCode = 1
}
