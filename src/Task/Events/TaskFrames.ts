import type { AnyTaskEvent, TaskEvent } from "@troupe/api/TaskEvent"
import { advance } from "@troupe/domain/Replay"
import { emptyRun, type Run } from "@troupe/domain/Run"
import type { JournalledStep } from "@troupe/domain/Step"
import type { TaskStatus, TaskType } from "@troupe/domain/Task"
import { logsOf } from "@troupe/domain/TaskLog"
import { endedByOf, statusOf } from "@troupe/domain/TaskOutcome"
import { outlineOfLog } from "@troupe/domain/TaskReaders"
import { isTerminal } from "@troupe/domain/TaskState"
import { Option } from "effect"

export interface Position {
  readonly seq: number
  readonly index: number
}

export const parsePosition = (id: string): Option.Option<Position> => {
  const match = /^(\d{1,9})\.(\d{1,9})$/.exec(id)
  return match === null ? Option.none() : Option.some({ seq: Number(match[1]), index: Number(match[2]) })
}

export interface Progress {
  readonly seq: number
  readonly status: TaskStatus
  readonly run: Run
  readonly type: TaskType
}

export interface FramedStep {
  readonly progress: Progress
  readonly frames: ReadonlyArray<TaskEvent>
}

// The usage needs no messages, and a watched task must not keep its conversation in memory.
const withoutTexts = (run: Run): Run => ({
  ...run,
  messages: [],
  compaction: null,
  prepared: null,
  lastText: "",
  again: null,
  attachments: []
})

export const atStart = (type: TaskType): Progress => ({ seq: 0, status: "pending", run: emptied, type })

const emptied = withoutTexts(emptyRun(""))

export const frameSteps = (after: Progress, steps: ReadonlyArray<JournalledStep>): ReadonlyArray<FramedStep> => {
  const { type } = after
  let { run, status } = after
  return steps.map((entry) => {
    const before = run
    run = withoutTexts(advance(run, entry.step))
    // The terminal event is the last one: what an interrupted call cost is in the task.
    const isOver = entry.step.kind === "interrupted" && isTerminal(status)
    status = statusOf(entry) ?? status
    return {
      progress: { seq: entry.seq, status, run, type },
      frames: isOver ? [] : framesOf(entry, type, isSame(usageOf(before), usageOf(run)) ? null : usageOf(run))
    }
  })
}

type TaskUsage = Extract<TaskEvent, { readonly _tag: "usage" }>["usage"]

const usageOf = (run: Run): TaskUsage => ({
  input_tokens: run.inputTokens,
  output_tokens: run.outputTokens,
  model_calls: run.modelCalls,
  tool_calls: run.toolCalls,
  cost: run.cost
})

const isSame = (one: TaskUsage, other: TaskUsage): boolean =>
  one.input_tokens === other.input_tokens && one.output_tokens === other.output_tokens
  && one.model_calls === other.model_calls

/** The frames of a step, in order: its log lines, the usage where a model call changed it, and the status it led to. */
export const framesOf = (
  entry: JournalledStep,
  type: TaskType,
  usage: TaskUsage | null
): ReadonlyArray<TaskEvent> => {
  const status = statusOf(entry)
  const logs = logsOf(entry, type).map((log): TaskEvent => ({ _tag: "log", id: log.id, entry: log }))
  const frames = [...logs]
  const add = (event: (id: string) => TaskEvent) => frames.push(event(`${entry.seq}.${frames.length}`))
  if (usage !== null) add((id) => ({ _tag: "usage", id, usage }))
  if (status !== null) {
    add((id) => ({ _tag: "status", id, status, error: errorOf(entry), ended_by: endedByOf(entry.step) }))
  }
  return frames
}

const errorOf = ({ step }: JournalledStep): string | null =>
  step.kind === "failed" || step.kind === "cancelled" ? step.error : null

/** What a reader of the outline gets of a task's events: all but texts, with no content in them. */
export const outlineEvents = (events: ReadonlyArray<TaskEvent>): ReadonlyArray<TaskEvent> =>
  events.flatMap((event): ReadonlyArray<TaskEvent> => event._tag === "text" ? [] : [outlineEvent(event)])

/** Keeps the ids, so that a stream resumes at the same place whoever reads it. */
export const outlineEvent = <Event extends AnyTaskEvent | TaskEvent>(event: Event): Event => {
  switch (event._tag) {
    case "log":
      return { ...event, entry: outlineOfLog(event.entry) }
    case "status":
      return { ...event, error: null }
    default:
      return event
  }
}
