/**
 * A table that is a durable queue. Besides the columns named here it has `id`, `state` (`pending`, `claimed`, `done` or
 * `failed`; a table may name the states `claimed` and `done` differently), `attempts`, `epoch` (the number of the claim;
 * only the newest one may change the row), `due_at` (when it is claimed next: a pending row after its pause, a claimed one
 * when its lease ends; null once it has ended), `ended_at` and `last_error`.
 */
export interface QueueTable {
  readonly name: string
  /** The column by whose values consumers divide the table. */
  readonly queue: string
  readonly claimed: string
  readonly done: string
  /** When a row was added. */
  readonly since: string
  /** Rows with the same lane and key, a UUID, are processed one after the other, by their position. */
  readonly lane: string
  readonly key?: string
  readonly position: string
  /** Rows whose lane is null are in no order. Claims are divided fairly among the values of this column. */
  readonly group?: string
  /** Whether a row's effect outside can't be repeated. It has the column `handed_over`: it may have happened. */
  readonly handsOver: boolean
  /** More columns of a claim, of the row `m`. */
  readonly columns: string
  /** What else the end of a row changes, with these parameters. */
  readonly onDone?: { readonly set: string; readonly parameters: ReadonlyArray<string> }
}

/** Assignments that make an ended row due again. */
export const dueAgain = ({ handsOver }: QueueTable): string =>
  `state = 'pending', attempts = 0, due_at = now(), ended_at = null${handsOver ? ", handed_over = false" : ""}`
