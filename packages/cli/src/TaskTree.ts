import type { Task, TaskOutput } from "@troupe/domain/Task"
import { cancelText } from "@troupe/domain/TaskEnd"
import { isTerminal } from "@troupe/domain/TaskState"
import { plural } from "@troupe/domain/Text"
import {
  count,
  duration,
  list,
  look,
  mark,
  millisOf,
  plainStatus,
  questionText,
  safeLine,
  safeText,
  size,
  statusText,
  table,
  type TextStyle
} from "./Format.ts"

/** How long the task has run, or took. */
export const elapsed = ({ completed_at, created_at, started_at, status, updated_at }: Task, now: number): number => {
  const begin = millisOf(started_at ?? created_at) ?? now
  return (isTerminal(status) ? millisOf(completed_at ?? updated_at) ?? now : now) - begin
}

const facts = (task: Task, now: number): string =>
  [
    ...(task.started_at === null ? [] : [duration(elapsed(task, now))]),
    plural(task.usage.model_calls, "model call"),
    plural(task.usage.tool_calls, "tool call"),
    `${count(task.tokens_used)} tokens`,
    ...(task.usage.cost === null ? [] : [`cost ${task.usage.cost.toFixed(4)}`])
  ].join(", ")

const line = (task: Task, paint: TextStyle, now: number): string =>
  `${mark(task, paint)} ${paint.bold(safeLine(task.title, 100))}`
  + `${task.agent_type === null ? "" : ` (${task.agent_type})`}  ${statusText(task, paint)}`
  + paint.dim(`  ${facts(task, now)}  ${task.id}`)

/** The task and the subtasks that it dispatched, oldest first, a line each. */
export const treeLines = (
  task: Task,
  subtasks: ReadonlyArray<Task>,
  paint: TextStyle,
  now: number
): ReadonlyArray<string> => [
  line(task, paint, now),
  ...subtasks.map((subtask, index) =>
    paint.dim(index === subtasks.length - 1 ? "\u2514\u2500 " : "\u251c\u2500 ") + line(subtask, paint, now)
  )
]

export const outputText = (output: TaskOutput, paint: TextStyle): string =>
  output.type === "file"
    ? paint.dim(`File ${safeLine(output.filename ?? "")}${output.size === null ? "" : ` (${size(output.size)})`}\n`)
    : `${safeText(output.content ?? "").trimEnd()}\n`

const logLines = ({ logs }: Task, paint: TextStyle): string =>
  table(
    logs.map((entry) => [entry.timestamp, entry.level, entry.event, safeLine(entry.message, 500)]),
    (cell, column) => column === 3 ? cell : column === 1 && cell === "error" ? paint.red(cell) : paint.dim(cell)
  )

/** Everything about a task that its user wants to know. */
export const details = (
  task: Task,
  subtasks: ReadonlyArray<Task>,
  { logs, now, paint, program }: {
    readonly logs: boolean
    readonly now: number
    readonly paint: TextStyle
    readonly program: string
  }
): string => {
  const rows = [
    ["Created", `${task.created_at} by ${task.creator}`],
    ["Progress", `${task.progress} %`],
    ...(task.token_budget === null
      ? []
      : [["Budget", `${count(task.tokens_used)} of ${count(task.token_budget)} tokens`]]),
    ...(task.max_cost === null ? [] : [["Cost", `${task.usage.total.cost ?? "unknown"} of at most ${task.max_cost}`]]),
    ...(task.max_iterations === null
      ? []
      : [["Rounds", `${task.iteration_count} of at most ${task.max_iterations}`]]),
    ...(task.continued_from === null ? [] : [["Continues", task.continued_from]]),
    ...(task.attachments.length === 0 ? [] : [["Attached", task.attachments.map((name) => safeLine(name)).join(", ")]]),
    ...(task.plan === null ? [] : [["Plan", safeLine(task.plan, 500)]]),
    ...(task.error === null ? [] : [["Error", safeLine(cancelText(task.error, task.end_label), 1000)]]),
    ...(task.question === null || isLong(task) ? [] : [["Question", safeLine(task.question, maxQuestionLine)]])
  ]
  return [
    `${treeLines(task, subtasks, paint, now).join("\n")}\n`,
    "\n",
    table(rows, (cell, column) => column === 0 ? paint.dim(cell) : cell),
    ...(logs ? ["\n", logLines(task, paint)] : []),
    ...(task.outputs.length === 0 ? [] : ["\n", ...task.outputs.map((output) => outputText(output, paint))]),
    ...(isLong(task) ? [`\n${questionText(task)}\n`] : []),
    ...(task.status === "waiting_input" ? ["\n", paint.dim(`Answer it: ${program} answer ${task.id}\n`)] : [])
  ].join("")
}

/** Of a question that fits into the table. */
const maxQuestionLine = 1_000

/** Whether a line can't show the whole question, because the question is too long or offers choices. */
const isLong = ({ choices, question }: Task): boolean =>
  question !== null && (choices.length > 0 || question.length > maxQuestionLine)

export const taskTable = (tasks: ReadonlyArray<Task>, paint: TextStyle, now: number): string =>
  list<Task>(
    ["ID", ({ id }) => id, "dim"],
    ["STATUS", plainStatus, (task) => look(task)[1]],
    ["AGE", ({ created_at }) => duration(now - (millisOf(created_at) ?? now)), "dim"],
    ["TOKENS", ({ tokens_used }) => count(tokens_used), "dim"],
    ["TITLE", ({ title }) => safeLine(title, 120)]
  )(tasks, paint)
