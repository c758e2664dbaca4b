import { compact, type Compaction } from "./Compaction.ts"
import type { ToolCallId } from "./Ids.ts"
import { imageMessage, type Message, type UserMessage, withoutImages, withSentVersions } from "./Message.ts"
import { rounded } from "./ModelPrice.ts"
import type { Steered } from "./PersonStep.ts"
import { growthAfter, resultsInOrder, type Run, type Turn } from "./Run.ts"
import { contextAfter } from "./SeenContext.ts"
import { type CallInput, unanswered } from "./ServerQuestion.ts"
import type { Compacted, Modelled, Prepared, Resulted, Step } from "./Step.ts"

export const advance = (run: Run, step: Step): Run => {
  const seq = run.seq + 1
  return { ...after(run, step), seq, seen: contextAfter(run.seen, step, seq) }
}

const after = (run: Run, step: Step): Run => {
  switch (step.kind) {
    case "model":
      return afterModel(run, step)
    case "prepared":
      return afterPreparation(run, step)
    case "started":
      return inTurn(run, ({ started }) => ({ started: new Set([...started, ...step.calls]) }))
    case "dispatched":
      return inTurn(run, ({ dispatched }) => ({
        dispatched: new Map([...dispatched, ...step.subtasks.map((one) => [one.call, one] as const)])
      }))
    case "results":
      return afterResults(run, step)
    case "compacted":
      // Compaction counts neither as an iteration nor against the recursion limit, but its tokens are the task's.
      return {
        ...afterOptionalCall(run, step),
        compaction: compact(run.messages, run.compaction, inMessages(run, step))
      }
    case "failed":
    case "interrupted":
      return afterOptionalCall(run, step)
    case "steered":
      return afterMessages(run, step)
    case "retried":
      // What was approved before the task failed is asked again.
      return {
        ...inTurn(run, () => ({ approved: new Set() })),
        again: null,
        iterations: 0,
        recursions: 0,
        compaction: withoutFailures(run.compaction)
      }
    default:
      return run
  }
}

export const replay = (start: Run, steps: Iterable<Step>): Run => {
  let run = start
  for (const step of steps) run = advance(run, step)
  return run
}

const inMessages = ({ dropped }: Run, step: Compacted): Compacted => ({ ...step, upto: step.upto - dropped.messages })

const inTurn = (run: Run, change: (turn: Turn) => Partial<Turn>): Run =>
  run.turn === null ? run : { ...run, turn: { ...run.turn, ...change(run.turn) } }

const saturated = (count: number): number => Math.min(count, 2_147_483_647)

interface Spent {
  readonly tokens?: readonly [number, number] | undefined
  readonly cost?: number | undefined
}

const afterCall = (run: Run, { cost, tokens: [input, output] = [0, 0] }: Spent): Run => ({
  ...run,
  inputTokens: saturated(run.inputTokens + input),
  outputTokens: saturated(run.outputTokens + output),
  modelCalls: run.modelCalls + 1,
  paid: rounded(run.paid + (cost ?? 0)),
  cost: cost === undefined || (run.cost === null && run.modelCalls > 0) ? null : rounded((run.cost ?? 0) + cost)
})

/** Zero tokens mean that no call was made. */
const afterOptionalCall = (run: Run, spent: Spent): Run => {
  const [input, output] = spent.tokens ?? [0, 0]
  return input === 0 && output === 0 ? run : afterCall(run, spent)
}

const afterPreparation = (run: Run, step: Prepared): Run => ({
  ...(step.tokens === undefined ? run : afterCall(run, step)),
  prepared: step
})

const afterModel = (run: Run, step: Modelled): Run => {
  const { again, estimate, images, message, tokens, unseen: refused, warning } = step
  const text = message.content.trim()
  const calls = message.tool_calls
  const before = refused === true ? withoutImages(run.messages) : withSentVersions(run.messages, images ?? [])
  const isLeftOut = again !== undefined || step.cut === true && text === "" && calls.length === 0
  return {
    ...afterCall(run, step),
    // An answer cut off in its reasoning is empty, and providers refuse an empty message.
    messages: isLeftOut ? before : [...before, message],
    compaction: afterAnswer(run.compaction),
    turn: calls.length === 0
      ? null
      : { calls, results: new Map(), started: new Set(), deferred: new Map(), dispatched: new Map() },
    iterations: run.iterations + 1,
    iterationsTotal: run.iterationsTotal + 1,
    recursions: run.recursions + 1,
    lastCall: { input: tokens[0], output: tokens[1], estimate: estimate ?? null },
    growth: growthAfter(run, tokens[0], estimate),
    warned: warning === undefined ? run.warned : new Set([...run.warned, warning.kind]),
    lastText: text === "" || again !== undefined ? run.lastText : message.content,
    again: again === undefined ? null : { reason: again, message }
  }
}

const afterAnswer = (compaction: Compaction | null): Compaction | null =>
  compaction?.overran === true ? { ...compaction, overran: false } : compaction

const withoutFailures = (compaction: Compaction | null): Compaction | null =>
  compaction === null ? null : { ...compaction, failures: 0, failedAt: 0, overran: false }

const afterResults = (run: Run, step: Resulted): Run => {
  if (run.turn === null) return run
  const messages = step.results.map((result) => result.message)
  const results = new Map([...run.turn.results, ...messages.map((one) => [one.tool_call_id, one] as const)])
  const deferred = new Map([...run.turn.deferred, ...(step.deferred ?? []).map((one) => [one.id, one] as const)])
  const images = [...run.turn.images ?? [], ...step.images ?? []]
  const { unsent = [] } = step
  const turn: Turn = {
    ...run.turn,
    results,
    deferred,
    ...(unsent.length === 0 ? {} : { started: new Set([...run.turn.started].filter((id) => !unsent.includes(id))) }),
    ...(images.length === 0 ? {} : { images }),
    ...(step.paused === undefined ? {} : { paused: new Set([...run.turn.paused ?? [], step.paused]) }),
    ...questionsAfter(run.turn, step),
    ...inputsAfter(run.turn, step)
  }
  const attachments = [...new Set([...run.attachments, ...step.attach ?? []])]
  const closed = turn.calls.every((call) => results.has(call.id))
  return {
    ...run,
    attachments,
    subtaskTokens: saturated(run.subtaskTokens + (step.spent ?? 0)),
    paid: rounded(run.paid + (step.paid ?? 0)),
    toolCalls: run.toolCalls + messages.length,
    recursions: closed ? run.recursions + 1 : run.recursions,
    messages: closed
      ? [...run.messages, ...resultsInOrder(turn), ...imagesInOrder(turn), ...turn.said ?? []]
      : run.messages,
    turn: closed ? null : turn
  }
}

const questionsAfter = (
  { approved, asking, edits, questions }: Turn,
  { approved: given = [], asked, asking: calls = [], edits: edited = [] }: Resulted
): Pick<Turn, "approved" | "asking" | "edits" | "questions"> => ({
  ...(calls.length === 0
    ? {}
    : { asking: new Map([...asking ?? [], ...calls.map((call) => [call.id, call] as const)]) }),
  ...(edited.length === 0
    ? {}
    : { edits: new Map([...edits ?? [], ...edited.map((edit) => [edit.id, edit.arguments] as const)]) }),
  ...(asked === undefined ? {} : { questions: new Map([...questions ?? [], [asked.id, asked] as const]) }),
  // What is asked anew is not approved any more.
  ...(given.length === 0 && calls.length === 0
    ? {}
    : { approved: new Set([...approved ?? [], ...given].filter((id) => !calls.some((call) => call.id === id))) })
})

/** A call that waits for an answer has not begun: it is made again with the answer. */
const inputsAfter = (
  { inputs: before, started }: Turn,
  { given = [], inputs: asked = [] }: Resulted
): Pick<Turn, "inputs" | "started"> | undefined => {
  if (asked.length + given.length === 0) return undefined
  const inputs = new Map<ToolCallId, CallInput>(before ?? [])
  for (const one of asked) inputs.set(one.id, unanswered(one))
  for (const { id, key, ...answer } of given) {
    const input = inputs.get(id)
    if (input !== undefined) inputs.set(id, { ...input, answers: new Map([...input.answers, [key, answer]]) })
  }
  return { inputs, started: new Set([...started].filter((id) => !asked.some((one) => one.id === id))) }
}

/** What a user says is a new request, so the limits on autonomous steps begin anew. */
const afterMessages = (run: Run, { messages }: Steered): Run => {
  const said = messages.map(({ text }): UserMessage => ({ role: "user", content: text }))
  const after = run.turn === null
    ? { ...run, messages: [...run.messages, ...said] }
    : inTurn(run, (turn) => ({ said: [...turn.said ?? [], ...said] }))
  return { ...after, iterations: 0, recursions: 0, again: null }
}

const imagesInOrder = ({ calls, images = [] }: Turn): ReadonlyArray<Message> =>
  images.length === 0
    ? []
    : [imageMessage(calls.flatMap((call) => images.flatMap(({ id, image }) => id === call.id ? [image] : [])))]
