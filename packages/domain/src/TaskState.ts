import { Either, Schema } from "effect"
import type { TaskStatus, TaskType } from "./Task.ts"

export interface TaskState {
  readonly type: TaskType
  readonly status: TaskStatus
  readonly question: string | null
  readonly lastToolCallId: string | null
  readonly error: string | null
}

export type TaskStateEvent =
  | { readonly _tag: "Claimed" }
  | { readonly _tag: "AskedHuman"; readonly question: string; readonly toolCallId: string }
  | { readonly _tag: "DispatchedSubagents"; readonly toolCallIds: ReadonlyArray<string> }
  | { readonly _tag: "Answered" }
  | { readonly _tag: "Completed" }
  | { readonly _tag: "Failed"; readonly error: string }
  | { readonly _tag: "Retried" }

interface Transition {
  readonly from: ReadonlyArray<TaskStatus>
  readonly to: TaskStatus
  /** Subtasks neither ask nor dispatch. */
  readonly ofTasksOnly?: true
}

/** SQL statements that change a status take their conditions from this table. */
export const transitions: { readonly [Event in TaskStateEvent["_tag"]]: Transition } = {
  Claimed: { from: ["pending", "running", "waiting_subagents"], to: "running" },
  AskedHuman: { from: ["running"], to: "waiting_input", ofTasksOnly: true },
  DispatchedSubagents: { from: ["running"], to: "waiting_subagents", ofTasksOnly: true },
  Answered: { from: ["waiting_input"], to: "running" },
  Completed: { from: ["running"], to: "completed" },
  Failed: { from: ["pending", "running", "waiting_input", "waiting_subagents"], to: "failed" },
  Retried: { from: ["failed"], to: "pending" }
}

export const terminalStatuses = ["completed", "failed"] as const satisfies ReadonlyArray<TaskStatus>

export const isTerminal = (status: TaskStatus): boolean => terminalStatuses.some((terminal) => terminal === status)

export class TransitionRejected extends Schema.TaggedError<TransitionRejected>()("TransitionRejected", {
  status: Schema.String,
  event: Schema.String
}) {
  override get message() {
    return `A ${this.status} task does not allow ${this.event}`
  }
}

/** Total: every event has an answer in every state. */
export const transition = (
  { status, type }: TaskState,
  event: TaskStateEvent
): Either.Either<TaskState, TransitionRejected> => {
  const { from, ofTasksOnly, to } = transitions[event._tag]
  return from.includes(status) && (ofTasksOnly !== true || type === "task")
    ? Either.right({ ...inStatus(type, to), ...factsOf(event) })
    : Either.left(new TransitionRejected({ status, event: event._tag }))
}

/** A task in this status, without question, tool call and error. */
export const inStatus = (type: TaskType, status: TaskStatus): TaskState => ({
  type,
  status,
  question: null,
  lastToolCallId: null,
  error: null
})

const factsOf = (event: TaskStateEvent): Partial<TaskState> => {
  switch (event._tag) {
    case "AskedHuman":
      return { question: event.question, lastToolCallId: event.toolCallId }
    case "DispatchedSubagents":
      return { lastToolCallId: JSON.stringify(event.toolCallIds) }
    case "Failed":
      return { error: event.error }
    default:
      return {}
  }
}
