import { Schema } from "effect"
import { AskedCall } from "./Approval.ts"
import { Crashed, Failed, Interrupted, ModelFailed } from "./FaultStep.ts"
import { ToolCallId } from "./Ids.ts"
import { AssistantMessage, ImageReference, ToolCall, ToolMessage } from "./Message.ts"
import { Answered, Cancelled, Retried, Steered } from "./PersonStep.ts"
import { PromptMemory, SentPrompt } from "./SentPrompt.ts"
import { AskedInput, GivenInput } from "./ServerQuestion.ts"
import { Decided, FileVersion, Shown } from "./Shown.ts"
import { SkillName } from "./Skill.ts"
import { StepCost as Cost, StepTokens as Tokens } from "./StepUsage.ts"
import { DispatchedSubtask } from "./Subtask.ts"
import { CutBy } from "./Task.ts"

export const Woken = Schema.Struct({
  kind: Schema.Literal("woken"),
  epoch: Schema.Int,
  reason: Schema.Literal("first", "resume", "recovery", "retry"),
  runner: Schema.String,
  /** Consecutive process deaths in this step; only if the last process ended. */
  deaths: Schema.optional(Schema.Int)
})

// The stored text omits the role of a message, which its position implies.
const implied = <R extends string>(role: R) => Schema.optionalWith(Schema.Literal(role), { default: () => role })
const StoredAnswer = Schema.Struct({
  ...AssistantMessage.fields,
  role: implied("assistant"),
  tool_calls: Schema.optionalWith(Schema.Array(ToolCall), { default: () => [] })
})
const StoredResult = Schema.Struct({ ...ToolMessage.fields, role: implied("tool") })

/** The name of the model that answered; left out for the model of the settings. */
const Answering = Schema.optional(Schema.String)
const Files = Schema.optional(Schema.Array(Schema.Struct({ filename: Schema.String, size: Schema.NullOr(Schema.Int) })))

/** The output is the service's own report, because the agent wrote no answer. */
const Reported = Schema.optional(Schema.Literal(true))

/** `end`: this answer ended the task; `output`: the result, if it is not the message. */
export const Modelled = Schema.Struct({
  kind: Schema.Literal("model"),
  message: StoredAnswer,
  tokens: Tokens,
  cost: Cost,
  model: Answering,
  millis: Schema.Int,
  note: Schema.optional(Schema.String),
  end: Schema.optional(Schema.Literal("answered", "forced")),
  /** Of an end that the agent did not choose alone; `note` says why. */
  endedBy: Schema.optional(CutBy),
  /** The limit of iterations that was reached. */
  limit: Schema.optional(Schema.Int),
  output: Schema.optional(Schema.String),
  files: Files,
  /** The versions of pictures that were sent for the first time. */
  images: Schema.optional(Schema.Array(ImageReference)),
  /** The provider refused the pictures so far; they are not sent again. */
  unseen: Schema.optional(Schema.Literal(true)),
  /** Left out where it is that of the model step before, in the same run; null: it could not be kept. */
  prompt: Schema.optional(Schema.NullOr(SentPrompt)),
  /** The end of the system prompt, at a limit. */
  wrapUp: Schema.optional(Schema.String),
  /** Sent instead of the messages, which the token budget had no room for. */
  transcript: Schema.optional(Schema.String),
  /** Estimated input tokens, with a token budget. */
  estimate: Schema.optional(Schema.Int),
  warning: Schema.optional(Schema.Struct({
    kind: Schema.Literal("low", "last"),
    /** In tokens, unless `of` says otherwise. */
    budget: Schema.Finite,
    left: Schema.Finite,
    of: Schema.optional(Schema.Literal("cost"))
  })),
  /** The model has no price, so that the cost limit of the task has no effect. */
  unlimited: Schema.optional(Schema.Literal(true)),
  /** The token budget cut off the answer; the next call continues it. */
  cut: Schema.optional(Schema.Literal(true)),
  /** The thinking that the provider lets people read. */
  thinking: Schema.optional(Schema.String),
  /** The answer is of no use: a call written as text, or nothing. It is no part of the conversation; the model is asked again. */
  again: Schema.optional(Schema.Literal("call", "empty")),
  /** What its prompt had from outside; only while the context was trusted. */
  shown: Schema.optional(Shown),
  reported: Reported
})
export type Modelled = typeof Modelled.Type

/** The preparation before the first model step, stored so that it is done once. */
export const Prepared = Schema.Struct({
  kind: Schema.Literal("prepared"),
  skills: Schema.Array(Schema.Struct({ name: SkillName, score: Schema.Number })),
  /** Matching skills that were left out, and what the machine lacks. */
  lacking: Schema.optional(Schema.Array(Schema.Struct({ name: SkillName, missing: Schema.Array(Schema.String) }))),
  memories: Schema.optional(Schema.Array(PromptMemory)),
  /** Why the task began without its user's memories. */
  memoriesLeftOut: Schema.optional(Schema.String),
  steps: Schema.optional(Schema.Array(Schema.String)),
  tools: Schema.optional(Schema.Array(Schema.String)),
  tokens: Schema.optional(Tokens),
  cost: Cost,
  model: Answering,
  millis: Schema.Int
})
export type Prepared = typeof Prepared.Type

export const Started = Schema.Struct({ kind: Schema.Literal("started"), calls: Schema.Array(ToolCallId) })

export const Deferral = Schema.Struct({ id: ToolCallId, until: Schema.Finite, message: StoredResult })
export type Deferral = typeof Deferral.Type

export const Resulted = Schema.Struct({
  kind: Schema.Literal("results"),
  results: Schema.Array(Schema.Struct({ message: StoredResult, millis: Schema.Int })),
  attach: Schema.optional(Schema.Array(Schema.String)),
  /** Shown to the model after the results of the turn. */
  images: Schema.optional(Schema.Array(Schema.Struct({ id: ToolCallId, image: ImageReference }))),
  deferred: Schema.optional(Schema.Array(Deferral)),
  /** `digest`: the call waits for a person's approval, which is bound to this digest of what the call would do. */
  asked: Schema.optional(Schema.Struct({
    id: ToolCallId,
    question: Schema.String,
    choices: Schema.optional(Schema.Array(Schema.String)),
    digest: Schema.optional(Schema.String),
    /** The spending limit that pauses the task: one question is asked for it, not one a task. */
    limit: Schema.optional(Schema.String),
    /** JSON of the form that answers it. */
    form: Schema.optional(Schema.String),
    /** The page that answers it. */
    url: Schema.optional(Schema.String),
    /** The tool server whose form or page answers it; unset: of an earlier version, too. */
    server: Schema.optional(Schema.String),
    /** The tool server that needs a sign-in. */
    signIn: Schema.optional(Schema.String)
  })),
  /** What a subtask waits for, in place of a question: the call that stands for a sign-in or a spending limit. */
  paused: Schema.optional(Schema.String),
  /** Calls whose tool servers ask something; what began of them has no effect yet. */
  inputs: Schema.optional(Schema.Array(AskedInput)),
  /** Answers to what they asked. */
  given: Schema.optional(Schema.Array(GivenInput)),
  /** Calls of which nothing was sent, although they had started: they are made after the sign-in at their server. */
  unsent: Schema.optional(Schema.Array(ToolCallId)),
  /** Calls that a person has approved; each runs again, with the digest of its question. */
  approved: Schema.optional(Schema.Array(ToolCallId)),
  /** Calls whose results are answers of people with a right to the task. */
  trusted: Schema.optional(Schema.Array(ToolCallId)),
  /** Calls that ask for approval. */
  asking: Schema.optional(Schema.Array(AskedCall)),
  /** Arguments with which a person has approved a call, as JSON texts. */
  edits: Schema.optional(Schema.Array(Schema.Struct({ id: ToolCallId, arguments: Schema.String }))),
  /** What the rules said about its calls. */
  decided: Schema.optional(Decided),
  /** What its results show the model. */
  shown: Schema.optional(Shown),
  /** Files that its calls wrote. */
  written: Schema.optional(Schema.Array(FileVersion)),
  awaiting: Schema.optional(Schema.Array(ToolCallId)),
  spent: Schema.optional(Schema.Int),
  paid: Schema.optional(Schema.Finite),
  notices: Schema.optional(Schema.Array(Schema.String))
})
export type Resulted = typeof Resulted.Type

export const Dispatched = Schema.Struct({
  kind: Schema.Literal("dispatched"),
  subtasks: Schema.Array(DispatchedSubtask)
})

/**
 * `summary` replaces the messages before `upto` of the whole conversation; null keeps the previous one, and `failure`
 * says why, if it was requested.
 */
export const Compacted = Schema.Struct({
  kind: Schema.Literal("compacted"),
  because: Schema.Literal("messages", "tokens", "overflow"),
  upto: Schema.Int,
  summary: Schema.NullOr(Schema.String),
  tokens: Tokens,
  cost: Cost,
  model: Answering,
  millis: Schema.Int,
  failure: Schema.optional(Schema.String)
})
export type Compacted = typeof Compacted.Type

export const Forced = Schema.Struct({
  kind: Schema.Literal("forced"),
  reason: Schema.String,
  endedBy: Schema.optional(CutBy),
  /** The limit of iterations that was reached. */
  limit: Schema.optional(Schema.Int),
  output: Schema.String,
  files: Files,
  reported: Reported
})
export type Forced = typeof Forced.Type

/** A tool server reported how far the call is; `total` and `message` if it said so. */
export const Progressed = Schema.Struct({
  kind: Schema.Literal("progressed"),
  call: ToolCallId,
  tool: Schema.String,
  progress: Schema.Finite,
  total: Schema.optional(Schema.Finite),
  message: Schema.optional(Schema.String)
})
export type Progressed = typeof Progressed.Type

/** One step in the journal: a storage format, so renaming a kind needs a migration and new fields are optional. */
export const Step = Schema.Union(
  Woken,
  Prepared,
  Modelled,
  Started,
  Dispatched,
  Resulted,
  Compacted,
  Forced,
  Steered,
  Answered,
  Cancelled,
  Retried,
  Crashed,
  ModelFailed,
  Interrupted,
  Progressed,
  Failed
)
export type Step = typeof Step.Type

export interface JournalledStep {
  readonly seq: number
  readonly at: string
  readonly step: Step
}
