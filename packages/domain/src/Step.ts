import { Schema } from "effect"
import { ToolCallId } from "./Ids.ts"
import { AssistantMessage, ImageReference, ToolCall, ToolMessage } from "./Message.ts"
import { SkillName } from "./Skill.ts"
import { DispatchedSubtask } from "./Subtask.ts"

/** Why a run of the actor began. */
export const WakeReason = Schema.Literal("first", "resume", "recovery", "retry")
export type WakeReason = typeof WakeReason.Type

/** A runner claimed the task: the epoch it writes under, and why. */
export const Woken = Schema.Struct({
  kind: Schema.Literal("woken"),
  epoch: Schema.Int,
  reason: WakeReason,
  runner: Schema.String,
  /** How often in a row a process has ended during the task's current step; absent unless the last one has just done. */
  deaths: Schema.optional(Schema.Int)
})

// A step's text says nothing twice: the place of a message tells its role.
const implied = <R extends string>(role: R) => Schema.optionalWith(Schema.Literal(role), { default: () => role })
const Said = Schema.Struct({
  ...AssistantMessage.fields,
  role: implied("assistant"),
  tool_calls: Schema.optionalWith(Schema.Array(ToolCall), { default: () => [] })
})
const Result = Schema.Struct({ ...ToolMessage.fields, role: implied("tool") })

/** The model answered. `end` is set when that ended the task, and `output` when the result is not the message. */
export const Modelled = Schema.Struct({
  kind: Schema.Literal("model"),
  message: Said,
  tokens: Schema.Tuple(Schema.Int, Schema.Int),
  millis: Schema.Int,
  note: Schema.optional(Schema.String),
  end: Schema.optional(Schema.Literal("answered", "forced")),
  output: Schema.optional(Schema.String),
  files: Schema.optional(Schema.Array(Schema.Struct({ filename: Schema.String, size: Schema.NullOr(Schema.Int) }))),
  /** Pictures that were sent for the first time, as they were then: from now on the conversation means those. */
  images: Schema.optional(Schema.Array(ImageReference)),
  /** The provider would not take the pictures of the conversation so far, so that they are not sent again. */
  unseen: Schema.optional(Schema.Literal(true)),
  /** Tokens that the input was estimated at before the call; only of a task with a token budget. */
  estimate: Schema.optional(Schema.Int),
  /** The call came with a warning about the token budget, of which `left` tokens were left; said once a kind. */
  warning: Schema.optional(Schema.Struct({
    kind: Schema.Literal("low", "last"),
    budget: Schema.Int,
    left: Schema.Int
  })),
  /** The token budget cut the answer off, and the next call continues it. */
  cut: Schema.optional(Schema.Literal(true)),
  /** The output is the service's own report, because the agent wrote no answer. */
  reported: Schema.optional(Schema.Literal(true))
})
export type Modelled = typeof Modelled.Type

/** A memory as it is told to the agent: the prompt stays the same whatever becomes of the memory. */
export const ToldMemory = Schema.Struct({ content: Schema.String, date: Schema.String, score: Schema.Number })
export type ToldMemory = typeof ToldMemory.Type

/**
 * What was found out before the first model step (service.md, "Skill matching and tool selection"), kept so that it is
 * not found out again: the skills and the memories that fit, and, where the work was looked at, its steps and the tools
 * that suit them.
 */
export const Prepared = Schema.Struct({
  kind: Schema.Literal("prepared"),
  skills: Schema.Array(Schema.Struct({ name: SkillName, score: Schema.Number })),
  /** Skills that fit but are left out, and what the machine lacks for them. */
  lacking: Schema.optional(Schema.Array(Schema.Struct({ name: SkillName, missing: Schema.Array(Schema.String) }))),
  /** Absent when none has to do with the task. */
  memories: Schema.optional(Schema.Array(ToldMemory)),
  steps: Schema.optional(Schema.Array(Schema.String)),
  /** Names of tools that suit the steps or, without steps, are nearest to the request; absent when none were looked for. */
  tools: Schema.optional(Schema.Array(Schema.String)),
  /** Of the model call that named the steps, if one was made. */
  tokens: Schema.optional(Schema.Tuple(Schema.Int, Schema.Int)),
  millis: Schema.Int
})
export type Prepared = typeof Prepared.Type

/** The ledger's first entry: these calls, which reach outside, are about to run. */
export const Started = Schema.Struct({ kind: Schema.Literal("started"), calls: Schema.Array(ToolCallId) })

/** A call whose answer comes at a time (epoch milliseconds). */
export const Deferral = Schema.Struct({ id: ToolCallId, until: Schema.Finite, message: Result })
export type Deferral = typeof Deferral.Type

/** Results of tool calls: the ledger's second entry for those that reach outside. */
export const Resulted = Schema.Struct({
  kind: Schema.Literal("results"),
  results: Schema.Array(Schema.Struct({ message: Result, millis: Schema.Int })),
  attach: Schema.optional(Schema.Array(Schema.String)),
  /** Pictures that calls ask to show; the model sees them after the results of the turn. */
  images: Schema.optional(Schema.Array(Schema.Struct({ id: ToolCallId, image: ImageReference }))),
  deferred: Schema.optional(Schema.Array(Deferral)),
  /** The question that the task now waits for; the call that asked it stays open. */
  asked: Schema.optional(Schema.Struct({ id: ToolCallId, question: Schema.String })),
  /** Calls whose subtasks the task now waits for. */
  awaiting: Schema.optional(Schema.Array(ToolCallId)),
  /** What subtasks used whose results these are, in tokens. */
  spent: Schema.optional(Schema.Int),
  /** Messages for the task's creator that wait for no answer. */
  notices: Schema.optional(Schema.Array(Schema.String))
})
export type Resulted = typeof Resulted.Type

/** Subtasks were sent out: they are made in the commit of this step. Their calls stay open until they have ended. */
export const Dispatched = Schema.Struct({
  kind: Schema.Literal("dispatched"),
  subtasks: Schema.Array(DispatchedSubtask)
})

/**
 * The messages before `upto` are hidden from the model, told by a summary. Without one (`failure` says why; absent when
 * none was asked for) the summary before stands. The journal keeps the messages.
 */
export const Compacted = Schema.Struct({
  kind: Schema.Literal("compacted"),
  because: Schema.Literal("messages", "tokens", "overflow"),
  upto: Schema.Int,
  summary: Schema.NullOr(Schema.String),
  tokens: Schema.Tuple(Schema.Int, Schema.Int),
  millis: Schema.Int,
  failure: Schema.optional(Schema.String)
})
export type Compacted = typeof Compacted.Type

/** The budget or the iteration limit ended the task before another model call. */
export const Forced = Schema.Struct({
  kind: Schema.Literal("forced"),
  reason: Schema.String,
  output: Schema.String,
  files: Schema.optional(Schema.Array(Schema.Struct({ filename: Schema.String, size: Schema.NullOr(Schema.Int) }))),
  /** The output is the service's own report, because the agent wrote no answer. */
  reported: Schema.optional(Schema.Literal(true))
})

/** A command from outside that changes the status at once. */
export const Answered = Schema.Struct({ kind: Schema.Literal("answered"), by: Schema.NullOr(Schema.String) })
export const Cancelled = Schema.Struct({ kind: Schema.Literal("cancelled"), error: Schema.String })
export const Retried = Schema.Struct({ kind: Schema.Literal("retried") })

/**
 * The actor crashed and is woken again at `retryAt` (epoch milliseconds). With `deaths` it was its process that ended,
 * for that many times in a row during this step.
 */
export const Crashed = Schema.Struct({
  kind: Schema.Literal("crashed"),
  reason: Schema.String,
  retryAt: Schema.Finite,
  deaths: Schema.optional(Schema.Int)
})

export const Failed = Schema.Struct({
  kind: Schema.Literal("failed"),
  error: Schema.String,
  /** Of a model call that was paid for and brought no answer. */
  tokens: Schema.optional(Schema.Tuple(Schema.Int, Schema.Int))
})
export type Failed = typeof Failed.Type

/**
 * One step of a task as the journal keeps it. The kinds are a storage format: renaming one is a migration, and new
 * fields are optional.
 */
export const Step = Schema.Union(
  Woken,
  Prepared,
  Modelled,
  Started,
  Dispatched,
  Resulted,
  Compacted,
  Forced,
  Answered,
  Cancelled,
  Retried,
  Crashed,
  Failed
)
export type Step = typeof Step.Type

/** A step as the text that the journal keeps and `Step` reads. */
export const textOf = (step: Step): string => JSON.stringify(brief(step))

// What is undefined is not written.
const brief = (step: Step): unknown => {
  switch (step.kind) {
    case "model": {
      const { message } = step
      const tool_calls = message.tool_calls.length === 0 ? undefined : message.tool_calls
      return { ...step, message: { ...message, role: undefined, tool_calls } }
    }
    case "results":
      return {
        ...step,
        results: step.results.map((result) => ({ ...result, message: { ...result.message, role: undefined } }))
      }
    default:
      return step
  }
}

/** A step with its place and time (ISO 8601) in the journal. */
export interface JournalledStep {
  readonly seq: number
  readonly at: string
  readonly step: Step
}
