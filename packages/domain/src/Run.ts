import type { AskedCall } from "./Approval.ts"
import { type Compaction, visible } from "./Compaction.ts"
import type { ToolCallId } from "./Ids.ts"
import type { AssistantMessage, ImageReference, Message, ToolCall, ToolMessage, UserMessage } from "./Message.ts"
import { type SeenContext, unseen } from "./SeenContext.ts"
import type { CallInput } from "./ServerQuestion.ts"
import type { Deferral, Modelled, Prepared, Resulted } from "./Step.ts"
import type { DispatchedSubtask } from "./Subtask.ts"
import { firstLineOf } from "./Text.ts"

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
  /** The calls that asked for approval, decided ones included. */
  readonly asking?: ReadonlyMap<ToolCallId, AskedCall>
  /** Arguments with which a person has approved calls. */
  readonly edits?: ReadonlyMap<ToolCallId, string>
  /** The questions of its calls, answered ones included. */
  readonly questions?: ReadonlyMap<ToolCallId, NonNullable<Resulted["asked"]>>
  readonly approved?: ReadonlySet<ToolCallId>
  /** What tool servers asked during calls, and the answers. */
  readonly inputs?: ReadonlyMap<ToolCallId, CallInput>
  /** What it has waited for as the turn of a subtask (`Resulted.paused`): somebody was told of each. */
  readonly paused?: ReadonlySet<string>
}

/** The messages before the first of a run's `messages`; a summary has replaced them. */
export interface Dropped {
  readonly messages: number
  readonly results: ReadonlyArray<ResultLine>
  /** Those of `results` and older ones. */
  readonly resultCount: number
}

/** One tool result in the report of a task that ended at a limit. */
export interface ResultLine {
  readonly name: string
  readonly line: string
}

/** The working state of a task: a fold over its journal. */
export interface Run {
  /** The number of the last step. */
  readonly seq: number
  readonly seen: SeenContext
  /** A call's results always follow it directly, in the order of the calls. */
  readonly messages: ReadonlyArray<Message>
  readonly dropped: Dropped
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
  /** Of all calls that had a price, and of the ended subtasks. */
  readonly paid: number
  readonly modelCalls: number
  /** Of all model calls; null without any, and as soon as one had no price. */
  readonly cost: number | null
  /** `estimate` is of the input. */
  readonly lastCall: { readonly input: number; readonly output: number; readonly estimate: number | null } | null
  /** What calls have added to the inputs of those before them, as it was counted and estimated; older calls count less. */
  readonly growth: { readonly input: number; readonly estimate: number }
  readonly warned: ReadonlySet<"low" | "last">
  readonly toolCalls: number
  /** The result of a forced completion, if it is not empty. */
  readonly lastText: string
  /** The last answer was of no use, and the model is asked again. */
  readonly again: { readonly reason: NonNullable<Modelled["again"]>; readonly message: AssistantMessage } | null
  readonly attachments: ReadonlyArray<string>
}

export const emptyRun = (
  input: string,
  images: ReadonlyArray<ImageReference> = [],
  seen: SeenContext = unseen
): Run => ({
  seq: 0,
  seen,
  messages: [{ role: "user", content: input, ...(images.length === 0 ? {} : { images }) }],
  dropped: { messages: 0, results: [], resultCount: 0 },
  compaction: null,
  prepared: null,
  turn: null,
  iterations: 0,
  iterationsTotal: 0,
  recursions: 0,
  inputTokens: 0,
  outputTokens: 0,
  subtaskTokens: 0,
  paid: 0,
  modelCalls: 0,
  cost: null,
  lastCall: null,
  growth: { input: 0, estimate: 0 },
  warned: new Set(),
  toolCalls: 0,
  lastText: "",
  again: null,
  attachments: []
})

export const openCalls = (turn: Turn): ReadonlyArray<ToolCall> =>
  turn.calls.filter((call) => !turn.results.has(call.id))

export const resultsInOrder = ({ calls, results }: Turn): ReadonlyArray<ToolMessage> =>
  calls.flatMap(({ id }) => results.get(id) ?? [])

export const conversation = (run: Run): ReadonlyArray<Message> =>
  run.turn === null ? run.messages : [...run.messages, ...resultsInOrder(run.turn), ...run.turn.said ?? []]

export const visibleMessages = (run: Run): ReadonlyArray<Message> => visible(conversation(run), run.compaction)

/** The tool results of the whole conversation: their number, and the last ones, oldest first. */
export const reportedResults = (
  { dropped, messages }: Pick<Run, "dropped" | "messages">
): Pick<Dropped, "results" | "resultCount"> => {
  const results = messages.flatMap((message) => message.role === "tool" ? [message] : [])
  return {
    results: [...dropped.results, ...results.slice(-maxReported).map(lineOf)].slice(-maxReported),
    resultCount: dropped.resultCount + results.length
  }
}

const maxReported = 50

/** The text is copied, because a part of a text keeps the whole in memory. */
const lineOf = ({ content, name }: ToolMessage): ResultLine => ({
  name,
  line: new TextDecoder().decode(new TextEncoder().encode(firstLineOf(content)))
})

/**
 * The same run without the messages that a summary has replaced: the next steps of a long conversation need them no
 * more, and the journal keeps them.
 */
export const dropSummarised = (run: Run): Run => {
  const { compaction, dropped, messages } = run
  const count = compaction?.summarised ?? 0
  return compaction === null || count === 0 ? run : {
    ...run,
    messages: messages.slice(count),
    compaction: {
      ...compaction,
      summarised: 0,
      upto: compaction.upto - count,
      failedAt: compaction.failedAt - count
    },
    dropped: {
      messages: dropped.messages + count,
      ...reportedResults({ dropped, messages: messages.slice(0, count) })
    }
  }
}

/** An answer that the token budget cut off and the next call continues. */
export const unfinishedText = ({ messages }: Run): string => {
  const start = messages.findLastIndex((message) => message.role !== "assistant" || message.tool_calls.length > 0) + 1
  return messages.slice(start).map(({ content }) => content).join("")
}

export const awaitedSubtasks = ({ turn }: Run): ReadonlyArray<DispatchedSubtask> =>
  turn === null ? [] : [...turn.dispatched.values()].filter(({ call }) => !turn.results.has(call))

/** The tokens of the task and of its ended subtasks. */
export const tokensSpent = (run: Run): number => run.inputTokens + run.outputTokens + run.subtaskTokens

/** Less what running subtasks may still spend. */
export const tokensLeft = (budget: number | null, run: Run): number | null =>
  budget === null
    ? null
    : awaitedSubtasks(run).reduce((left, subtask) => left - (subtask.budget ?? 0), budget - tokensSpent(run))

/** The same of a cost limit. */
export const moneyLeft = (maxCost: number | null, run: Run): number | null =>
  maxCost === null
    ? null
    : awaitedSubtasks(run).reduce((left, subtask) => left - (subtask.maxCost ?? 0), maxCost - run.paid)

/** The growth after one more call. */
export const growthAfter = (
  { growth, lastCall }: Pick<Run, "growth" | "lastCall">,
  input: number,
  estimate: number | undefined
): Run["growth"] => {
  const before = lastCall?.estimate ?? null
  return lastCall === null || before === null || estimate === undefined || estimate <= before || input <= lastCall.input
    ? growth
    : { input: growth.input / 2 + input - lastCall.input, estimate: growth.estimate / 2 + estimate - before }
}

const budgetWarning = 0.8

export const isBudgetLow = (budget: number | null, used: number): boolean =>
  budget !== null && used >= budget * budgetWarning

/** In percent: rises with each iteration to 95 and never falls. */
export const progressAfter = (before: number, iterations: number, hard: number): number =>
  Math.max(before, Math.min(95, Math.round((95 * iterations) / hard)))
