import type { Task, TaskStep } from "@troupe/client"
import { makeTimeScale, type Span, type TimeScale } from "./TimeScale.ts"

export type WorkKind = "model" | "tool" | "subtask" | "crash" | "point"

/** A bar of the waterfall. */
export interface Bar extends Span {
  readonly kind: WorkKind
}

/** A line of the waterfall: a step, or a subtask below the step that made it. */
export type Line =
  | {
    readonly _tag: "step"
    readonly id: string
    readonly step: TaskStep
    readonly bar: Bar
    readonly waited: Span | null
  }
  | { readonly _tag: "subtask"; readonly id: string; readonly task: Task; readonly bar: Bar }

export interface Timeline {
  readonly lines: ReadonlyArray<Line>
  readonly scale: TimeScale
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

/** The lines for the steps that are loaded, newest first, on one scale. `now` is where work that goes on ends. */
export const makeTimeline = (
  task: Task,
  steps: ReadonlyArray<TaskStep>,
  subtasks: ReadonlyArray<Task>,
  now: number
): Timeline => {
  const byId = new Map(subtasks.map((subtask) => [subtask.id, subtask]))
  const lines: Array<Line> = []
  steps.forEach((step, index) => {
    const bar = barOf(step)
    const before = steps[index + 1]
    const since = before === undefined ? (step.seq === 1 ? Date.parse(task.created_at) : null) : Date.parse(before.at)
    const waited = since !== null && endsWait.has(step.kind) && bar.from - since > minWait
      ? { from: since, to: bar.from }
      : null
    for (const { task_id } of step.subtasks.toReversed()) {
      const subtask = byId.get(task_id)
      if (subtask !== undefined) {
        lines.push({ _tag: "subtask", id: subtask.id, task: subtask, bar: subtaskBar(subtask, now) })
      }
    }
    lines.push({ _tag: "step", id: String(step.seq), step, bar, waited })
  })
  const begins = lines.flatMap((line) =>
    line._tag === "step" && line.waited !== null ? [{ from: line.waited.from, to: line.waited.from }] : []
  )
  return { lines, scale: makeTimeScale([...lines.map(({ bar }) => bar), ...begins]) }
}
