import { Effect, Stream } from "effect"
import type { CommandFailed } from "./CommandFailed.ts"
import { statusText } from "./Format.ts"
import { lineOf } from "./LiveView.ts"
import { safeLine } from "./SafeText.ts"
import { Screen } from "./Screen.ts"
import type { Service } from "./Service.ts"
import { watchAll } from "./TaskEvents.ts"
import type { TextStyle } from "./TextStyle.ts"

type Event = Stream.Stream.Success<typeof watchAll>

const asJson = (event: Event) => {
  switch (event._tag) {
    case "log":
      return { event: "log", task_id: event.task_id, data: event.entry }
    case "status":
      return { event: "status", task_id: event.task_id, data: { status: event.status, error: event.error } }
    default:
      return { event: event._tag, data: null }
  }
}

/** The line for an event; empty: it is not shown. */
export const eventLine = (event: Event, paint: TextStyle): string => {
  switch (event._tag) {
    case "log":
      return event.entry.level === "debug" ? "" : `${paint.dim(event.task_id)}  ${lineOf(event.entry, paint)}\n`
    case "status": {
      const reason = event.error === null ? "" : `: ${safeLine(event.error, 500)}`
      return `${paint.dim(event.task_id)}  ${statusText(event.status, paint)}${reason}\n`
    }
    default:
      return ""
  }
}

/** Writes what happens to all tasks from now on, a line an event, until it is interrupted. */
export const followAll = (json: boolean): Effect.Effect<void, CommandFailed, Screen | Service> =>
  Effect.flatMap(Screen, (screen) =>
    Stream.runForEach(watchAll, (event) => {
      if (json) return screen.jsonLine(asJson(event))
      if (event._tag === "position") return screen.note("Watching all tasks. Ctrl-C ends it.\n")
      if (event._tag === "reconnecting") {
        return screen.note(`${screen.notePaint.yellow("!")} Connection lost; connecting again\n`)
      }
      return screen.write(eventLine(event, screen.paint))
    }))
