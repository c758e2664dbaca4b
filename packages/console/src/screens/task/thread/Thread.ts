import type { Approval, TaskStep } from "@troupe/client"
import { isOpen } from "../approvals/ApprovalText.ts"
import { isFinished } from "../TaskState.ts"
import type { NoteTone, Part, SentMessage, ThreadItem, ThreadSource, Work } from "./ThreadItem.ts"

type Mutable<A> = { -readonly [Key in keyof A]: A[Key] }
type Question = Mutable<Extract<ThreadItem, { _tag: "question" }>>
type Call = Mutable<Extract<Work, { _tag: "call" }>>

/** The items that later steps may still add to, while the thread is made from the steps. */
interface Progress {
  run: Array<Work> | null
  question: Question | null
  ended: TaskStep | null
  /** Calls of the model's last turn. */
  turn: ReadonlySet<string>
  /** The approvals that a question has shown. */
  readonly shown: Set<string>
}

/** Tools whose calls have items of their own. */
const hasItem = new Set(["ask_human", "dispatch_subagent"])

/** What is compared to recognise a message among those that were read. */
const markOf = (text: string): string => text.trim().slice(0, 200)

const isRead = ({ after, text }: SentMessage, steps: ReadonlyArray<TaskStep>): boolean =>
  steps.some((step) => step.kind === "steered" && step.seq > after && step.text?.includes(markOf(text)) === true)

const endNote = (step: TaskStep): string | null =>
  step.kind === "forced" || step.ended_by === "limit" || step.ended_by === "budget" ? step.title : null

/** Makes the items of one task; of the tasks of a thread, one maker each. */
const itemsOf = (part: Part, source: ThreadSource, depth: number): ReadonlyArray<ThreadItem> => {
  const { task } = part
  const items: Array<ThreadItem> = []
  const calls = new Map<string, Call>()
  const placed = (id: string) => ({ id: `${task.id}.${id}`, taskId: task.id, depth })
  const ofStep = ({ at, seq }: TaskStep, suffix = "") => ({ ...placed(`${seq}${suffix}`), seq, at })
  const state: Progress = { run: null, question: null, ended: null, turn: new Set(), shown: new Set() }

  const push = (item: ThreadItem) => {
    state.run = null
    items.push(item)
  }
  const work = (step: TaskStep, entry: Work) => {
    if (state.run !== null) return void state.run.push(entry)
    const entries = [entry]
    push({ _tag: "work", ...ofStep(step, ".work"), entries })
    state.run = entries
  }
  const note = (step: TaskStep, tone: NoteTone, text: string, detail: string | null = null) =>
    push({ _tag: "note", ...ofStep(step, ".note"), tone, text, detail })

  const addModel = (step: TaskStep) => {
    const { calls: asked, seq, text, thinking, truncated } = step
    state.turn = new Set(asked.map(({ id }) => id))
    if (thinking !== null) {
      work(step, { _tag: "thought", id: `${task.id}.${seq}.thought`, seq, text: thinking, isCut: truncated })
    }
    if (step.ended_by === null && text !== null && text.trim() !== "") {
      push({ _tag: "words", ...ofStep(step), text, isCut: truncated })
    }
    for (const { arguments: given, id, name } of asked) {
      if (hasItem.has(name)) continue
      const call: Call = {
        _tag: "call",
        id: `${task.id}.${seq}.${id}`,
        seq,
        name,
        arguments: given,
        result: null,
        millis: null,
        isCut: truncated
      }
      calls.set(id, call)
      work(step, call)
    }
  }

  /** A call that was asked anew has several, one for each of its questions. */
  const approvalsOf = () => {
    const found = new Map<string, Approval>()
    for (const row of task.approvals.toSorted((one, other) => one.id.localeCompare(other.id))) {
      const { id, tool_call_id } = row
      if (state.turn.has(tool_call_id) && !state.shown.has(id) && !found.has(tool_call_id)) found.set(tool_call_id, row)
    }
    for (const { id } of found.values()) state.shown.add(id)
    return [...found.values()]
  }

  const questionOf = (step: TaskStep, approvals: ReadonlyArray<Approval>): Question => ({
    _tag: "question",
    ...ofStep(step),
    text: step.text ?? "",
    isCut: step.truncated,
    isOpen: true,
    answer: null,
    by: null,
    answeredAt: null,
    decision: null,
    approvals
  })

  const addResults = (step: TaskStep) => {
    for (const { content, duration_ms, id, name } of step.results) {
      if (name === "ask_human") {
        if (state.question !== null) state.question.answer = content
      } else if (!hasItem.has(name)) {
        const call = calls.get(id)
        if (call === undefined) {
          const { seq, truncated: isCut } = step
          const key = `${task.id}.${seq}.${id}`
          work(step, { _tag: "call", id: key, seq, name, arguments: null, result: content, millis: duration_ms, isCut })
        } else {
          call.result = content
          call.millis = duration_ms
          call.isCut ||= step.truncated
        }
      }
    }
    if (step.text === null) return
    if (step.status !== "waiting_input") return note(step, "muted", step.text)
    const question = questionOf(step, approvalsOf())
    state.question = question
    push(question)
  }

  const addAnswer = ({ at, by, title }: TaskStep) => {
    if (state.question === null) return
    // Others of its calls still wait.
    if (state.question.approvals.some(isOpen)) return
    // The step has its decision in its title only.
    const [decision = null] = /(?:approved|did not approve|denied) the (?:mail|call)/.exec(title) ?? []
    Object.assign(state.question, { isOpen: false, by, answeredAt: at, decision })
  }

  const addSubtask = (step: TaskStep, id: string) => {
    const subtask = source.subtasks.get(id)
    if (subtask === undefined) return
    const steps = source.unfolded.get(id)
    push({ _tag: "subtask", ...ofStep(step, `.${id}`), task: subtask, isOpen: steps !== undefined })
    if (steps === undefined) return
    for (const item of itemsOf({ task: subtask, steps }, source, depth + 1)) push(item)
  }

  const add = (step: TaskStep) => {
    switch (step.kind) {
      case "model":
        return addModel(step)
      case "results":
        return addResults(step)
      case "answered":
        return addAnswer(step)
      case "steered":
        return push({ _tag: "message", ...ofStep(step), text: step.text ?? "", by: step.by, isRead: true })
      case "dispatched":
        return step.subtasks.forEach(({ task_id }) => addSubtask(step, task_id))
      case "compacted":
        return note(step, "muted", step.title, step.text)
      case "prepared":
        return step.text === null ? undefined : note(step, "muted", "Planned the work", step.text)
      case "crashed":
      case "model_failed":
        return note(step, step.kind === "crashed" ? "bad" : "wait", step.title)
      case "retried": {
        const { ended } = state
        if (ended !== null) note(ended, "bad", ended.kind === "cancelled" ? ended.title : `Failed: ${ended.text}`)
        state.ended = null
        return note(step, "muted", step.title)
      }
      default:
    }
  }

  push({ _tag: "request", ...placed("request"), task })
  if (part.steps === undefined) push({ _tag: "folded", ...placed("folded"), task })
  else {
    const oldest = part.steps.at(-1)
    if (oldest !== undefined && oldest.seq > 1) push({ _tag: "older", ...placed("older"), before: oldest.seq })
    for (const step of part.steps.toReversed()) {
      add(step)
      const stop = endNote(step)
      if (stop !== null) note(step, "wait", stop)
      if (step.ended_by !== null) state.ended = step
    }
  }
  // Whom a rule lists sees of a colleague's task its steps without texts, and the calls that they decide about.
  const asking = part.steps?.find(({ status }) => status === "waiting_input")
  const isOutline = task.status === "waiting_input" && task.question === null && asking?.text === null
  if (isOutline && task.approvals.some(isOpen)) push(questionOf(asking, task.approvals))
  // What ended the task closes its last question, too.
  if (state.question !== null && task.status !== "waiting_input") state.question.isOpen = false
  for (const message of source.sent.get(task.id) ?? []) {
    if (isRead(message, part.steps ?? [])) continue
    const { after: seq, at, id, text } = message
    push({ _tag: "message", ...placed(`sent.${id}`), seq, at, text, by: null, isRead: false })
  }
  if (isFinished(task)) {
    push({ _tag: "end", ...placed("end"), task, text: state.ended?.text ?? null })
  }
  const others = source.others?.get(task.id) ?? []
  if (others.length > 0) push({ _tag: "branches", ...placed("branches"), tasks: others })
  return items
}

/** The conversation as a person reads it, oldest first: pure, so that it is tested without a browser. */
export const makeThread = (source: ThreadSource): ReadonlyArray<ThreadItem> =>
  source.parts.flatMap((part) => itemsOf(part, source, 0))

/** Where a step is in a thread; -1: nowhere. */
export const placeOf = (items: ReadonlyArray<ThreadItem>, taskId: string, seq: number): number =>
  items.findLastIndex((item) => item.taskId === taskId && "seq" in item && item.seq <= seq)
