import type { ApprovalFile } from "@troupe/domain/Approval"
import type { TaskId, UserId } from "@troupe/domain/Ids"
import type { ImageReference } from "@troupe/domain/Message"
import type { ToolClass } from "@troupe/domain/Policy"
import type { CallInput } from "@troupe/domain/ServerQuestion"
import type { FileVersion, Shown } from "@troupe/domain/Shown"
import type { SubtaskRequest } from "@troupe/domain/Subtask"
import type { AgentType } from "@troupe/domain/Task"
import { Effect, Schema } from "effect"
import type { OutboxEntry } from "../Delivery/Outbox.ts"
import type { DocumentUnreadable } from "../File/Documents/DocumentUnreadable.ts"
import type { SandboxRefused } from "../File/SandboxRefused.ts"
import type { ToolSession } from "../ToolServer/ToolSession.ts"

/**
 * How a call that a crash cut off is handled: `read` and `idempotent` calls run again. An `outside` call is journalled
 * before and after, never runs twice, and is reported to the model as uncertain.
 */
export type ToolEffect = "read" | "idempotent" | "outside"

/** What the result of a call whose connection broke adds: the model must not take it for a call that did nothing. */
export const doubt = (effect: ToolEffect): string =>
  effect === "outside" ? " It may have taken effect all the same: check before you repeat it." : ""

export interface ToolContext {
  readonly taskId: TaskId
  readonly userId: UserId
  readonly callId: string
  /** The digest of what was reviewed of this call: it does exactly that, or fails. */
  readonly reviewed?: string
  /** Digests by path of the files that the task wrote before it had seen anything from outside. */
  readonly written?: ReadonlyMap<string, string>
  /** The task has seen something from outside. */
  readonly isOutside?: boolean
  /** A subagent's own connections to the tool servers; without it a call uses the shared ones. */
  readonly session?: ToolSession
  /** What the server asked during the call, with all answers. */
  readonly input?: CallInput
}

export type ToolOutcome =
  /**
   * `attach` names files for the completion message. `notice`, for the task's creator, and `outgoing` are sent if this
   * result is journalled, once.
   */
  | {
    readonly _tag: "Answered"
    readonly content: string
    readonly attach?: ReadonlyArray<string>
    readonly images?: ReadonlyArray<ImageReference>
    readonly notice?: string
    readonly outgoing?: ReadonlyArray<OutboxEntry>
    /** What the model sees by it; instead of the tool's own `shows`. */
    readonly shows?: Shown
    /** A file that it wrote; `after`: the digest of what it was added to. */
    readonly writes?: FileVersion & { readonly after?: string }
  }
  /** The result is `content`, but only from `until` (epoch milliseconds) on; the task may sleep until then. */
  | { readonly _tag: "Deferred"; readonly until: number; readonly content: string }
  /** Nothing was sent: somebody has to sign in at the server first, and the call is made after it. */
  | { readonly _tag: "Unauthorized"; readonly content: string }
  /** A question to a human: the task waits, and the answer will be the result. */
  | { readonly _tag: "Asked"; readonly content: string; readonly choices?: ReadonlyArray<string> }
  /** Questions of a tool server to a human: the task waits, and the call is made again with the answers. */
  | { readonly _tag: "Requires"; readonly content: string; readonly input: CallInput }
  /** A subtask to dispatch, whose result will be the result of the call; `agent`: the name of the agent that it is to be. */
  | {
    readonly _tag: "Dispatched"
    readonly content: string
    readonly request: SubtaskRequest
    readonly agent: string | null
  }

/** The call failed. `reason` says why and what to do instead; the model reads it after `Error:`. */
export class ToolFailed extends Schema.TaggedError<ToolFailed>()("ToolFailed", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/**
 * What a call changes: nothing beyond the task, the user's own files and memories, or anything else. A task of an unknown
 * sender has the tools that change nothing or, in mail, those that change only the sender's own.
 */
export type ToolChanges = "nothing" | "own" | "outside"

/** What a tool declares of itself. */
export interface ToolAttributes {
  readonly changes: ToolChanges
  /** The types of subagents that have it: all if left out. */
  readonly forSubagents?: ReadonlyArray<AgentType>
  /** Where it does not follow from `changes`: `nothing` is `read`. */
  readonly class?: ToolClass
  /** What any result of it shows the model beyond the words of the task's people; nothing if left out. */
  readonly shows?: Shown
}

export const classOf = ({ changes, class: declared }: ToolAttributes): ToolClass =>
  declared ?? (changes === "nothing" ? "read" : changes)

/** What a call that writes to people would do. */
export interface CallReview {
  /** Nobody with a right to the task has named all recipients. */
  readonly isUnexpected: boolean
  /** It carries something to people outside of the team, and no trusted text names all of these and each file. */
  readonly leaves: boolean
  /** Whether the task has a person to ask; if not, `refusal` is what the agent is told. */
  readonly mayAsk: boolean
  readonly refusal: string
  readonly files: ReadonlyArray<ApprovalFile>
  /** Equal only for calls that do the same. */
  readonly digest: string
  /** The question whether to do it; null: the one about any call. */
  readonly question: string | null
}

/** What rules, approvals and grants know of the server of a tool. */
export interface ServerFacts {
  readonly name: string
  /** Digest of the tool's definition, and the address and credentials of its server. */
  readonly binding: string
  /** Its hints do not say that it stays within the server. */
  readonly isOpenWorld: boolean
  readonly signIn?: ServerSignIn
}

/** The sign-in at the server that a call for a person waits for. */
export interface ServerSignIn {
  /** Whether it is known, without a statement, that there is one. */
  readonly isDone: (user: UserId) => boolean
  readonly isMissing: (user: UserId) => Effect.Effect<boolean>
  /** Whether each person signs in. */
  readonly isPerUser: () => boolean
}

export interface AgentTool extends ToolAttributes {
  readonly name: string
  /** Of tools of tool servers. */
  readonly server?: ServerFacts
  readonly description: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly effect: (args: unknown) => ToolEffect
  readonly timeoutMillis: number
  /** What is decided before the call runs, of a tool that writes to people. */
  readonly review?: (args: unknown, context: ToolContext) => Effect.Effect<CallReview, ToolFailed>
  /** The review says only whether something leaves: it is made once the model has seen private things and something from outside. */
  readonly isReviewedToLeave?: true
  /** Decodes `args` (parsed JSON) and runs the call. Arguments that don't fit fail as `ToolFailed`. */
  readonly run: (args: unknown, context: ToolContext) => Effect.Effect<ToolOutcome, ToolFailed>
}

const advice: Readonly<Record<SandboxRefused["kind"], string>> = {
  name: "Choose another path.",
  missing: "Use list_directory to see what is there.",
  unsafe: "Choose another path; list_directory shows what is there.",
  size: "Do it in smaller parts.",
  quota: "Ask the user to make room.",
  unavailable: "Tell the user about it; repeating the call won't help."
}

export const orToolFailed = <A, R>(work: Effect.Effect<A, SandboxRefused, R>): Effect.Effect<A, ToolFailed, R> =>
  Effect.mapError(work, (refused) => new ToolFailed({ reason: `${refused.message} ${advice[refused.kind]}` }))

export const orUnreadable = <A>(
  path: string,
  work: Effect.Effect<A, DocumentUnreadable | ToolFailed>
): Effect.Effect<A, ToolFailed> =>
  Effect.catchTag(
    work,
    "DocumentUnreadable",
    ({ reason }) => new ToolFailed({ reason: `${JSON.stringify(path)}: ${reason}` })
  )
