import type { TaskId } from "@troupe/domain/Ids"
import type { Task, TaskNotFound, TaskStatus } from "@troupe/domain/Task"
import { isTerminal } from "@troupe/domain/TaskState"
import { Effect, Option, Stream } from "effect"
import type { Tasks } from "../Task/Tasks.ts"
import type { Report } from "./McpTool.ts"

/** Somebody has to act, or the task has ended. */
const isSettled = ({ status }: { readonly status: TaskStatus }) => isTerminal(status) || status === "waiting_input"

/**
 * The task once it has ended or asks a question, or as it is after `seconds`. Its new log lines are reported meanwhile.
 */
export const waitFor = (
  tasks: Tasks["Type"],
  id: TaskId,
  seconds: number,
  report: Report
): Effect.Effect<Task, TaskNotFound> =>
  Effect.flatMap(tasks.find(id), (task) => {
    if (seconds === 0 || isSettled(task)) return Effect.succeed(task)
    const lastLog = Option.fromNullable(task.logs.at(-1)?.id)
    return tasks.events(id, lastLog).pipe(
      Effect.flatMap((events) =>
        events.pipe(
          Stream.tap((event) => event._tag === "log" ? report(event.entry.message) : Effect.void),
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
