import { Cause, Either, HashMap, Layer, List, Logger, LogLevel } from "effect"
import { stdout } from "node:process"

/** Errors become their message, and values that JSON can't represent become text. Secrets are redacted by `toJSON`. */
const replacer = () => {
  const seen = new WeakSet<object>()
  return (_key: string, value: unknown): unknown => {
    if (typeof value === "bigint" || typeof value === "function" || typeof value === "symbol") return String(value)
    if (typeof value !== "object" || value === null) return value
    if (seen.has(value)) return "[repeated]"
    seen.add(value)
    return value instanceof Error ? String(value) : value
  }
}

const joined = (message: unknown): unknown => {
  if (!Array.isArray(message)) return message
  if (message.length === 1) return message[0]
  return message.every((part) => typeof part === "string") ? message.join(" ") : message
}

const jsonLine: Logger.Logger<unknown, string> = Logger.make((entry) => {
  const head = { time: entry.date.toISOString(), level: entry.logLevel._tag.toLowerCase() }
  const line: Record<string, unknown> = { ...head, message: joined(entry.message) }
  if (!Cause.isEmpty(entry.cause)) line["cause"] = Cause.pretty(entry.cause, { renderErrorCause: true })
  if (List.isCons(entry.spans)) {
    const now = entry.date.getTime()
    line["spans"] = Object.fromEntries(Array.from(entry.spans, (span) => [span.label, now - span.startTime]))
  }
  for (const [name, value] of HashMap.entries(entry.annotations)) {
    line[name in line ? `annotation_${name}` : name] = value
  }
  return Either.try(() => JSON.stringify(line, replacer())).pipe(
    Either.getOrElse(() => JSON.stringify({ ...head, message: "an entry that can't be written as JSON" }))
  )
})

const levels = { debug: LogLevel.Debug, info: LogLevel.Info, warning: LogLevel.Warning, error: LogLevel.Error }

const loggers = { json: Logger.withConsoleLog(jsonLine), pretty: Logger.prettyLogger({ mode: "tty" }) }

export interface LogOptions {
  readonly level: keyof typeof levels
  readonly format: "auto" | keyof typeof loggers
}

export const layer = ({ format, level }: LogOptions): Layer.Layer<never> =>
  Layer.merge(
    Logger.replace(Logger.defaultLogger, loggers[format === "auto" ? stdout.isTTY ? "pretty" : "json" : format]),
    Logger.minimumLogLevel(levels[level])
  )
