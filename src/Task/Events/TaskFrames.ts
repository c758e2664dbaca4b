import type { AnyTaskEvent, TaskEvent } from "@troupe/api/TaskEvent"
import type { TaskId } from "@troupe/domain/Ids"
import { advance } from "@troupe/domain/Replay"
import { emptyRun, type Run } from "@troupe/domain/Run"
import type { JournalledStep } from "@troupe/domain/Step"
import type { TaskStatus, TaskType } from "@troupe/domain/Task"
import { logsOf } from "@troupe/domain/TaskLog"
import { endedByOf, endLabelOf, statusOf } from "@troupe/domain/TaskOutcome"
import { outlineOfLog } from "@troupe/domain/TaskReaders"
import { isTerminal } from "@troupe/domain/TaskState"
import type { Position } from "./Position.ts"

/** What the events after a step of a task depend on. */
export interface Progress extends Position {
  readonly status: TaskStatus
  readonly run: Run
  readonly type: TaskType
}

interface FramedStep {
  readonly position: Progress
  readonly events: ReadonlyArray<TaskEvent>
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

export const atStart = (task: TaskId, type: TaskType): Progress => ({
  xact: 0n,
  task,
  seq: 0,
  status: "pending",
  run: emptied,
  type
})

const emptied = withoutTexts(emptyRun(""))

export const frameSteps = (after: Progress, steps: ReadonlyArray<JournalledStep>): ReadonlyArray<FramedStep> => {
  const { task, type } = after
  let { run, status } = after
  return steps.map((entry) => {
    const before = run
    run = withoutTexts(advance(run, entry.step))
    // The terminal event is the last one: what an interrupted call cost is in the task.
    const isOver = entry.step.kind === "interrupted" && isTerminal(status)
    status = statusOf(entry) ?? status
    return {
      position: { xact: after.xact, task, seq: entry.seq, status, run, type },
      events: isOver ? [] : framesOf(entry, type, isSame(usageOf(before), usageOf(run)) ? null : usageOf(run))
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
    const end = { ended_by: endedByOf(entry.step), end_label: endLabelOf(entry.step) }
    add((id) => ({ _tag: "status", id, status, error: errorOf(entry), ...end }))
  }
  return frames
}

const errorOf = ({ step }: JournalledStep): string | null =>
  step.kind === "failed" || step.kind === "cancelled" ? step.error : null

/** What a reader of the outline gets of events: all but texts, with no content in them. */
export const outlineEvents = <Event extends AnyTaskEvent | TaskEvent>(
  events: ReadonlyArray<Event>
): ReadonlyArray<Event> => events.flatMap((event) => event._tag === "text" ? [] : [outlineEvent(event)])

/** Keeps the ids, so that a stream resumes at the same place whoever reads it. */
const outlineEvent = <Event extends AnyTaskEvent | TaskEvent>(event: Event): Event => {
  switch (event._tag) {
    case "log":
      return { ...event, entry: outlineOfLog(event.entry) }
    case "status":
      return { ...event, error: null }
    default:
      return event
  }
}
