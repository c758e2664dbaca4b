const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const

const listed = new Intl.ListFormat("en")

const weekdaysText = (field: string): string | null => {
  if (field === "*") return "day"
  if (field === "1-5") return "weekday"
  const names = field.split(",").map((day) => /^[0-7]$/.test(day) ? weekdays[Number(day) % 7] : undefined)
  return names.includes(undefined) ? null : listed.format(names.flatMap((name) => name ?? []))
}

const wholes = (field: string) => /^\d+$/.test(field)

const timesText = (minute: string, hour: string): string | null =>
  wholes(minute) && hour.split(",").every(wholes)
    ? listed.format(hour.split(",").map((one) => `${one.padStart(2, "0")}:${minute.padStart(2, "0")}`))
    : null

const step = (field: string) => /^\*\/(\d+)$/.exec(field)?.[1]

const intervalText = (minute: string, hour: string): string | null => {
  if (hour === "*" && minute === "*") return "Every minute"
  if (hour === "*" && step(minute) !== undefined) return `Every ${step(minute)} minutes`
  if (hour === "*" && wholes(minute)) return `Every hour at minute ${minute}`
  return wholes(minute) && step(hour) !== undefined ? `Every ${step(hour)} hours at minute ${minute}` : null
}

/** A cron of five fields in short words; null for one that is less simple. */
export const cronText = (cron: string): string | null => {
  const [minute = "", hour = "", day = "", month, weekday = "", ...rest] = cron.trim().split(/\s+/)
  if (month !== "*" || rest.length > 0) return null
  const times = timesText(minute, hour)
  if (times === null) return day === "*" && weekday === "*" ? intervalText(minute, hour) : null
  if (day !== "*") return wholes(day) && weekday === "*" ? `Day ${day} of every month at ${times}` : null
  const days = weekdaysText(weekday)
  return days === null ? null : `Every ${days} at ${times}`
}
