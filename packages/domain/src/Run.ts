import { compact, type Compaction, visible } from "./Compaction.ts"
import type { ToolCallId } from "./Ids.ts"
import { settled, showing, unseen } from "./Image.ts"
import type { ImageReference, Message, ToolCall, ToolMessage } from "./Message.ts"
import type { Compacted, Deferral, Modelled, Prepared, Resulted, Step } from "./Step.ts"
import type { DispatchedSubtask } from "./Subtask.ts"

/** A turn whose tool calls are not all answered yet. */
export interface Turn {
  readonly calls: ReadonlyArray<ToolCall>
  readonly results: ReadonlyMap<ToolCallId, ToolMessage>
  /** Calls that reach outside and were begun: without a result, their end is unknown. */
  readonly started: ReadonlySet<ToolCallId>
  readonly deferred: ReadonlyMap<ToolCallId, Deferral>
  readonly images?: Resulted["images"]
  /** Subtasks that calls of the turn sent out. */
  readonly dispatched: ReadonlyMap<ToolCallId, DispatchedSubtask>
}

/** What the loop knows of its task. It is nothing but a fold over the journal, so a crash loses none of it. */
export interface Run {
  /** The conversation in the model's order: a call's results always follow it directly, in the order of the calls. */
  readonly messages: ReadonlyArray<Message>
  readonly compaction: Compaction | null
  /** What was found out before the first model step; null when nothing was, or not yet. */
  readonly prepared: Prepared | null
  readonly turn: Turn | null
  readonly iterations: number
  /** Model and tool steps taken since the run (or its retry) began. */
  readonly recursions: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** What its subtasks have used that have ended, in tokens. */
  readonly subtaskTokens: number
  readonly modelCalls: number
  /** Tokens of the last model step, and what its input was estimated at, if it was; null before the first. */
  readonly lastCall: { readonly input: number; readonly output: number; readonly estimate: number | null } | null
  /** Warnings about the token budget that were given. */
  readonly warned: ReadonlySet<"low" | "last">
  readonly toolCalls: number
  /** The last text with content that the model wrote: what a forced completion answers with. */
  readonly lastText: string
  readonly attachments: ReadonlyArray<string>
}

/** A run before its first step. `images` are the pictures that came with the request. */
export const emptyRun = (input: string, images: ReadonlyArray<ImageReference> = []): Run => ({
  messages: [{ role: "user", content: input, ...(images.length === 0 ? {} : { images }) }],
  compaction: null,
  prepared: null,
  turn: null,
  iterations: 0,
  recursions: 0,
  inputTokens: 0,
  outputTokens: 0,
  subtaskTokens: 0,
  modelCalls: 0,
  lastCall: null,
  warned: new Set(),
  toolCalls: 0,
  lastText: "",
  attachments: []
})

export const tokensUsed = (run: Run): number => run.inputTokens + run.outputTokens

/** What counts against the task's budget: its own tokens and those of its subtasks that have ended. */
export const tokensSpent = (run: Run): number => tokensUsed(run) + run.subtaskTokens

/** What is left of a budget, less what subtasks that are still at work may spend; null without one. */
export const tokensLeft = (budget: number | null, run: Run): number | null => {
  if (budget === null) return null
  let left = budget - tokensSpent(run)
  if (run.turn !== null) {
    for (const { budget, call } of run.turn.dispatched.values()) {
      if (!run.turn.results.has(call)) left -= budget ?? 0
    }
  }
  return left
}

/** The answer that the token budget cut off so far and that the next call continues; empty where there is none. */
export const unfinishedText = ({ messages }: Run): string => {
  const start = messages.findLastIndex((message) => message.role !== "assistant" || message.tool_calls.length > 0) + 1
  return messages.slice(start).map(({ content }) => content).join("")
}

/** The calls of the open turn that have no result yet. */
export const openCalls = (turn: Turn): ReadonlyArray<ToolCall> =>
  turn.calls.filter((call) => !turn.results.has(call.id))

/** The run after one more step. Steps that say nothing to the conversation leave it as it is. */
export const advance = (run: Run, step: Step): Run => {
  switch (step.kind) {
    case "model":
      return afterModel(run, step)
    case "prepared":
      return afterPreparation(run, step)
    case "started":
      return run.turn === null
        ? run
        : { ...run, turn: { ...run.turn, started: new Set([...run.turn.started, ...step.calls]) } }
    case "dispatched":
      return run.turn === null ? run : {
        ...run,
        turn: {
          ...run.turn,
          dispatched: new Map([...run.turn.dispatched, ...step.subtasks.map((one) => [one.call, one] as const)])
        }
      }
    case "results":
      return afterResults(run, step)
    case "compacted":
      return afterCompaction(run, step)
    case "failed":
      return step.tokens === undefined ? run : charged(run, step.tokens)
    case "retried":
      return { ...run, iterations: 0, recursions: 0, compaction: forgiven(run.compaction) }
    default:
      return run
  }
}

export const replay = (start: Run, steps: Iterable<Step>): Run => {
  let run = start
  for (const step of steps) run = advance(run, step)
  return run
}

/** Counts are stored as 32-bit integers; one that would not fit stays at the end of the scale. */
const saturated = (count: number): number => Math.min(count, 2_147_483_647)

/** The run after a model call of whatever kind. A call that the provider counted nothing for was not made. */
const charged = (run: Run, [input, output]: readonly [number, number]): Run =>
  input === 0 && output === 0 ? run : {
    ...run,
    inputTokens: saturated(run.inputTokens + input),
    outputTokens: saturated(run.outputTokens + output),
    modelCalls: run.modelCalls + 1
  }

const afterPreparation = (run: Run, step: Prepared): Run => ({
  ...run,
  prepared: step,
  inputTokens: saturated(run.inputTokens + (step.tokens?.[0] ?? 0)),
  outputTokens: saturated(run.outputTokens + (step.tokens?.[1] ?? 0)),
  modelCalls: run.modelCalls + (step.tokens === undefined ? 0 : 1)
})

const afterModel = (run: Run, step: Modelled): Run => {
  const { estimate, images, message, tokens, unseen: refused, warning } = step
  const text = message.content.trim()
  const calls = message.tool_calls
  const before = refused === true ? unseen(run.messages) : settled(run.messages, images ?? [])
  return {
    ...run,
    // An answer that was cut off in its reasoning says nothing, and providers refuse an empty message.
    messages: step.cut === true && text === "" && calls.length === 0 ? before : [...before, message],
    compaction: heard(run.compaction),
    turn: calls.length === 0
      ? null
      : { calls, results: new Map(), started: new Set(), deferred: new Map(), dispatched: new Map() },
    iterations: run.iterations + 1,
    recursions: run.recursions + 1,
    inputTokens: saturated(run.inputTokens + tokens[0]),
    outputTokens: saturated(run.outputTokens + tokens[1]),
    modelCalls: run.modelCalls + 1,
    lastCall: { input: tokens[0], output: tokens[1], estimate: estimate ?? null },
    warned: warning === undefined ? run.warned : new Set([...run.warned, warning.kind]),
    lastText: text === "" ? run.lastText : message.content
  }
}

/** Compaction is neither an iteration nor a step of the recursion limit; what it costs counts as the task's. */
const afterCompaction = (run: Run, step: Compacted): Run => ({
  ...charged(run, step.tokens),
  compaction: compact(run.messages, run.compaction, step)
})

const heard = (compaction: Compaction | null): Compaction | null =>
  compaction?.overran === true ? { ...compaction, overran: false } : compaction

/** A task that is tried again may try again what failed. */
const forgiven = (compaction: Compaction | null): Compaction | null =>
  compaction === null ? null : { ...compaction, failures: 0, failedAt: 0, overran: false }

const afterResults = (run: Run, step: Resulted): Run => {
  if (run.turn === null) return run
  const messages = step.results.map((result) => result.message)
  const results = new Map(run.turn.results)
  for (const message of messages) results.set(message.tool_call_id, message)
  const deferred = new Map(run.turn.deferred)
  for (const deferral of step.deferred ?? []) deferred.set(deferral.id, deferral)
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
    messages: closed ? [...run.messages, ...resultsInOrder(turn), ...imagesInOrder(turn)] : run.messages,
    turn: closed ? null : turn
  }
}

/** The results of a turn so far, in the order of its calls. */
export const resultsInOrder = (turn: Turn): ReadonlyArray<ToolMessage> =>
  turn.calls.flatMap((call) => {
    const result = turn.results.get(call.id)
    return result === undefined ? [] : [result]
  })

/** What a closed turn shows besides its results: one message of the user's, in the order of the calls. */
const imagesInOrder = ({ calls, images = [] }: Turn): ReadonlyArray<Message> =>
  images.length === 0
    ? []
    : [showing(calls.flatMap((call) => images.flatMap(({ id, image }) => id === call.id ? [image] : [])))]

/** What the model sees of the conversation, the open turn's results included. */
export const shown = (run: Run): ReadonlyArray<Message> => visible(conversation(run), run.compaction)

/** The conversation as it stands, the open turn's results included. */
export const conversation = (run: Run): ReadonlyArray<Message> =>
  run.turn === null ? run.messages : [...run.messages, ...resultsInOrder(run.turn)]
