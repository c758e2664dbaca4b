import { Either, Schema } from "effect"
import type { TaskStatus, TaskType } from "./Task.ts"

/** What the state machine decides over: the status and the facts that belong to it. */
export interface TaskState {
  readonly type: TaskType
  readonly status: TaskStatus
  readonly question: string | null
  readonly lastToolCallId: string | null
  readonly error: string | null
}

/** Everything that may happen to a task's status (service.md, "States and transitions"; contract.md 3). */
export type TaskEvent =
  | { readonly _tag: "Started" }
  | { readonly _tag: "AskedHuman"; readonly question: string; readonly toolCallId: string }
  | { readonly _tag: "DispatchedSubagents"; readonly toolCallIds: ReadonlyArray<string> }
  | { readonly _tag: "Answered" }
  | { readonly _tag: "SubagentsEnded" }
  | { readonly _tag: "Completed" }
  | { readonly _tag: "Failed"; readonly error: string }
  | { readonly _tag: "Retried" }

/** The state does not allow the event; nothing changes. */
export class TransitionRejected extends Schema.TaggedError<TransitionRejected>()("TransitionRejected", {
  status: Schema.String,
  event: Schema.String
}) {
  override get message() {
    return `A ${this.status} task does not allow ${this.event}`
  }
}

export const initialState = (type: TaskType): TaskState => ({
  type,
  status: "pending",
  question: null,
  lastToolCallId: null,
  error: null
})

export const isTerminal = (status: TaskStatus): boolean => status === "completed" || status === "failed"

export const isWaiting = (status: TaskStatus): boolean => status === "waiting_input" || status === "waiting_subagents"

const plain = (state: TaskState, status: TaskStatus): TaskState => ({
  type: state.type,
  status,
  question: null,
  lastToolCallId: null,
  error: null
})

/** The next state, or why there is none. Total: every event is answered in every state. */
export const transition = (state: TaskState, event: TaskEvent): Either.Either<TaskState, TransitionRejected> => {
  const next = nextState(state, event)
  return next === null
    ? Either.left(new TransitionRejected({ status: state.status, event: event._tag }))
    : Either.right(next)
}

const nextState = (state: TaskState, event: TaskEvent): TaskState | null => {
  const { status } = state
  switch (event._tag) {
    case "Started":
      return status === "pending" || status === "running" ? plain(state, "running") : null
    case "AskedHuman":
      return status === "running" && state.type === "task"
        ? { ...plain(state, "waiting_input"), question: event.question, lastToolCallId: event.toolCallId }
        : null
    case "DispatchedSubagents":
      return status === "running" && state.type === "task"
        ? { ...plain(state, "waiting_subagents"), lastToolCallId: JSON.stringify(event.toolCallIds) }
        : null
    case "Answered":
      return status === "waiting_input" ? plain(state, "running") : null
    case "SubagentsEnded":
      return status === "waiting_subagents" ? plain(state, "running") : null
    case "Completed":
      return status === "running" ? plain(state, "completed") : null
    case "Failed":
      return isTerminal(status) ? null : { ...plain(state, "failed"), error: event.error }
    case "Retried":
      return status === "failed" ? plain(state, "pending") : null
  }
}
