import type { Approval, Task, TaskStep } from "@troupe/client"

export type DoneBy = NonNullable<TaskStep["by"]>

/** A call of a tool with its result, or what the model thought between calls. */
export type Work =
  | {
    readonly _tag: "call"
    readonly id: string
    readonly seq: number
    readonly name: string
    /** Null where the step that has them is not loaded. */
    readonly arguments: string | null
    /** Null until it is there. */
    readonly result: string | null
    readonly millis: number | null
    /** Whether a list of steps has only the beginning of its texts. */
    readonly isCut: boolean
  }
  | {
    readonly _tag: "thought"
    readonly id: string
    readonly seq: number
    readonly text: string
    readonly isCut: boolean
  }

interface Placed {
  readonly id: string
  readonly taskId: string
  /** How deep it is in folded threads of subtasks. */
  readonly depth: number
}

interface OfStep extends Placed {
  readonly seq: number
  readonly at: string
}

export type NoteTone = "muted" | "wait" | "bad"

/** One entry of a thread: what somebody wrote, what the agent did, or what the task came to. */
export type ThreadItem =
  | Placed & { readonly _tag: "request"; readonly task: Task }
  /** The work of an earlier task of the conversation, which is loaded on demand. */
  | Placed & { readonly _tag: "folded"; readonly task: Task }
  /** Older steps that are not loaded. */
  | Placed & { readonly _tag: "older"; readonly before: number }
  | OfStep & { readonly _tag: "words"; readonly text: string; readonly isCut: boolean }
  | OfStep & { readonly _tag: "work"; readonly entries: ReadonlyArray<Work> }
  | OfStep & {
    readonly _tag: "question"
    readonly text: string
    readonly isCut: boolean
    readonly isOpen: boolean
    readonly answer: string | null
    readonly by: DoneBy | null
    readonly answeredAt: string | null
    /** What was decided about a call that needed approval. */
    readonly decision: string | null
    /** The calls that it is about; none where a person is asked something else. */
    readonly approvals: ReadonlyArray<Approval>
  }
  | OfStep & { readonly _tag: "message"; readonly text: string; readonly by: DoneBy | null; readonly isRead: boolean }
  | OfStep & { readonly _tag: "note"; readonly tone: NoteTone; readonly text: string; readonly detail: string | null }
  | OfStep & { readonly _tag: "subtask"; readonly task: Task; readonly isOpen: boolean }
  /** Continuations of a task that are in threads of their own. */
  | Placed & { readonly _tag: "branches"; readonly tasks: ReadonlyArray<Task> }
  | Placed & { readonly _tag: "end"; readonly task: Task; readonly text: string | null }

/** A message that was sent from here and that no step has yet. */
export interface SentMessage {
  readonly id: string
  readonly text: string
  readonly at: string
  /** The newest step when it was sent. */
  readonly after: number
}

/** One task of a thread. */
export interface Part {
  readonly task: Task
  /** Newest first, as they are loaded; undefined: they are folded. */
  readonly steps: ReadonlyArray<TaskStep> | undefined
}

export interface ThreadSource {
  /** The tasks of a conversation, each of which continues the one before. */
  readonly parts: ReadonlyArray<Part>
  readonly subtasks: ReadonlyMap<string, Task>
  /** The steps of subtasks that are unfolded, newest first. */
  readonly unfolded: ReadonlyMap<string, ReadonlyArray<TaskStep>>
  readonly sent: ReadonlyMap<string, ReadonlyArray<SentMessage>>
  /** The continuations that are in other threads, by the task that they continue. */
  readonly others?: ReadonlyMap<string, ReadonlyArray<Task>>
}
