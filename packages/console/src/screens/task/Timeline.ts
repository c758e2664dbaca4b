import type { Task, TaskStep } from "@troupe/client"
import { makeTimeScale, type Span, type TimeScale } from "./TimeScale.ts"

export type WorkKind = "model" | "tool" | "subtask" | "crash" | "wait" | "point"

/** A step of the task, or of one of its subtasks. */
export interface StepAddress {
  readonly taskId: string
  readonly seq: number
}

/** A bar of the waterfall. */
export interface Bar extends Span {
  readonly kind: WorkKind
}

/** A line of the waterfall: a step of the task or of an unfolded subtask, a subtask, or what the task waits for now. */
export type Line =
  | {
    readonly _tag: "step"
    readonly id: string
    readonly taskId: string
    readonly isOfSubtask: boolean
    readonly step: TaskStep
    readonly bar: Bar
    readonly waited: Span | null
  }
  | { readonly _tag: "subtask"; readonly id: string; readonly task: Task; readonly bar: Bar }
  | {
    /** Calls of one tool, one after the other. */
    readonly _tag: "loop"
    readonly id: string
    /** The ids of its lines, the first one that is shown first. */
    readonly lines: readonly [string, ...ReadonlyArray<string>]
    readonly name: string
    readonly count: number
    readonly isOpen: boolean
    readonly bar: Bar
  }
  | { readonly _tag: "wait"; readonly id: string; readonly wait: NonNullable<Task["waiting_for"]>; readonly bar: Bar }

export interface Timeline {
  readonly lines: ReadonlyArray<Line>
  readonly scale: TimeScale
}

/** What the lines are made of. */
export interface Journal {
  readonly task: Task
  /** Those that are loaded, newest first. */
  readonly steps: ReadonlyArray<TaskStep>
  readonly subtasks: ReadonlyArray<Task>
  /** The steps of the subtasks that are unfolded, newest first. */
  readonly unfolded: ReadonlyMap<string, ReadonlyArray<TaskStep>>
  /** Where work and waits that go on end. */
  readonly now: number
}

const kindOf = ({ kind }: TaskStep): WorkKind => {
  switch (kind) {
    case "model":
    case "compacted":
    case "prepared":
    case "forced":
      return "model"
    case "results":
      return "tool"
    case "crashed":
    case "failed":
    case "model_failed":
      return "crash"
    default:
      return "point"
  }
}

/** Steps before which the task waited: in a queue, for a person, a time or subtasks. */
const endsWait = new Set<TaskStep["kind"]>(["woken", "answered", "steered", "retried"])

/** Shorter times are the work of the service itself. */
const minWait = 100

const barOf = (step: TaskStep): Bar => {
  const to = Date.parse(step.at)
  return { kind: kindOf(step), from: to - (step.duration_ms ?? 0), to }
}

const subtaskBar = (task: Task, now: number): Bar => {
  const from = Date.parse(task.started_at ?? task.created_at)
  return { kind: "subtask", from, to: task.completed_at === null ? Math.max(now, from) : Date.parse(task.completed_at) }
}

const waitBefore = (task: Task, step: TaskStep, before: TaskStep | undefined, { from }: Bar): Span | null => {
  const since = before === undefined ? (step.seq === 1 ? Date.parse(task.created_at) : null) : Date.parse(before.at)
  return since !== null && endsWait.has(step.kind) && from - since > minWait ? { from: since, to: from } : null
}

/** What the task waits for at this moment, above its steps. */
const waitLine = ({ now, task: { waiting_for: wait } }: Journal): ReadonlyArray<Line> => {
  if (wait === null) return []
  const from = Date.parse(wait.since)
  return [{ _tag: "wait", id: "wait", wait, bar: { kind: "wait", from, to: Math.max(now, from) } }]
}

const subtaskLines = (task: Task, { now, unfolded }: Journal): ReadonlyArray<Line> => {
  const steps = unfolded.get(task.id) ?? []
  return [
    { _tag: "subtask", id: task.id, task, bar: subtaskBar(task, now) },
    ...steps.map((step, index): Line => {
      const bar = barOf(step)
      const waited = waitBefore(task, step, steps[index + 1], bar)
      return { _tag: "step", id: `${task.id}.${step.seq}`, taskId: task.id, isOfSubtask: true, step, bar, waited }
    })
  ]
}

/** The lines for the steps that are loaded, newest first, on one scale. */
export const makeTimeline = (journal: Journal): Timeline => {
  const { steps, subtasks, task } = journal
  const byId = new Map(subtasks.map((subtask) => [subtask.id, subtask]))
  const lines: Array<Line> = [...waitLine(journal)]
  steps.forEach((step, index) => {
    const bar = barOf(step)
    for (const { task_id } of step.subtasks.toReversed()) {
      const subtask = byId.get(task_id)
      if (subtask !== undefined) lines.push(...subtaskLines(subtask, journal))
    }
    const waited = waitBefore(task, step, steps[index + 1], bar)
    lines.push({ _tag: "step", id: String(step.seq), taskId: task.id, isOfSubtask: false, step, bar, waited })
  })
  // Waits are idle time: only where they begin and end is on the scale.
  const spans = lines.flatMap((line): ReadonlyArray<Span> => {
    if (line._tag === "wait") {
      return [{ from: line.bar.from, to: line.bar.from }, { from: line.bar.to, to: line.bar.to }]
    }
    return line._tag === "step" && line.waited !== null
      ? [line.bar, { from: line.waited.from, to: line.waited.from }]
      : [line.bar]
  })
  return { lines, scale: makeTimeScale(spans) }
}
