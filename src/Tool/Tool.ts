import type { TaskId, UserId } from "@troupe/domain/Ids"
import type { ImageReference } from "@troupe/domain/Message"
import type { SubtaskRequest } from "@troupe/domain/Subtask"
import { type Effect, Schema } from "effect"
import type { ToolSession } from "../ToolServer/ToolSession.ts"

/**
 * What a call does to the world, which decides what happens to one that a crash cut off:
 * `read` changes nothing outside the task, `idempotent` may run twice with the same end, and both run again;
 * `outside` is journalled before and after, is never run twice, and its result is then reported as uncertain.
 */
export type ToolEffect = "read" | "idempotent" | "outside"

/** Facts of the call that the model can't choose. */
export interface ToolContext {
  readonly taskId: TaskId
  readonly userId: UserId
  readonly callId: string
  /** A subagent's own connections to the tool servers; without it a call goes over those that tasks share. */
  readonly session?: ToolSession
}

/** What a call came to. */
export type ToolOutcome =
  /**
   * An answer for the model; `attach` names sandbox files for the completion message, `images` pictures to show, and
   * `notice` is a message that goes to the task's creator in the commit of this answer.
   */
  | {
    readonly _tag: "Answered"
    readonly content: string
    readonly attach?: ReadonlyArray<string>
    readonly images?: ReadonlyArray<ImageReference>
    readonly notice?: string
  }
  /** The answer is `content`, but only from `until` (epoch milliseconds) on; the task may sleep till then. */
  | { readonly _tag: "Deferred"; readonly until: number; readonly content: string }
  /** The call is a question to a human: the task waits, and the human's words will be the result. */
  | { readonly _tag: "Asked"; readonly content: string }
  /** The call sends out a subtask, whose result will be its own. */
  | { readonly _tag: "Dispatched"; readonly content: string; readonly request: SubtaskRequest }

/** The tool could not do it. `reason` says why and what to do instead; the model reads it behind `Error:`. */
export class ToolFailed extends Schema.TaggedError<ToolFailed>()("ToolFailed", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** A tool whose arguments are already decoded by its own schema (see `Toolbox.define`). */
export interface Tool {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly effect: (args: unknown) => ToolEffect
  /** Milliseconds after which a call is interrupted and answered as an error. */
  readonly timeoutMillis: number
  /** Decodes `args` (parsed JSON) and runs the call. A misfit fails as `ToolFailed` and names the field. */
  readonly run: (args: unknown, context: ToolContext) => Effect.Effect<ToolOutcome, ToolFailed>
}
