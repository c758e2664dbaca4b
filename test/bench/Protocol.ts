/** The questions to a measured process over its IPC channel, and the answers. */
export interface Dialogue {
  readonly run: { readonly question: RunOrder; readonly answer: RunResult }
  /** Bytes after a thorough garbage collection. */
  readonly heap: { readonly question: object; readonly answer: { readonly heap: number; readonly resident: number } }
  /** When each task's insert was committed, by the machine's shared clock. */
  readonly commits: { readonly question: object; readonly answer: ReadonlyArray<readonly [id: string, at: number]> }
  /** Requests since the last question. */
  readonly arrivals: { readonly question: object; readonly answer: ReadonlyArray<Arrival> }
  /** Effect operations since the last question, by stage. */
  readonly operations: { readonly question: object; readonly answer: Readonly<Record<Stage, number>> }
  /** Makes this number of calls of each kind. */
  readonly calls: { readonly question: { readonly calls: number }; readonly answer: CallCosts }
}

export type Topic = keyof Dialogue

export type Question = { readonly [T in Topic]: { readonly topic: T } & Dialogue[T]["question"] }[Topic]

/** Tasks `from` to `from + tasks`, `concurrency` at a time, each until it has reached that status. */
export interface RunOrder {
  readonly from: number
  readonly tasks: number
  readonly concurrency: number
  readonly until: "completed" | "asleep"
  /** Whose tasks they are; otherwise the default user's. */
  readonly owner?: string
}

export interface RunResult {
  readonly seconds: number
  readonly latencies: ReadonlyArray<number>
  readonly errors: number
  readonly firstError: string | null
  readonly cpuMillis: number | null
  readonly peakMegabytes: number | null
  /** How long the event loop stood still at most; null: not known. */
  readonly longestStopMillis: number | null
}

/** A model request: its task, its number of tool results, its time. */
export interface Arrival {
  readonly task: number
  readonly results: number
  readonly at: number
}

/** The part of a task's work to which an operation belongs; `rest`: all that belongs to no other. */
export const stages = ["submit", "claim", "loop", "model", "tools", "journal", "rest"] as const
export type Stage = typeof stages[number]

/** CPU milliseconds of one call, and the bytes that it sends. */
export interface CallCosts {
  readonly bare: number
  readonly ours: number
  readonly bytes: number
}

/** How a subject is to be set up. */
export interface SubjectOrder {
  /** `worker`: use-cases and actors; `all`: HTTP too; `api`: use-cases and HTTP only. */
  readonly role: "worker" | "all" | "api"
  readonly environment: Readonly<Record<string, string>>
  /** Counts Effect operations, which slows the subject. */
  readonly counts?: boolean
}

/** How the process that compares model calls is to be set up. */
export interface CallsOrder {
  readonly environment: Readonly<Record<string, string>>
  readonly tools: number
}
