import { advance, emptyRun, type Run } from "@troupe/domain/Run"
import type { JournalledStep } from "@troupe/domain/Step"
import { logsOf, statusOf } from "@troupe/domain/TaskLog"
import { isTerminal } from "@troupe/domain/TaskState"
import { Option } from "effect"
import type { TaskEvent } from "./Tasks.ts"

/** A place in a task's stream of events: the frame `index` of step `seq`. */
export interface Position {
  readonly seq: number
  readonly index: number
}

export const parsePosition = (id: string): Option.Option<Position> => {
  const match = /^(\d{1,9})\.(\d{1,9})$/.exec(id)
  return match === null ? Option.none() : Option.some({ seq: Number(match[1]), index: Number(match[2]) })
}

/** How far the journal of a task has been read, with the run as far as its usage depends on it. */
export interface Progress {
  readonly seq: number
  readonly run: Run
}

/** A step as its watchers receive it: shared by all of them. */
export interface FramedStep {
  readonly progress: Progress
  readonly frames: ReadonlyArray<TaskEvent>
  /** Null: the step leaves the task's status as it is. */
  readonly isOver: boolean | null
}

// Messages have no part in the usage, and a watched task would keep its whole conversation in memory.
const withoutTexts = (run: Run): Run => ({
  ...run,
  messages: [],
  compaction: null,
  prepared: null,
  lastText: "",
  attachments: []
})

export const atStart: Progress = { seq: 0, run: withoutTexts(emptyRun("")) }

/** Frames steps that follow `after`, in order. */
export const frameSteps = (after: Progress, steps: ReadonlyArray<JournalledStep>): ReadonlyArray<FramedStep> => {
  let { run } = after
  return steps.map((entry) => {
    const before = run
    run = withoutTexts(advance(run, entry.step))
    const status = statusOf(entry)
    return {
      progress: { seq: entry.seq, run },
      frames: framesOf(entry, isSame(usageOf(before), usageOf(run)) ? null : usageOf(run)),
      isOver: status === null ? null : isTerminal(status)
    }
  })
}

type TaskUsage = Extract<TaskEvent, { readonly _tag: "usage" }>["usage"]

const usageOf = (run: Run): TaskUsage => ({
  input_tokens: run.inputTokens,
  output_tokens: run.outputTokens,
  model_calls: run.modelCalls,
  tool_calls: run.toolCalls
})

const isSame = (one: TaskUsage, other: TaskUsage): boolean =>
  one.input_tokens === other.input_tokens && one.output_tokens === other.output_tokens
  && one.model_calls === other.model_calls

/** The frames of a step, in order: its log lines, the usage where a model call changed it, and the status it led to. */
const framesOf = (entry: JournalledStep, usage: TaskUsage | null): ReadonlyArray<TaskEvent> => {
  const status = statusOf(entry)
  const logs = logsOf(entry).map((log): TaskEvent => ({ _tag: "log", id: log.id, entry: log }))
  const frames = [...logs]
  const add = (event: (id: string) => TaskEvent) => frames.push(event(`${entry.seq}.${frames.length}`))
  if (usage !== null) add((id) => ({ _tag: "usage", id, usage }))
  if (status !== null) add((id) => ({ _tag: "status", id, status, error: errorOf(entry) }))
  return frames
}

const errorOf = ({ step }: JournalledStep): string | null =>
  step.kind === "failed" || step.kind === "cancelled" ? step.error : null
