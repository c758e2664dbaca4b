import type { TaskLogEntry, TaskStatus } from "@troupe/domain/Task"
import { plural } from "@troupe/domain/Text"
import { count, duration, safeLine, safeText, type TextStyle } from "./Format.ts"
import type { TaskEvent } from "./TaskEvents.ts"

/** What a watcher has seen of a task, and where the cursor is. */
export interface LiveView {
  readonly status: TaskStatus
  readonly tokens: number
  readonly modelCalls: number
  /** The text of the current answer as far as it was streamed. */
  readonly streamed: string
  /** The last text that was shown in full. */
  readonly shown: string
  readonly isMidLine: boolean
}

export const start: LiveView = {
  status: "pending",
  tokens: 0,
  modelCalls: 0,
  streamed: "",
  shown: "",
  isMidLine: false
}

export interface ViewOptions {
  readonly paint: TextStyle
  /** Texts are shown as they are written; otherwise only whole lines are. */
  readonly isLive: boolean
}

const textOf = ({ data }: TaskLogEntry, name: string): string => {
  if (typeof data !== "object" || data === null) return ""
  const value: unknown = Reflect.get(data, name)
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value)
}

/** A log entry as one line. */
export const lineOf = (entry: TaskLogEntry, paint: TextStyle): string => {
  const message = safeLine(entry.message, 500)
  switch (entry.event) {
    case "tool_call": {
      const given = textOf(entry, "arguments")
      return given === ""
        ? paint.dim(`\u2192 ${message}`)
        : `${paint.cyan("\u2192")} ${paint.bold(message)} ${paint.dim(safeLine(given, 160))}`
    }
    case "tool_result":
      return entry.level === "info" ? `${paint.green("\u2713")} ${message}` : `${paint.red("\u2717")} ${message}`
    default:
      return entry.level === "error"
        ? `${paint.red("\u2717")} ${message}`
        : entry.level === "warning"
        ? `${paint.yellow("!")} ${message}`
        : paint.dim(`\u00b7 ${message}`)
  }
}

/** Ends the line on which a text stops. */
const lineEnd = ({ isMidLine }: LiveView) => isMidLine ? "\n" : ""

/** The view after an event, and what to write for it. */
export const advance = (
  view: LiveView,
  event: TaskEvent,
  { isLive, paint }: ViewOptions
): readonly [LiveView, string] => {
  switch (event._tag) {
    case "text": {
      const delta = safeText(event.delta)
      if (!isLive || delta === "") return [view, ""]
      return [{ ...view, streamed: view.streamed + delta, isMidLine: !delta.endsWith("\n") }, delta]
    }
    case "log": {
      const { entry } = event
      if (entry.level === "debug") return [view, ""]
      const text = entry.event === "model" ? safeText(textOf(entry, "text")) : ""
      const isShown = text === "" || text.trim() === view.streamed.trim()
      const whole = isShown || !isLive ? "" : `${text.trimEnd()}\n`
      const next = entry.event === "model"
        ? { ...view, streamed: "", shown: isLive ? text : view.shown, isMidLine: false }
        : { ...view, isMidLine: false }
      return [next, `${lineEnd(view)}${whole}${lineOf(entry, paint)}\n`]
    }
    case "usage": {
      const { input_tokens, model_calls, output_tokens } = event.usage
      return [{ ...view, tokens: input_tokens + output_tokens, modelCalls: model_calls }, ""]
    }
    case "status":
      return [{ ...view, status: event.status }, ""]
    case "reconnecting":
      return [
        { ...view, streamed: "", isMidLine: false },
        `${lineEnd(view)}${paint.yellow("!")} Connection lost; connecting again\n`
      ]
  }
}

const frames = ["\u280b", "\u2819", "\u2839", "\u2838", "\u283c", "\u2834", "\u2826", "\u2827", "\u2807", "\u280f"]

/** The line below the steps, rewritten while the task runs; it contains no text of the task. */
export const statusLine = (
  view: LiveView,
  tick: number,
  millis: number,
  { paint }: ViewOptions,
  columns: number
): string => {
  const facts = [
    view.status.replace("_", " for "),
    ...(view.modelCalls === 0 ? [] : [plural(view.modelCalls, "model call")]),
    ...(view.tokens === 0 ? [] : [`${count(view.tokens)} tokens`]),
    duration(millis)
  ].join(" \u00b7 ")
  return `${paint.cyan(frames[tick % frames.length] ?? "")} ${paint.dim(facts.slice(0, Math.max(0, columns - 3)))}`
}
