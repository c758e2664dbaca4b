import type { TaskEvent } from "@troupe/api/TaskEvent"
import type { TaskId } from "@troupe/domain/Ids"
import type { Task, TaskNotFound, TaskStatus } from "@troupe/domain/Task"
import { isTerminal } from "@troupe/domain/TaskState"
import { Effect, Option, Stream, Struct } from "effect"
import { taskAddress } from "../Runtime/PublicAddress.ts"
import type { Tasks } from "../Task/UseCase/Tasks.ts"
import type { ReportProgress, ToolAnswer } from "./McpTool.ts"
import { linkOf, outputUri } from "./OutputResources.ts"

/** Maximum length of a result in an answer; the whole text is a resource. */
const maxResult = 20_000

const resultOf = ({ outputs }: Task): string | null => {
  const text = outputs.findLast(({ type }) => type === "text")?.content ?? null
  return text === null || text.length <= maxResult
    ? text
    : `${text.slice(0, maxResult)}\n[cut after ${maxResult} characters; the output's resource has the whole text]`
}

/** A task in a list. */
export const taskSummary = (task: Task) => ({
  task_id: task.id,
  ...Struct.pick(task, "title", "status", "ended_by", "end_label", "progress", "question", "choices"),
  tool_call_id: task.status === "waiting_input" ? task.last_tool_call_id : null,
  ...Struct.pick(task, "creator", "created_at", "completed_at")
})

/**
 * A task with its result and its newest `logs` log lines; its outputs are links to resources. `console`: where people open
 * the console; null: nowhere that is known.
 */
export const taskReport = (task: Task, console: URL | null, logs = 0): ToolAnswer => ({
  content: {
    ...taskSummary(task),
    console_url: console === null ? null : taskAddress(console, task.id),
    plan: task.plan,
    result: resultOf(task),
    ...Struct.pick(task, "error", "tokens_used"),
    outputs: task.outputs.map(({ id, ...output }) => ({
      uri: outputUri(task.id, id),
      ...Struct.pick(output, "type", "filename", "size")
    })),
    ...(logs === 0 ? {} : {
      logs: task.logs.slice(-logs).map(({ level, message, timestamp }) => ({ timestamp, level, message }))
    })
  },
  links: task.outputs.map((output) => linkOf(task, output))
})

/** Somebody has to act, or the task has ended. */
const isSettled = ({ status }: { readonly status: TaskStatus }) => isTerminal(status) || status === "waiting_input"

/** Reports an event: log lines, and the model's text as it comes, in lines or pieces of some length. */
const makeReportEvent = (report: ReportProgress) => {
  let text = ""
  const flush = (length: number) => {
    const piece = text.slice(0, length).trim()
    text = text.slice(length)
    return piece === "" ? Effect.void : report(piece)
  }
  return (event: TaskEvent): Effect.Effect<void> =>
    Effect.suspend(() => {
      switch (event._tag) {
        case "text":
          text += event.delta
          return text.length < pieceLength && !event.delta.includes("\n")
            ? Effect.void
            : flush(text.lastIndexOf("\n") + 1 || text.length)
        case "log":
          return Effect.zipRight(flush(text.length), report(event.entry.message))
        default:
          return Effect.void
      }
    })
}

const pieceLength = 200

/**
 * The task once it has ended or asks a question, or as it is after `seconds`. Meanwhile, log lines and the model's text
 * are reported: of a new task all log lines, of another task those written after the call began.
 */
const waitFor = (
  tasks: Tasks["Type"],
  id: TaskId,
  seconds: number,
  report: ReportProgress | null,
  isNew: boolean
): Effect.Effect<Task, TaskNotFound> =>
  Effect.flatMap(tasks.find(id), (task) => {
    if (seconds === 0 || isSettled(task) && !isNew) return Effect.succeed(task)
    const seen = isNew ? Option.none() : Option.fromNullable(task.logs.at(-1)?.id)
    return tasks.events(id, seen).pipe(
      Effect.flatMap((events) =>
        events.pipe(
          Stream.tap(report === null ? () => Effect.void : makeReportEvent(report)),
          Stream.filter((event) => event._tag === "status" && isSettled(event)),
          // The first event may be of an earlier question.
          Stream.mapEffect(() => tasks.find(id)),
          Stream.filter(isSettled),
          Stream.runHead
        )
      ),
      Effect.timeoutOption(`${seconds} seconds`),
      Effect.flatMap((settled) =>
        Option.match(Option.flatten(settled), {
          onNone: () => tasks.find(id),
          onSome: Effect.succeed
        })
      )
    )
  })

/** Reports a task that has ended or asks a question, else as it is after `seconds`. */
export const reportAfter = (
  tasks: Tasks["Type"],
  id: TaskId,
  seconds: number,
  report: ReportProgress | null,
  { console, isNew = false, logs = 0 }: {
    readonly console: URL | null
    readonly isNew?: boolean
    readonly logs?: number
  }
): Effect.Effect<ToolAnswer, TaskNotFound> =>
  Effect.map(waitFor(tasks, id, seconds, report, isNew), (task) => taskReport(task, console, logs))
