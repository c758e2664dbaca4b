import { compact, type Compaction, visible } from "./Compaction.ts"
import type { ToolCallId } from "./Ids.ts"
import { pictureMessage, withoutPictures, withSentVersions } from "./Image.ts"
import type { ImageReference, Message, ToolCall, ToolMessage, UserMessage } from "./Message.ts"
import { rounded } from "./ModelPrice.ts"
import type { Deferral, Modelled, Prepared, Resulted, Steered, Step } from "./Step.ts"
import type { DispatchedSubtask } from "./Subtask.ts"

export interface Turn {
  readonly calls: ReadonlyArray<ToolCall>
  readonly results: ReadonlyMap<ToolCallId, ToolMessage>
  /** Calls with external effects; without a result, it is unknown whether they took effect. */
  readonly started: ReadonlySet<ToolCallId>
  readonly deferred: ReadonlyMap<ToolCallId, Deferral>
  readonly images?: Resulted["images"]
  /** What users said meanwhile; it follows the results. */
  readonly said?: ReadonlyArray<UserMessage>
  readonly dispatched: ReadonlyMap<ToolCallId, DispatchedSubtask>
}

/** The working state of a task: a fold over its journal. */
export interface Run {
  /** A call's results always follow it directly, in the order of the calls. */
  readonly messages: ReadonlyArray<Message>
  readonly compaction: Compaction | null
  readonly prepared: Prepared | null
  readonly turn: Turn | null
  /** Model steps since the run began, was retried or got a message. */
  readonly iterations: number
  /** All model steps. */
  readonly iterationsTotal: number
  /** Model and tool steps taken since the run began, was retried or got a message. */
  readonly recursions: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly subtaskTokens: number
  readonly modelCalls: number
  /** Of all model calls; null without any, and as soon as one had no price. */
  readonly cost: number | null
  /** `estimate` is of the input. */
  readonly lastCall: { readonly input: number; readonly output: number; readonly estimate: number | null } | null
  readonly warned: ReadonlySet<"low" | "last">
  readonly toolCalls: number
  /** The result of a forced completion, if it is not empty. */
  readonly lastText: string
  readonly attachments: ReadonlyArray<string>
}

export const emptyRun = (input: string, images: ReadonlyArray<ImageReference> = []): Run => ({
  messages: [{ role: "user", content: input, ...(images.length === 0 ? {} : { images }) }],
  compaction: null,
  prepared: null,
  turn: null,
  iterations: 0,
  iterationsTotal: 0,
  recursions: 0,
  inputTokens: 0,
  outputTokens: 0,
  subtaskTokens: 0,
  modelCalls: 0,
  cost: null,
  lastCall: null,
  warned: new Set(),
  toolCalls: 0,
  lastText: "",
  attachments: []
})

/** The tokens of the task and of its ended subtasks. */
export const tokensSpent = (run: Run): number => run.inputTokens + run.outputTokens + run.subtaskTokens

/** Less what running subtasks may still spend. */
export const tokensLeft = (budget: number | null, run: Run): number | null =>
  budget === null
    ? null
    : awaitedSubtasks(run).reduce((left, subtask) => left - (subtask.budget ?? 0), budget - tokensSpent(run))

export const awaitedSubtasks = ({ turn }: Run): ReadonlyArray<DispatchedSubtask> =>
  turn === null ? [] : [...turn.dispatched.values()].filter(({ call }) => !turn.results.has(call))

/** An answer that the token budget cut off and the next call continues. */
export const unfinishedText = ({ messages }: Run): string => {
  const start = messages.findLastIndex((message) => message.role !== "assistant" || message.tool_calls.length > 0) + 1
  return messages.slice(start).map(({ content }) => content).join("")
}

export const openCalls = (turn: Turn): ReadonlyArray<ToolCall> =>
  turn.calls.filter((call) => !turn.results.has(call.id))

export const advance = (run: Run, step: Step): Run => {
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
      return { ...afterOptionalCall(run, step), compaction: compact(run.messages, run.compaction, step) }
    case "failed":
      return afterOptionalCall(run, step)
    case "steered":
      return afterMessages(run, step)
    case "retried":
      return { ...run, iterations: 0, recursions: 0, compaction: withoutFailures(run.compaction) }
    default:
      return run
  }
}

export const replay = (start: Run, steps: Iterable<Step>): Run => {
  let run = start
  for (const step of steps) run = advance(run, step)
  return run
}

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
  const { estimate, images, message, tokens, unseen: refused, warning } = step
  const text = message.content.trim()
  const calls = message.tool_calls
  const before = refused === true ? withoutPictures(run.messages) : withSentVersions(run.messages, images ?? [])
  return {
    ...afterCall(run, step),
    // An answer cut off in its reasoning is empty, and providers refuse an empty message.
    messages: step.cut === true && text === "" && calls.length === 0 ? before : [...before, message],
    compaction: afterAnswer(run.compaction),
    turn: calls.length === 0
      ? null
      : { calls, results: new Map(), started: new Set(), deferred: new Map(), dispatched: new Map() },
    iterations: run.iterations + 1,
    iterationsTotal: run.iterationsTotal + 1,
    recursions: run.recursions + 1,
    lastCall: { input: tokens[0], output: tokens[1], estimate: estimate ?? null },
    warned: warning === undefined ? run.warned : new Set([...run.warned, warning.kind]),
    lastText: text === "" ? run.lastText : message.content
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
  const turn: Turn = { ...run.turn, results, deferred, ...(images.length === 0 ? {} : { images }) }
  const attachments = [...new Set([...run.attachments, ...step.attach ?? []])]
  const closed = turn.calls.every((call) => results.has(call.id))
  return {
    ...run,
    attachments,
    subtaskTokens: saturated(run.subtaskTokens + (step.spent ?? 0)),
    toolCalls: run.toolCalls + messages.length,
    recursions: closed ? run.recursions + 1 : run.recursions,
    messages: closed
      ? [...run.messages, ...resultsInOrder(turn), ...imagesInOrder(turn), ...turn.said ?? []]
      : run.messages,
    turn: closed ? null : turn
  }
}

/** What a user says is a new request, so the limits on autonomous steps begin anew. */
const afterMessages = (run: Run, { messages }: Steered): Run => {
  const said = messages.map(({ text }): UserMessage => ({ role: "user", content: text }))
  const after = run.turn === null
    ? { ...run, messages: [...run.messages, ...said] }
    : inTurn(run, (turn) => ({ said: [...turn.said ?? [], ...said] }))
  return { ...after, iterations: 0, recursions: 0 }
}

const resultsInOrder = ({ calls, results }: Turn): ReadonlyArray<ToolMessage> =>
  calls.flatMap(({ id }) => results.get(id) ?? [])

const imagesInOrder = ({ calls, images = [] }: Turn): ReadonlyArray<Message> =>
  images.length === 0
    ? []
    : [pictureMessage(calls.flatMap((call) => images.flatMap(({ id, image }) => id === call.id ? [image] : [])))]

export const visibleMessages = (run: Run): ReadonlyArray<Message> => visible(conversation(run), run.compaction)

export const conversation = (run: Run): ReadonlyArray<Message> =>
  run.turn === null ? run.messages : [...run.messages, ...resultsInOrder(run.turn), ...run.turn.said ?? []]
