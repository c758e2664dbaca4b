import { Option } from "effect"

/**
 * A row in the order of its stream: over all tasks by transaction, within one by step. The steps of one task wait for
 * no transaction of others, so there every `xact` is the same.
 */
export interface Position {
  readonly xact: bigint
  readonly task: string
  readonly seq: number
}

export const noTask = "00000000-0000-0000-0000-000000000000"

export const startOf = (xact: bigint): Position => ({ xact, task: noTask, seq: -1 })

export const isAfter = (one: Position, other: Position): boolean =>
  one.xact !== other.xact
    ? one.xact > other.xact
    : one.task !== other.task
    ? one.task > other.task
    : one.seq > other.seq

/** Where a stream resumes: after an event of a row, so that the rest of this row comes first. */
export interface ResumePoint {
  readonly row: Position
  readonly index: number
}

/** The id of an event of all tasks; a transaction alone is before its first row. */
export const parseIdOfAll = (id: string): Option.Option<ResumePoint> => {
  const [, xact, task = noTask, seq = "-1", index = "-1"] =
    /^(\d{1,19})(?:\.([\da-f-]{36})\.(\d{1,9})\.(\d{1,9}))?$/.exec(id) ?? []
  return Option.map(
    Option.fromNullable(xact),
    (xact) => ({ row: { xact: BigInt(xact), task, seq: Number(seq) }, index: Number(index) })
  )
}

/** The id of an event of this task: what is the same for all of them is not in it. */
export const parseIdOfOne = (task: string) => (id: string): Option.Option<ResumePoint> => {
  const [, seq, index] = /^(\d{1,9})\.(\d{1,9})$/.exec(id) ?? []
  return Option.map(
    Option.fromNullable(seq),
    (seq) => ({ row: { xact: 0n, task, seq: Number(seq) }, index: Number(index) })
  )
}
