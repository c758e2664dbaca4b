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

const afterPreparation = (run: Run, step: Prepared): Run => ({
  ...run,
  prepared: step,
  inputTokens: saturated(run.inputTokens + (step.tokens?.[0] ?? 0)),
  outputTokens: saturated(run.outputTokens + (step.tokens?.[1] ?? 0)),
  modelCalls: run.modelCalls + (step.tokens === undefined ? 0 : 1)
})

const afterModel = (run: Run, { images, message, tokens, unseen: refused }: Modelled): Run => {
  const text = message.content.trim()
  const calls = message.tool_calls
  return {
    ...run,
    messages: [...refused === true ? unseen(run.messages) : settled(run.messages, images ?? []), message],
    compaction: heard(run.compaction),
    turn: calls.length === 0
      ? null
      : { calls, results: new Map(), started: new Set(), deferred: new Map(), dispatched: new Map() },
    iterations: run.iterations + 1,
    recursions: run.recursions + 1,
    inputTokens: saturated(run.inputTokens + tokens[0]),
    outputTokens: saturated(run.outputTokens + tokens[1]),
    modelCalls: run.modelCalls + 1,
    lastText: text === "" ? run.lastText : message.content
  }
}

/** Compaction is neither an iteration nor a step of the recursion limit; what it costs counts as the task's. */
const afterCompaction = (run: Run, step: Compacted): Run => ({
  ...run,
  compaction: compact(run.messages, run.compaction, step),
  inputTokens: saturated(run.inputTokens + step.tokens[0]),
  outputTokens: saturated(run.outputTokens + step.tokens[1]),
  modelCalls: run.modelCalls + (step.summary === null ? 0 : 1)
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
