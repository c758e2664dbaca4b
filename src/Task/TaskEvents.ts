import type { TaskId } from "@troupe/domain/Ids"
import { emptyRun, replay } from "@troupe/domain/Run"
import type { JournalledStep } from "@troupe/domain/Step"
import { logsOf, statusOf } from "@troupe/domain/TaskLog"
import { isTerminal } from "@troupe/domain/TaskState"
import { Effect, Option, Stream } from "effect"
import type { Journal } from "./Journal.ts"
import type { TaskEvent } from "./Tasks.ts"
import type { Stepped } from "./TaskSignals.ts"

/** How often a live view looks by itself; hints make it look sooner. */
const pollInterval = "2 seconds"

/** A place in a task's stream of events: the frame `index` of step `seq`. */
interface Position {
  readonly seq: number
  readonly index: number
}

export const parsePosition = (id: string): Option.Option<Position> => {
  const match = /^(\d{1,9})\.(\d{1,9})$/.exec(id)
  return match === null ? Option.none() : Option.some({ seq: Number(match[1]), index: Number(match[2]) })
}

/** The frames of a step, in order: its log lines, the usage after a model call, and the status it led to. */
export const framesOf = (entry: JournalledStep, usage: TaskUsage): ReadonlyArray<TaskEvent> => {
  const status = statusOf(entry)
  const logs = logsOf(entry).map((log): TaskEvent => ({ _tag: "log", id: log.id, entry: log }))
  const frames = [...logs]
  const add = (event: (id: string) => TaskEvent) => frames.push(event(`${entry.seq}.${frames.length}`))
  if (entry.step.kind === "model" || entry.step.kind === "compacted") add((id) => ({ _tag: "usage", id, usage }))
  if (status !== null) add((id) => ({ _tag: "status", id, status, error: errorOf(entry) }))
  return frames
}

type TaskUsage = Extract<TaskEvent, { readonly _tag: "usage" }>["usage"]

const errorOf = ({ step }: JournalledStep): string | null =>
  step.kind === "failed" || step.kind === "cancelled" ? step.error : null

const started: TaskEvent = { _tag: "status", id: "0.0", status: "pending", error: null }

/**
 * Everything after `after`, then what comes, without a gap, from any process: the journal is read by step number,
 * when a hint or the poll says so. It ends with the terminal status, or when the task is removed.
 */
export const taskEvents = (
  id: TaskId,
  after: Option.Option<Position>,
  ports: {
    readonly journal: Journal["Type"]
    readonly stepped: Stream.Stream<Stepped>
    readonly exists: Effect.Effect<boolean>
  }
): Stream.Stream<TaskEvent> =>
  Stream.unwrap(Effect.sync(() => {
    const from = Option.getOrElse(after, () => ({ seq: 0, index: -1 }))
    let run = emptyRun("")
    let seen = 0
    let isOver = false

    const look = Effect.gen(function*() {
      const steps = yield* ports.journal.read(id, seen)
      if (steps.length === 0) isOver ||= !(yield* ports.exists)
      const events: Array<TaskEvent> = []
      for (const entry of steps) {
        seen = entry.seq
        run = replay(run, [entry.step])
        const usage = {
          input_tokens: run.inputTokens,
          output_tokens: run.outputTokens,
          model_calls: run.modelCalls,
          tool_calls: run.toolCalls
        }
        framesOf(entry, usage).forEach((frame, index) => {
          if (entry.seq > from.seq || (entry.seq === from.seq && index > from.index)) events.push(frame)
        })
        const status = statusOf(entry)
        if (status !== null) isOver = isTerminal(status)
      }
      return events
    })
    const hints = Stream.merge(
      Stream.tick(pollInterval),
      Stream.filter(ports.stepped, (tasks) => tasks === null || tasks.has(id))
    ).pipe(Stream.buffer({ capacity: 1, strategy: "sliding" }))
    const opening = Option.isNone(after) ? Stream.succeed(started) : Stream.empty
    const steps = hints.pipe(
      Stream.mapEffect(() => look),
      Stream.takeUntil(() => isOver),
      Stream.flattenIterables
    )
    return Stream.concat(opening, steps)
  }))
