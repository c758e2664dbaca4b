import type { Task } from "@troupe/domain/Task"
import { cancelText, isCut } from "@troupe/domain/TaskEnd"
import { isTerminal } from "@troupe/domain/TaskState"
import { Clock, Effect, Stream, Struct } from "effect"
import { askAndSend, type Asking } from "./AnswerCommand.ts"
import { CommandFailed } from "./CommandFailed.ts"
import { questionText, safeLine, safeText, statusText, type TextStyle } from "./Format.ts"
import { taskOf } from "./Ids.ts"
import * as LiveView from "./LiveView.ts"
import { Screen } from "./Screen.ts"
import type { Service } from "./Service.ts"
import { type AnyTaskEvent, type TaskEvent, watch, watchAll } from "./TaskEvents.ts"
import { elapsed, outputText } from "./TaskTree.ts"

const clearLine = "\r\u001b[2K"

/** An event as one line of JSON has it. */
const asJson = (event: AnyTaskEvent | TaskEvent) => {
  const task = "task_id" in event ? { task_id: event.task_id } : {}
  switch (event._tag) {
    case "log":
      return { event: "log", ...task, data: event.entry }
    case "status":
      return { event: "status", ...task, data: Struct.pick(event, "status", "error", "ended_by", "end_label") }
    case "usage":
      return { event: "usage", data: event.usage }
    case "text":
      return { event: "text", data: { delta: event.delta } }
    case "archived":
    case "restored":
    case "deleted":
      return { event: event._tag, ...task, data: null }
    case "position":
    case "reconnecting":
      return { event: event._tag, data: null }
  }
}

/** The position of a watch, from which it continues after a question. */
interface Watched {
  readonly task: Task
  readonly view: LiveView.LiveView
  readonly last: string | undefined
}

/** Shows what happens to the task until it has ended or waits for an answer. */
const follow = (
  watched: Watched,
  json: boolean
): Effect.Effect<Watched, CommandFailed, Screen | Service> =>
  Effect.gen(function*() {
    const screen = yield* Screen
    const { id } = watched.task
    const look = { paint: screen.notePaint, isLive: screen.isLive }
    const begun = (yield* Clock.currentTimeMillis) - elapsed(watched.task, yield* Clock.currentTimeMillis)
    let { last, task, view } = watched
    let tick = 0
    let hasLine = false

    const redraw = (text: string) =>
      Effect.gen(function*() {
        const line = screen.isLive && !view.isMidLine
          ? LiveView.statusLine(view, tick, (yield* Clock.currentTimeMillis) - begun, look, yield* screen.columns)
          : ""
        const clear = hasLine ? clearLine : ""
        hasLine = line !== ""
        yield* screen.note(`${clear}${text}${line}`)
      })
    const show = (event: TaskEvent) => {
      const [next, text] = LiveView.advance(view, event, look)
      view = next
      return json ? screen.jsonLine(asJson(event)) : screen.isLive || text !== "" ? redraw(text) : Effect.void
    }
    // Past events may hold questions that were answered since.
    const isWaiting = (event: TaskEvent) =>
      event._tag !== "status" || event.status !== "waiting_input"
        ? Effect.succeed(false)
        : Effect.map(taskOf(id), (found) => {
          task = found
          return found.status === "waiting_input"
        })

    const events = watch(id, last).pipe(
      Stream.tap((event) => {
        if ("id" in event) last = event.id
        return show(event)
      }),
      Stream.takeUntilEffect(isWaiting)
    )
    const ticks = Stream.tick("120 millis").pipe(
      Stream.mapEffect(() => {
        tick += 1
        return view.isMidLine ? Effect.void : redraw("")
      })
    )
    yield* Stream.runDrain(
      screen.isLive && !json ? Stream.merge(events, ticks, { haltStrategy: "left" }) : events
    ).pipe(
      Effect.ensuring(Effect.suspend(() => screen.note(`${hasLine ? clearLine : ""}${view.isMidLine ? "\n" : ""}`)))
    )
    view = { ...view, isMidLine: false }
    return {
      task: task.status === "waiting_input" && view.status === "waiting_input" ? task : yield* taskOf(id),
      view,
      last
    }
  })

/** Writes what the task came to; a failed task fails the command. */
const conclude = ({ task, view }: Watched): Effect.Effect<void, CommandFailed, Screen> =>
  Effect.gen(function*() {
    const screen = yield* Screen
    if (task.status === "failed") {
      return yield* new CommandFailed({
        reason: "failed",
        message: `${
          safeText(
            task.ended_by === "cancelled"
              ? cancelText(task.error ?? "Cancelled.", task.end_label)
              : `The task failed: ${task.error ?? "the reason is not known"}`
          )
        }\nFix the cause, then: ${screen.program} retry ${task.id}`
      })
    }
    if (isCut(task.ended_by)) {
      yield* screen.note(
        `${screen.notePaint.yellow("!")} ${safeLine(task.end_label ?? "")}; this is its result so far.\n`
      )
    }
    const wasShown = (text: string) => screen.isShared && text.trim() === view.shown.trim()
    for (const output of task.outputs) {
      const text = outputText(output, screen.paint)
      if (output.type === "file" || !wasShown(text)) yield* screen.write(text)
    }
  })

/** Watches a task to its end, through its questions where a person can answer them, and writes its outputs. */
export const watchUntilFinished = (
  id: string,
  json: boolean
): Effect.Effect<void, CommandFailed, Asking | Screen | Service> =>
  Effect.gen(function*() {
    const screen = yield* Screen
    const canAsk = screen.isInteractive && !json
    let watched: Watched = { task: yield* taskOf(id), view: LiveView.start, last: undefined }
    while (true) {
      watched = yield* follow(watched, json)
      if (isTerminal(watched.task.status) || !canAsk) break
      yield* askAndSend(watched.task)
    }
    const { task } = watched
    if (json) yield* screen.jsonLine({ event: "task", data: task })
    if (task.status === "waiting_input") {
      return yield* new CommandFailed({
        reason: "waiting",
        message: `The task waits for an answer: ${
          questionText(task)
        }\nAnswer it: ${screen.program} answer ${task.id} <text>`
      })
    }
    if (json && task.status !== "failed") return
    yield* conclude(watched)
  }).pipe(
    Effect.onInterrupt(() =>
      Effect.flatMap(
        Screen,
        ({ note, program }) => note(`\nThe task continues to run. Watch it: ${program} watch ${safeText(id)}\n`)
      )
    )
  )

/** The line for an event; empty: it is not shown. */
const eventLine = (event: AnyTaskEvent, paint: TextStyle): string => {
  switch (event._tag) {
    case "log":
      return event.entry.level === "debug"
        ? ""
        : `${paint.dim(event.task_id)}  ${LiveView.lineOf(event.entry, paint)}\n`
    case "status": {
      const reason = event.error === null ? "" : `: ${safeLine(event.error, 500)}`
      return `${paint.dim(event.task_id)}  ${statusText(event, paint)}${reason}\n`
    }
    case "archived":
    case "restored":
    case "deleted":
      return `${paint.dim(event.task_id)}  ${event._tag}\n`
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
