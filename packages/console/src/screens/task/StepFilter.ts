import type { TaskStep } from "@troupe/client"
import type { Line } from "./Timeline.ts"

/** What a person looks for among steps. */
export const stepKinds = {
  model: "Model calls",
  tool: "Tool calls",
  person: "People",
  subtask: "Subtasks",
  problem: "Problems",
  service: "Service"
} as const

export type StepKind = keyof typeof stepKinds

export interface StepFilter {
  readonly words: string
  readonly kind: StepKind | undefined
}

export const hasFilter = ({ kind, words }: StepFilter): boolean => kind !== undefined || words.trim() !== ""

const isProblem = (step: TaskStep): boolean =>
  ["cancelled", "crashed", "failed", "forced", "interrupted", "model_failed"].includes(step.kind)
  || step.ended_by === "budget" || step.ended_by === "limit"
  || step.results.some(({ content }) => content.startsWith("Error:"))

const kindsOf = (step: TaskStep): ReadonlyArray<StepKind> => {
  const problem: ReadonlyArray<StepKind> = isProblem(step) ? ["problem"] : []
  switch (step.kind) {
    case "model":
      return ["model", ...problem]
    case "results":
      return [step.status === "waiting_input" ? "person" : "tool", ...problem]
    case "started":
    case "progressed":
      return ["tool"]
    case "dispatched":
      return ["subtask"]
    case "answered":
    case "steered":
    case "cancelled":
    case "retried":
      return ["person", ...problem]
    default:
      return problem.length > 0 ? problem : ["service"]
  }
}

const wordsOf = ({ calls, results, text, thinking, title }: TaskStep): string =>
  [
    title,
    text,
    thinking,
    ...calls.flatMap(({ arguments: given, name }) => [name, given]),
    ...results.flatMap(({ content, name }) => [name, content])
  ].join("\n").toLowerCase()

const isFound = (line: Line, { kind, words }: StepFilter): boolean => {
  const sought = words.trim().toLowerCase()
  switch (line._tag) {
    case "wait":
      return kind === undefined && sought === ""
    case "subtask":
      return (kind === undefined || kind === "subtask") && line.task.title.toLowerCase().includes(sought)
    case "step":
      return (kind === undefined || kindsOf(line.step).includes(kind)) && wordsOf(line.step).includes(sought)
    case "loop":
      return true
  }
}

/** The tool that a step is about and no other; null for one with words of the model or a status. */
const toolOf = ({ calls, kind, results, status, text }: TaskStep): string | null => {
  if (status !== null || text !== null) return null
  const names = new Set([...calls, ...results].map(({ name }) => name))
  const [name] = names
  return (kind === "model" || kind === "results") && names.size === 1 ? name ?? null : null
}

/** Calls of one tool, one after the other, from which on they are one line. */
const fewest = 5

type StepLine = Extract<Line, { _tag: "step" }>

const loopOf = (
  name: string,
  lines: ReadonlyArray<StepLine>,
  isOpen: (line: StepLine) => boolean
): ReadonlyArray<Line> => {
  const count = lines.reduce((sum, { step }) => sum + step.calls.length, 0)
  const [first, ...others] = lines
  if (first === undefined || count < fewest) return lines
  const open = lines.some(isOpen)
  const last = others.at(-1) ?? first
  const loop: Line = {
    _tag: "loop",
    id: `loop.${first.id}`,
    lines: [first.id, ...others.map(({ id }) => id)],
    name,
    count,
    isOpen: open,
    bar: {
      kind: "tool",
      from: Math.min(first.bar.from, last.bar.from),
      to: Math.max(first.bar.to, last.bar.to)
    }
  }
  return open ? [loop, ...lines] : [loop]
}

/** Puts what repeats one tool into one line, with its steps below it where one of them is open. */
const withLoops = (lines: ReadonlyArray<Line>, isOpen: (line: StepLine) => boolean): ReadonlyArray<Line> => {
  const shown: Array<Line> = []
  let name: string | null = null
  let run: Array<StepLine> = []
  const close = () => {
    shown.push(...(name === null ? run : loopOf(name, run, isOpen)))
    run = []
  }
  for (const line of lines) {
    const tool = line._tag === "step" ? toolOf(line.step) : null
    if (line._tag === "step" && tool !== null) {
      if (tool !== name || run[0]?.taskId !== line.taskId) close()
      name = tool
      run.push(line)
    } else {
      close()
      name = null
      shown.push(line)
    }
  }
  close()
  return shown
}

/** The lines, newest first, that match the filter; without one, loops are one line each. */
export const shownLines = (
  lines: ReadonlyArray<Line>,
  { filter, isGrouped, isOpen, isOldestFirst }: {
    readonly filter: StepFilter
    readonly isGrouped: boolean
    readonly isOldestFirst: boolean
    /** Whether the loop of this line is unfolded. */
    readonly isOpen: (line: StepLine) => boolean
  }
): ReadonlyArray<Line> => {
  const found = hasFilter(filter) ? lines.filter((line) => isFound(line, filter)) : lines
  if (!isOldestFirst) return isGrouped && !hasFilter(filter) ? withLoops(found, isOpen) : found
  // A loop stands above its steps in either order.
  const turned = found.toReversed()
  return isGrouped && !hasFilter(filter) ? withLoops(turned, isOpen) : turned
}
